package dev.loom.bench.groups;

import java.util.List;

/** An engine that holds the requests. */
public interface GroupPeer {
    /**
     * An answer.
     *
     * @param rows numbers and texts, as the engine gives them
     * @param elapsedNs from the question to the last row
     * @param cpuNs CPU time of all threads that worked on it
     */
    record Answer(List<List<Object>> rows, long elapsedNs, long cpuNs) {}

    /** Name in reports. */
    String name();

    /** Version and settings. */
    String description() throws Exception;

    /** Asks with at most this many threads. */
    Answer ask(GroupQuestion question, int threads) throws Exception;

    /** Drops the files from the page cache, and all that is read from the engine's own memory. */
    void chill() throws Exception;
}
