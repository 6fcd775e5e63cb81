package dev.loom.bench.recording;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.Recorder;
import dev.loom.api.DropPolicy;
import dev.loom.api.RecorderClaim;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import java.nio.file.Path;
import java.util.Map;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Loom's recorder with one source, whose producers wait for room. */
final class LoomRecording implements RecordingTarget {
    private final Path directory;
    private final Recorder recorder;
    private final int source;
    private final boolean claims;

    LoomRecording(Path directory, Path staging, int ringBytes, boolean claims) {
        this.directory = directory;
        this.claims = claims;
        this.recorder = Recorder.on(Loom.open(LoomConfig.at(directory)
                        .stagingDirectory(staging)
                        .maxBytes(LoomConfig.UNLIMITED)
                        .build()))
                .ringBytes(ringBytes)
                .start();
        this.source = recorder.defineSource(
                "events", Formats.parse("bytes"), Map.of(), DropPolicy.waitUpTo(DropPolicy.WAIT_MAX));
    }

    @Override
    public Producer producer(int number) {
        if (claims) {
            final RecorderClaim claim = recorder.newClaim();
            return sequence -> {
                check(claim.claim(source, PAYLOAD_LENGTH));
                fill(claim.buffer(), claim.offset(), number, sequence);
                check(claim.commit());
            };
        }
        final UnsafeBuffer payload = new UnsafeBuffer(new byte[PAYLOAD_LENGTH]);
        return sequence -> {
            fill(payload, 0, number, sequence);
            check(recorder.offer(source, payload, 0, PAYLOAD_LENGTH));
        };
    }

    private static void fill(MutableDirectBuffer buffer, int offset, int producer, long sequence) {
        for (int i = 0; i < PAYLOAD_LENGTH / Long.BYTES; i++) {
            buffer.putLong(offset + i * Long.BYTES, RecordingTarget.number(i, producer, sequence));
        }
    }

    private static void check(long status) {
        if (status < 0) {
            throw new IllegalStateException("event was refused: status=" + status);
        }
    }

    @Override
    public void finish() {
        recorder.close();
    }

    @Override
    public long verify(int producers) {
        final RecordedEvents events = new RecordedEvents(producers);
        try (LoomReader reader = LoomReader.attach(directory);
                Snapshot snapshot = reader.snapshot();
                QueryCursor event =
                        RawScan.of(snapshot, source).order(Order.OLDEST_FIRST).open()) {
            while (event.next()) {
                events.check(i -> event.buffer().getLong(event.offset() + i * Long.BYTES));
            }
        }
        return events.found();
    }

    @Override
    public void close() {
        recorder.close();
    }
}
