package dev.loom.bench.jmh;

import dev.loom.bench.recording.RecordingKind;
import dev.loom.bench.recording.RecordingTarget;
import java.util.ArrayList;
import java.util.List;
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

/**
 * Records one event of 64 bytes, as fast as possible, with {@code -t} threads; {@code -prof gc} shows garbage. {@link
 * dev.loom.bench.RecorderCost} measures the peers, CPU time, and the cost of a call while the ring is not full.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class RecorderBenchmark {
    /** Loom's {@link RecordingKind}s, and the limit. */
    @Param({"limit", "loom", "loom-claim"})
    public String recording;

    private final List<Producer> producers = new ArrayList<>();
    private RecordingTarget target;

    /** A thread's producer and how much it has recorded. */
    @State(Scope.Thread)
    public static class Producer {
        private RecordingTarget.Producer producer;
        private long sequence;

        @Setup(Level.Trial)
        public void begin(RecorderBenchmark benchmark) {
            synchronized (benchmark.producers) {
                join(benchmark);
            }
        }

        private void join(RecorderBenchmark benchmark) {
            producer = benchmark.target.producer(benchmark.producers.size());
            benchmark.producers.add(this);
        }
    }

    @Setup(Level.Trial)
    public void open(BenchmarkDirectories directories) {
        target = RecordingKind.parse(recording).open(directories.diskPath(), directories.stagingPath(), 8 << 20);
    }

    @TearDown(Level.Trial)
    public void close() {
        try (RecordingTarget closing = target) {
            closing.finish();
            final long recorded =
                    producers.stream().mapToLong(each -> each.sequence).sum();
            final long found = closing.verify(producers.size());
            if (found != recorded) {
                throw new IllegalStateException("events are missing: recorded=" + recorded + ", found=" + found);
            }
        }
    }

    @Benchmark
    public void record(Producer producer) {
        producer.producer.record(producer.sequence++);
    }
}
