package dev.loom.bench.jmh;

import dev.loom.bench.push.PushKind;
import dev.loom.bench.push.PushRun;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Records pushed per second, steadily, to a ring that is evicted to the disk; by Loom, the limit and a raw file. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class PushBenchmark {
    /** The name of a {@link PushKind}. */
    @Param({"limit", "limit-batch", "loom", "loom-offer", "loom-batch", "loom-claim", "raw-file"})
    public String target;

    private PushState state;

    @Setup(Level.Trial)
    public void open(BenchmarkDirectories directories, PushState pushState) {
        state = pushState;
        state.open(PushKind.parse(target), directories);
    }

    @TearDown(Level.Trial)
    public void verify() {
        state.verifyAndClose();
    }

    @Benchmark
    @OperationsPerInvocation(PushRun.BATCH)
    public void push(RecordCost cost) {
        cost.begin();
        state.push();
        cost.end(PushRun.BATCH);
    }
}
