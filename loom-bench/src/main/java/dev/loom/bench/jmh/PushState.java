package dev.loom.bench.jmh;

import dev.loom.bench.push.PayloadPool;
import dev.loom.bench.push.PushKind;
import dev.loom.bench.push.PushRun;
import dev.loom.bench.push.PushSettings;
import dev.loom.bench.push.PushTarget;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A target whose ring has completed one lap. Between two iterations it is verified and replaced if the next one might make it
 * larger than {@link #bytesMax}, so that the disk does not fill.
 */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class PushState {
    @Param({"8", "48", "64", "256", "1024"})
    public int payload;

    @Param("134217728")
    public int ringBytes;

    @Param("1073741824")
    public long segmentBytes;

    /** Whether pages bypass the page cache. */
    @Param("true")
    public boolean direct;

    /** The most bytes on the disk at any time. */
    @Param("8589934592")
    public long bytesMax;

    private PushKind kind;
    private PushSettings settings;
    private PayloadPool pool;
    private PushTarget target;
    private long iterationStart;
    private long iterationRecordsMax;

    void open(PushKind pushKind, BenchmarkDirectories directories) {
        kind = pushKind;
        settings = new PushSettings(
                directories.diskPath(), directories.stagingPath(), payload, ringBytes, segmentBytes, direct);
        pool = new PayloadPool(payload);
        replace();
    }

    @Setup(Level.Iteration)
    public void limitBytes() {
        final long bytesExpected = (target.pushed() + iterationRecordsMax) * settings.recordLength();
        if (bytesExpected > bytesMax) {
            verifyAndClose();
            replace();
        }
        iterationStart = target.pushed();
    }

    @TearDown(Level.Iteration)
    public void learnBytes() {
        iterationRecordsMax = Math.max(iterationRecordsMax, target.pushed() - iterationStart);
    }

    void push() {
        target.push(PushRun.BATCH);
    }

    PushTarget target() {
        return target;
    }

    PayloadPool pool() {
        return pool;
    }

    void verifyAndClose() {
        try (PushTarget closing = target) {
            closing.finish();
            closing.verify();
        }
    }

    private void replace() {
        target = kind.open(settings, pool);
        PushRun.pushLap(target, settings);
    }
}
