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
 * CPU time and heap for each record as secondary results: {@code -prof dev.loom.bench.jmh.RecordCostProfiler}.
 *
 * <p>Opening, checking and JMH's own work are left out, which is why this is not computed from the iteration's ends.
 * (JMH's event counters are summed over iterations, which makes no sense of a quotient.)
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
