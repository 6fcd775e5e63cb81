package dev.loom.bench.search;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Makes the sides that a run asks for. */
public final class Sides implements AutoCloseable {
    /** The name of a side on the command line. */
    public enum Name {
        LOOM,
        LOOM_FILTER,
        CLICKHOUSE,
        CLICKHOUSE_ALL,
        CLICKHOUSE_TEXT,
        LUCENE,
        GREP
    }

    /**
     * Where things are.
     *
     * @param peers the folder of the peers' programs
     * @param python with {@code chdb}
     * @param java for Lucene
     * @param lucene the class path with Lucene
     */
    public record Places(
            Path scratch, Path staging, Path peers, String python, String java, String lucene, long segmentBytes) {}

    private final List<SearchSide> sides = new ArrayList<>();

    /** @param log the file that has the log */
    Sides(List<Name> names, Places places, Path log) throws IOException {
        try {
            PeerProcess clickHouse = null;
            for (Name name : names) {
                final Path files = places.scratch.resolve(name.name().toLowerCase(Locale.ROOT));
                if (name == Name.LOOM || name == Name.LOOM_FILTER) {
                    sides.add(new LoomSide(files, places.staging, name == Name.LOOM, places.segmentBytes));
                } else if (name == Name.CLICKHOUSE) {
                    clickHouse = startClickHouse(places, files, "bloom");
                    sides.add(new PeerSide("ClickHouse, 1 thread", clickHouse, files, "1", false));
                } else if (name == Name.CLICKHOUSE_TEXT) {
                    final PeerProcess withText = startClickHouse(places, files, "text");
                    sides.add(new PeerSide("ClickHouse, text index, 1 thread", withText, files, "1", false));
                } else if (name == Name.CLICKHOUSE_ALL && clickHouse != null) {
                    sides.add(new PeerSide(
                            "ClickHouse, its default",
                            clickHouse,
                            places.scratch.resolve("clickhouse"),
                            "default",
                            true));
                } else if (name == Name.LUCENE) {
                    final PeerProcess lucene = start(
                            files,
                            places.java,
                            "-Xmx2g",
                            "-cp",
                            places.lucene,
                            places.peers.resolve("LucenePeer.java").toString(),
                            files.toString());
                    sides.add(new PeerSide("Lucene", lucene, files, "default", false));
                } else if (name == Name.GREP) {
                    sides.add(new GrepSide(log));
                } else {
                    throw new IllegalArgumentException("side needs another one before it: side=" + name);
                }
            }
        } catch (IOException | RuntimeException e) {
            try {
                close();
            } catch (IOException | RuntimeException later) {
                e.addSuppressed(later);
            }
            throw e;
        }
    }

    private static PeerProcess startClickHouse(Places places, Path files, String index) throws IOException {
        final String program = places.peers.resolve("clickhouse.py").toString();
        return start(files, places.python, program, files.toString(), index);
    }

    private static PeerProcess start(Path files, String... command) throws IOException {
        Files.createDirectories(files);
        return PeerProcess.start(List.of(command), files.resolveSibling(files.getFileName() + ".err"));
    }

    List<SearchSide> all() {
        return sides;
    }

    @Override
    public void close() throws IOException {
        for (SearchSide side : sides) {
            side.close();
        }
    }
}
