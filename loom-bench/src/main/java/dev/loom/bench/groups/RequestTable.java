package dev.loom.bench.groups;

import dev.loom.bench.push.CpuTime;
import dev.loom.bench.query.DuckDbFile;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBAppender;

/** A DuckDB database file with the requests in the order of their times. */
public final class RequestTable extends DuckDbFile implements GroupPeer {
    private final Path directory;

    /** Writes the table below {@code directory}. */
    public RequestTable(Path directory, SimulatedRequests requests) throws SQLException {
        super(directory);
        this.directory = directory;
        execute("CREATE TABLE requests(ts TIMESTAMP_NS, customer INTEGER, latency_ns BIGINT, status USMALLINT,"
                + " region VARCHAR, service VARCHAR, route VARCHAR)");
        try (DuckDBAppender appender = appender("requests")) {
            for (long number = 0; number < requests.records(); number++) {
                appender.beginRow()
                        .appendEpochNanos(requests.timeNs(number))
                        .append(requests.customer(number))
                        .append(requests.latencyNs(number))
                        .append((short) requests.status(number))
                        .append(SimulatedRequests.REGION)
                        .append(requests.service(number))
                        .append(requests.route(number))
                        .endRow();
            }
        }
        execute("CHECKPOINT");
    }

    /** Writes the requests as a Parquet file. */
    public void export(Path file) throws SQLException {
        execute("COPY requests TO '" + file + "' (FORMAT parquet)");
    }

    @Override
    public String name() {
        return "duckdb";
    }

    @Override
    public String description() throws SQLException {
        return version() + "; bytes " + directory.resolve(FILE).toFile().length();
    }

    @Override
    public Answer ask(GroupQuestion question, int threads) throws SQLException {
        threads(threads);
        final long startNs = System.nanoTime();
        final long cpuNs = CpuTime.processNs();
        final List<List<Object>> rows = new ArrayList<>();
        query(question.sql().apply(SqlDialect.DUCKDB), (result, column) -> {
            if (column == 1) {
                rows.add(new ArrayList<>());
            }
            rows.get(rows.size() - 1).add(result.getObject(column));
        });
        return new Answer(rows, System.nanoTime() - startNs, CpuTime.processNs() - cpuNs);
    }
}
