package dev.loom.bench.jmh;

import dev.loom.bench.push.CpuTime;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The cost of an iteration's records, within its invocations; {@link RecordCostProfiler} reports it. For single-threaded
 * benchmarks.
 */
@State(Scope.Thread)
public class RecordCost {
    private static volatile Figures last = Figures.NONE;

    private boolean started;
    private long records;
    private long processNs;
    private long threadNs;
    private long allocatedBytes;
    private long processEndNs;
    private long threadEndNs;
    private long allocatedEnd;

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
        final long process = CpuTime.processNs();
        final long thread = CpuTime.threadNs();
        final long allocated = CpuTime.threadAllocatedBytes();
        // what JMH and the benchmark do between invocations does not count
        processNs = started ? processNs + process - processEndNs : process;
        threadNs = started ? threadNs + thread - threadEndNs : thread;
        allocatedBytes = started ? allocatedBytes + allocated - allocatedEnd : allocated;
        started = true;
    }

    void end(long recordsDone) {
        allocatedEnd = CpuTime.threadAllocatedBytes();
        processEndNs = CpuTime.processNs();
        threadEndNs = CpuTime.threadNs();
        records += recordsDone;
        final double count = records;
        last = new Figures(
                (processEndNs - processNs) / count,
                (threadEndNs - threadNs) / count,
                (allocatedEnd - allocatedBytes) / count);
    }
}
