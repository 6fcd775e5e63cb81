package dev.loom.bench.jmh;

import dev.loom.bench.push.CpuTime;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The cost of an iteration's records from the start of its first invocation to the end of its last; {@link RecordCostProfiler}
 * reports it. For single-threaded benchmarks.
 */
@State(Scope.Thread)
public class RecordCost {
    private static volatile Figures last = Figures.NONE;

    private boolean started;
    private long records;
    private long processNs;
    private long threadNs;
    private long allocatedBytes;

    /**
     * The cost of one record.
     *
     * @param cpuNs CPU time of the process, all threads
     * @param threadCpuNs CPU time of the benchmark's thread
     * @param allocatedBytes bytes that the benchmark's thread allocated on the heap
     */
    record Figures(double cpuNs, double threadCpuNs, double allocatedBytes) {
        static final Figures NONE = new Figures(Double.NaN, Double.NaN, Double.NaN);
    }

    /** Returns and clears the figures of the last iteration; {@link Figures#NONE} if its benchmark does not record them. */
    static Figures take() {
        final Figures taken = last;
        last = Figures.NONE;
        return taken;
    }

    @Setup(Level.Iteration)
    public void reset() {
        started = false;
        records = 0;
    }

    void begin() {
        if (!started) {
            started = true;
            processNs = CpuTime.processNs();
            threadNs = CpuTime.threadNs();
            allocatedBytes = CpuTime.threadAllocatedBytes();
        }
    }

    void end(long recordsDone) {
        final long allocatedNow = CpuTime.threadAllocatedBytes();
        records += recordsDone;
        final double count = records;
        last = new Figures(
                (CpuTime.processNs() - processNs) / count,
                (CpuTime.threadNs() - threadNs) / count,
                (allocatedNow - allocatedBytes) / count);
        // don't count what this call allocates
        allocatedBytes += CpuTime.threadAllocatedBytes() - allocatedNow;
    }
}
