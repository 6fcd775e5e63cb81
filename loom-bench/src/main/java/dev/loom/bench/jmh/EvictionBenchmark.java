package dev.loom.bench.jmh;

import dev.loom.bench.push.PushSettings;
import dev.loom.bench.push.RingLaps;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Time to write a full ring to the disk and sync it, by the evictor and by the least code for it; with its cost, a record is a page. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 2)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class EvictionBenchmark {
    private static final int PAGE_LENGTH = 1 << 16;

    @Param({"limit", "loom"})
    public String evictor;

    @Param("134217728")
    public int ringBytes;

    @Param("1073741824")
    public long segmentBytes;

    /** Whether pages bypass the page cache. */
    @Param("true")
    public boolean direct;

    private RingLaps laps;

    @Setup(Level.Trial)
    public void open(BenchmarkDirectories directories) {
        laps = RingLaps.of(
                evictor.equals("loom"),
                new PushSettings(
                        directories.diskPath(),
                        directories.stagingPath(),
                        Long.BYTES,
                        ringBytes,
                        segmentBytes,
                        direct));
    }

    @Setup(Level.Invocation)
    public void fill() {
        laps.fill();
    }

    @TearDown(Level.Trial)
    public void verify() {
        try (RingLaps closing = laps) {
            closing.verify();
        }
    }

    @Benchmark
    public void evict(RecordCost cost) {
        cost.begin();
        laps.evict();
        cost.end(ringBytes / PAGE_LENGTH);
    }
}
