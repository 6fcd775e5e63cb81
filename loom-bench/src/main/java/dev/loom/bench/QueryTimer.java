package dev.loom.bench;

import dev.loom.bench.push.CpuTime;
import java.util.concurrent.Callable;

/**
 * Times queries of any length.
 *
 * @param millis wall time
 * @param cpuMillis the calling thread's CPU time, which other work on the machine disturbs less
 */
record QueryTimer(double millis, double cpuMillis) {
    private static final long BATCH_NS = 20_000_000;
    private static final double MILLI = 1e6;

    /** Times one run. */
    static QueryTimer once(Callable<?> query) throws Exception {
        return run(query, 0);
    }

    /** The mean of as many runs as fit in 20 ms, at least one: a query in memory may take microseconds. */
    static QueryTimer repeated(Callable<?> query) throws Exception {
        return run(query, BATCH_NS);
    }

    private static QueryTimer run(Callable<?> query, long batchNs) throws Exception {
        final long cpuNs = CpuTime.threadNs();
        final long startNs = System.nanoTime();
        long runs = 0;
        long elapsedNs;
        do {
            query.call();
            runs++;
            elapsedNs = System.nanoTime() - startNs;
        } while (elapsedNs < batchNs);
        return new QueryTimer(elapsedNs / MILLI / runs, (CpuTime.threadNs() - cpuNs) / MILLI / runs);
    }
}
