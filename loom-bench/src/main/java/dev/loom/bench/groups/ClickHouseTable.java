package dev.loom.bench.groups;

import dev.loom.bench.scan.PageCache;
import dev.loom.bench.search.PeerProcess;
import dev.loom.bench.search.StoredFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A ClickHouse table with the requests, in a process of Python's with {@code chdb}. */
public final class ClickHouseTable implements GroupPeer, AutoCloseable {
    private static final int ELAPSED = 0;
    private static final int CPU = 1;
    private static final int COLUMNS = 2;
    private static final int CELLS = 3;

    private final Path files;
    private final PeerProcess process;

    /**
     * Starts the process, and loads the table.
     *
     * @param scratch a directory for the database and what the process reports
     * @param python with {@code chdb}
     * @param peers the folder of the peers' programs
     * @param parquet the requests
     */
    public ClickHouseTable(Path scratch, String python, Path peers, Path parquet) throws IOException {
        files = scratch.resolve("clickhouse");
        process = PeerProcess.start(
                List.of(python, "-B", peers.resolve("clickhouse_groups.py").toString(), files.toString()),
                scratch.resolve("clickhouse.err"));
        try {
            process.request("load", parquet.toString());
            process.request("open");
        } catch (IOException | RuntimeException e) {
            process.close();
            throw e;
        }
        StoredFiles.force(files);
    }

    @Override
    public String name() {
        return "clickhouse";
    }

    @Override
    public String description() throws IOException {
        return process.request("version").get(0);
    }

    @Override
    public Answer ask(GroupQuestion question, int threads) throws IOException {
        final List<String> answer =
                process.request("ask", Integer.toString(threads), question.sql().apply(SqlDialect.CLICKHOUSE));
        final int columns = Integer.parseInt(answer.get(COLUMNS));
        final List<List<Object>> rows = new ArrayList<>();
        for (int cell = CELLS; cell < answer.size(); cell += columns) {
            rows.add(List.copyOf(answer.subList(cell, cell + columns)));
        }
        return new Answer(rows, Long.parseLong(answer.get(ELAPSED)), Long.parseLong(answer.get(CPU)));
    }

    @Override
    public void chill() throws IOException {
        process.request("release");
        PageCache.drop(files);
    }

    @Override
    public void close() {
        process.close();
    }
}
