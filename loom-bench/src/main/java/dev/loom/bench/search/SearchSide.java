package dev.loom.bench.search;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** One engine, or one way to use it. */
public interface SearchSide extends AutoCloseable {
    String name();

    /** What it is, with its version and settings, for people. */
    String description();

    /** Whether it stores the log itself. */
    boolean takesIn();

    /** Takes in the lines of a file, and returns when nothing works any more at what was taken. Once, before all else. */
    Ingest ingest(Path log) throws IOException;

    /** A file, or a directory of files, that the side reads to answer. */
    Path files();

    /** Begins to take questions. */
    void open() throws IOException;

    /** Ends that, so that no file is open and nothing of one is in memory, as far as the engine can forget. */
    void release() throws IOException;

    /** CPU time that the engine has taken so far, all threads. */
    long cpuNs();

    Answer ask(SearchQuestion question) throws IOException;

    /**
     * Counts by time, in rounds that come ever nearer.
     *
     * @param all whether to go on to the exact counts, which are the last round's; if not, the first estimate is the last one
     * @return none if the engine does not estimate
     */
    default List<CountRound> estimate(SearchQuestion question, boolean all) {
        return List.of();
    }

    @Override
    void close() throws IOException;
}
