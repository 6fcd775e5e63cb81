package dev.loom.bench.jmh;

import dev.loom.bench.push.CpuTime;
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
 * Reports the process' CPU time an operation, of the iteration in which that was least: {@code -prof dev.loom.bench.jmh.CpuProfiler}. Of
 * a machine that has other work, wall times tell more about that. For benchmarks that are one thread's alone, in iterations of a second
 * or more, as CPU time advances in steps of 10 ms.
 */
public final class CpuProfiler implements InternalProfiler {
    private long startNs;

    @Override
    public String getDescription() {
        return "least CPU time an operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        startNs = CpuTime.processNs();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        final double cpuNs = CpuTime.processNs() - startNs;
        return List.of(
                new ScalarResult("cpu", cpuNs / result.getMetadata().getAllOps(), "ns/op", AggregationPolicy.MIN));
    }
}
