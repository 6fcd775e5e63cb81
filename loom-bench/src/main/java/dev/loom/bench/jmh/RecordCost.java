package dev.loom.bench.jmh;

import dev.loom.bench.push.CpuTime;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What the records of an iteration cost from the start of its first invocation to the end of its last; {@link
 * RecordCostProfiler} reports it. For benchmarks of one thread.
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
     * Costs of one record.
     *
     * @param cpuNs CPU time of the process, all threads
     * @param threadCpuNs CPU time of the benchmark's thread
     * @param allocatedBytes on the heap, by the benchmark's thread
     */
    record Figures(double cpuNs, double threadCpuNs, double allocatedBytes) {
        static final Figures NONE = new Figures(Double.NaN, Double.NaN, Double.NaN);
    }

    /** The figures of the iteration that ended last; {@link Figures#NONE} if its benchmark does not keep them. */
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
        // what this call allocates is not the record's
        allocatedBytes += CpuTime.threadAllocatedBytes() - allocatedNow;
    }
}
