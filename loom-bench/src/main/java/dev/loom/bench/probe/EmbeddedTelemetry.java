package dev.loom.bench.probe;

import dev.loom.Loom;
import dev.loom.Recorder;
import dev.loom.bench.push.ScratchDirectory;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;
import org.agrona.concurrent.UnsafeBuffer;

/** Loom within the application: its threads offer each event to the recorder, which drops what finds no room. */
final class EmbeddedTelemetry implements ProbeTelemetry {
    private static final int RING_BYTES = 8 << 20;

    private final ScratchDirectory files;
    private final ScratchDirectory staging;
    private final Recorder recorder;
    private final int[] sources;
    private final LongAdder told = new LongAdder();
    private final LongAdder dropped = new LongAdder();

    EmbeddedTelemetry(Path directory, Path stagingParent) {
        files = ScratchDirectory.in(directory);
        staging = ScratchDirectory.in(stagingParent);
        final Loom loom = LoomFrames.open(files.path(), staging.path());
        sources = LoomFrames.defineSources(loom, true);
        recorder = Recorder.on(loom).ringBytes(RING_BYTES).start();
    }

    @Override
    public Probe probe(ProbeSource source, int thread) {
        final UnsafeBuffer payload = new UnsafeBuffer(new byte[ProbeRecordDescriptor.RECORD_LENGTH]);
        final int id = sources[source.number()];
        final long[] sequence = {0};
        return (timeNs, latencyNs, operation, key) -> {
            ProbeRecordDescriptor.put(payload, 0, timeNs, latencyNs, thread, operation, key, sequence[0]++);
            told.increment();
            if (recorder.offer(id, payload, 0, ProbeRecordDescriptor.RECORD_LENGTH) < 0) {
                dropped.increment();
            }
        };
    }

    @Override
    public long told() {
        return told.sum();
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
