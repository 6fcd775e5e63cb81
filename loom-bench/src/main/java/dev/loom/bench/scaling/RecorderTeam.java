package dev.loom.bench.scaling;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.Recorder;
import dev.loom.api.DropPolicy;
import dev.loom.api.Eviction;
import dev.loom.api.Snapshot;
import dev.loom.bench.push.PayloadPool;
import dev.loom.bench.push.PushSettings;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.format.Formats;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.agrona.DirectBuffer;

/** Loom's recorder, which takes records from many threads; each has a source of its own and waits for room. */
final class RecorderTeam implements PushTeam {
    private static final int RECORDER_RING_BYTES = 8 << 20;
    private static final Duration DRAIN_TIME = Duration.ofMinutes(1);

    private final ScratchDirectory files;
    private final ScratchDirectory staging;
    private final Path store;
    private final PayloadPool pool;
    private final Recorder recorder;
    private final int[] sources;

    RecorderTeam(PushSettings settings, PayloadPool pool, int threads) {
        this.pool = pool;
        files = ScratchDirectory.in(settings.directory());
        staging = ScratchDirectory.in(settings.staging());
        store = files.path().resolve("store");
        recorder = Recorder.on(Loom.open(LoomConfig.at(store)
                        .stagingDirectory(staging.path())
                        .recordRingBytes(settings.ringBytes())
                        .segmentBytes(settings.segmentBytes())
                        .eviction(settings.direct() ? Eviction.DIRECT : Eviction.PAGE_CACHE)
                        .maxBytes(LoomConfig.UNLIMITED)
                        .build()))
                .ringBytes(RECORDER_RING_BYTES)
                .start();
        sources = new int[threads];
        for (int i = 0; i < threads; i++) {
            sources[i] = recorder.defineSource(
                    "thread" + i, Formats.parse("bytes"), Map.of(), DropPolicy.waitUpTo(DropPolicy.WAIT_MAX));
        }
    }

    @Override
    public void push(int thread, int count) {
        final DirectBuffer payloads = pool.buffer();
        final int length = pool.length();
        for (int i = 0; i < count; i++) {
            final long status = recorder.offer(sources[thread], payloads, pool.offset(i), length);
            if (status < 0) {
                throw new IllegalStateException("record was refused: status=" + status);
            }
        }
    }

    @Override
    public void flush(int thread) {}

    @Override
    public void drain() {
        if (!recorder.force(DRAIN_TIME)) {
            throw new IllegalStateException("recorder could not be drained: time=" + DRAIN_TIME);
        }
    }

    @Override
    public void finish() {
        recorder.close();
    }

    @Override
    public void verify(long[] pushed) {
        final long[] seen = new long[sources.length];
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            for (int i = 0; i < sources.length; i++) {
                try (QueryCursor cursor = RawScan.of(snapshot, sources[i])
                        .order(Order.OLDEST_FIRST)
                        .open()) {
                    while (cursor.next()) {
                        if (!pool.matches(seen[i], cursor.buffer(), cursor.offset(), cursor.length())) {
                            throw new IllegalStateException("record differs: thread=" + i + ", number=" + seen[i]);
                        }
                        seen[i]++;
                    }
                }
            }
        }
        Counts.check(pushed, seen);
    }

    @Override
    public void close() {
        recorder.close();
        files.close();
        staging.close();
    }
}
