package dev.loom.bench.jmh;

import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Reports CPU time and heap per record as secondary results: {@code -prof dev.loom.bench.jmh.RecordCostProfiler}.
 *
 * <p>It leaves out opening, verification and JMH's own work, and so does not measure from one end of the iteration to the other.
 * (JMH sums its event counters over iterations, which is meaningless for a quotient.)
 */
public final class RecordCostProfiler implements InternalProfiler {
    @Override
    public String getDescription() {
        return "CPU time and heap per record";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        RecordCost.take();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        final RecordCost.Figures figures = RecordCost.take();
        return Double.isNaN(figures.cpuNs())
                ? List.of()
                : List.of(
                        new ScalarResult("record.cpu", figures.cpuNs(), "ns/record", AggregationPolicy.AVG),
                        new ScalarResult(
                                "record.cpu.thread", figures.threadCpuNs(), "ns/record", AggregationPolicy.AVG),
                        new ScalarResult("record.heap", figures.allocatedBytes(), "B/record", AggregationPolicy.AVG));
    }
}
