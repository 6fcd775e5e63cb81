package dev.loom.server.json;

import java.lang.management.ManagementFactory;

/** Measures what a query costs from its creation on, on the thread that created it. */
public final class RunTime {
    private final long startNs = System.nanoTime();
    private final long startCpuNs = threadCpuNs();

    /** Starts to measure. */
    public RunTime() {}

    long wallNs() {
        return System.nanoTime() - startNs;
    }

    /** CPU time of this thread. */
    long cpuNs() {
        return threadCpuNs() - startCpuNs;
    }

    private static long threadCpuNs() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
