package dev.loom.bench.probe;

import dev.loom.Loom;
import dev.loom.Recorder;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.bench.replay.LoomSink;
import dev.loom.bench.replay.ReplaySource;
import dev.loom.bench.replay.TelemetryBatch;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.agrona.concurrent.UnsafeBuffer;

/** Loom within the application: its threads offer each event to the recorder, which drops what finds no room. */
final class EmbeddedTelemetry implements ProbeTelemetry {
    private static final int RING_BYTES = 8 << 20;

    private final ScratchDirectory files;
    private final ScratchDirectory staging;
    private final Recorder recorder;
    private final Map<ReplaySource, Integer> sources = new EnumMap<>(ReplaySource.class);
    private final LongAdder events = new LongAdder();
    private final LongAdder dropped = new LongAdder();

    EmbeddedTelemetry(Path directory, Path stagingParent) {
        files = ScratchDirectory.in(directory);
        staging = ScratchDirectory.in(stagingParent);
        final Loom loom = LoomSink.open(files.path(), staging.path());
        for (final ReplaySource source : ProbeSink.SOURCES) {
            sources.put(source, LoomSink.define(loom, source));
        }
        recorder = Recorder.on(loom).ringBytes(RING_BYTES).start();
    }

    @Override
    public Probe probe(ReplaySource source, int thread) {
        final int length = source.kind().lengthMax();
        final UnsafeBuffer payload = new UnsafeBuffer(new byte[length]);
        final int id = Objects.requireNonNull(sources.get(source));
        final long[] number = {0};
        return (readingNs, latencyNs, operation, key) -> {
            TelemetryBatch.write(
                    source, payload, 0, Epoch.timeNs(readingNs), number[0]++, latencyNs, operation, key, thread);
            events.increment();
            if (recorder.offer(id, payload, 0, length) < 0) {
                dropped.increment();
            }
        };
    }

    @Override
    public long events() {
        return events.sum();
    }

    @Override
    public long dropped() {
        return dropped.sum();
    }

    @Override
    public void close() {
        recorder.close();
        files.close();
        staging.close();
    }
}
