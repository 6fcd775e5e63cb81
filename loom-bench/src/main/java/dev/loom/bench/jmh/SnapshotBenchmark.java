package dev.loom.bench.jmh;

import dev.loom.Loom;
import dev.loom.api.Snapshot;
import dev.loom.bench.push.LoomTarget;
import dev.loom.bench.push.PayloadPool;
import dev.loom.bench.push.PushSettings;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
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

/** Time to take and close a snapshot of an idle store and of one that is being written. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class SnapshotBenchmark {
    private static final int PAYLOAD_LENGTH = 48;
    private static final long SEGMENT_BYTES = 1L << 30;
    private static final long PAUSE_NS = 20_000;

    /** Whether another thread pushes meanwhile: bursts of 64 records with a short pause, to spare the disk. */
    @Param({"false", "true"})
    public boolean writing;

    @Param("134217728")
    public int ringBytes;

    private LoomTarget target;
    private Loom loom;
    private @Nullable Thread writer;
    private volatile boolean stopped;
    private long lastTail;

    @Setup(Level.Trial)
    public void open(BenchmarkDirectories directories) {
        final PushSettings settings = new PushSettings(
                directories.diskPath(), directories.stagingPath(), PAYLOAD_LENGTH, ringBytes, SEGMENT_BYTES, false);
        target = LoomTarget.open(settings, new PayloadPool(PAYLOAD_LENGTH));
        target.push(PayloadPool.COUNT);
        loom = target.store();
        loom.releaseWriter();
        if (writing) {
            writer = new Thread(this::writeUntilStopped, "bench-writer");
            writer.start();
        }
    }

    @TearDown(Level.Trial)
    public void verify() throws InterruptedException {
        stopped = true;
        if (writer != null) {
            writer.join();
        }
        try (LoomTarget closing = target) {
            closing.finish();
            closing.verify();
        }
    }

    @Benchmark
    public long snapshot() {
        try (Snapshot snapshot = loom.snapshot()) {
            final long tail = snapshot.tailAddress();
            if (tail < lastTail) {
                throw new IllegalStateException("snapshot went back: tail=" + tail + ", earlier=" + lastTail);
            }
            lastTail = tail;
            return tail;
        }
    }

    private void writeUntilStopped() {
        while (!stopped) {
            target.push(PayloadPool.COUNT);
            LockSupport.parkNanos(PAUSE_NS);
        }
    }
}
