package dev.loom.bench;

import java.util.concurrent.Callable;

/** Times queries of any length, by the wall clock. */
final class QueryTimer {
    private static final long BATCH_NS = 20_000_000;
    private static final double MILLI = 1e6;

    private QueryTimer() {}

    /** Milliseconds of one run. */
    static double once(Callable<?> query) throws Exception {
        final long startNs = System.nanoTime();
        query.call();
        return (System.nanoTime() - startNs) / MILLI;
    }

    /** Mean milliseconds of one run, of as many as fit 20 ms, at least one: what is in memory may take microseconds. */
    static double repeated(Callable<?> query) throws Exception {
        final long startNs = System.nanoTime();
        long runs = 0;
        long elapsedNs = 0;
        while (elapsedNs < BATCH_NS) {
            query.call();
            runs++;
            elapsedNs = System.nanoTime() - startNs;
        }
        return elapsedNs / MILLI / runs;
    }
}
