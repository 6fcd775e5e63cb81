package dev.loom.bench.recording;

import java.nio.file.Path;
import java.util.Objects;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.wire.DocumentContext;

/**
 * Chronicle Queue: producers take turns to write into the mapped file themselves. Its excerpts have no time, so a time precedes
 * the payload.
 */
final class ChronicleRecording implements RecordingTarget {
    private final ChronicleQueue queue;

    ChronicleRecording(Path directory) {
        System.setProperty("chronicle.analytics.disable", "true");
        System.setProperty("chronicle.announcer.disable", "true");
        queue = ChronicleQueue.single(directory.resolve("queue").toString());
    }

    /** The thread that uses the producer creates its appender. */
    @Override
    public Producer producer(int number) {
        final ThreadLocal<ExcerptAppender> appenders = ThreadLocal.withInitial(queue::createAppender);
        return sequence -> {
            try (DocumentContext document = appenders.get().writingDocument()) {
                final Bytes<?> bytes = Objects.requireNonNull(document.wire()).bytes();
                bytes.writeLong(System.nanoTime());
                for (int i = 0; i < PAYLOAD_LENGTH / Long.BYTES; i++) {
                    bytes.writeLong(RecordingTarget.number(i, number, sequence));
                }
            }
        };
    }

    @Override
    public void finish() {
        queue.close();
    }

    @Override
    public long verify(int producers) {
        final RecordedEvents events = new RecordedEvents(producers);
        try (ChronicleQueue stored = ChronicleQueue.single(queue.fileAbsolutePath());
                ExcerptTailer tailer = stored.createTailer()) {
            boolean present = true;
            while (present) {
                try (DocumentContext document = tailer.readingDocument()) {
                    present = document.isPresent();
                    if (present) {
                        final Bytes<?> bytes =
                                Objects.requireNonNull(document.wire()).bytes();
                        final long at = bytes.readPosition() + Long.BYTES;
                        events.check(i -> bytes.readLong(at + i * (long) Long.BYTES));
                    }
                }
            }
        }
        return events.found();
    }

    @Override
    public void close() {
        queue.close();
    }
}
