package dev.loom.bench.peer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Objects;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.wire.DocumentContext;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Chronicle Queue with its defaults: writers take turns to write into the mapped file themselves, an excerpt a record. */
final class ChronicleLog implements PeerLog {
    private static final int INITIAL_LENGTH = 4096;

    private final ChronicleQueue queue;
    private int writers;

    ChronicleLog(Path directory) {
        System.setProperty("chronicle.analytics.disable", "true");
        System.setProperty("chronicle.announcer.disable", "true");
        queue = ChronicleQueue.single(directory.toString());
    }

    @Override
    public synchronized Writer newWriter() {
        return new ExcerptWriter(writers++);
    }

    @Override
    public void finish() {} // the excerpts are in the mapped file

    @Override
    public long count() {
        final long[] records = {0};
        read((writer, sequence, source, payload, offset, length) -> records[0]++);
        return records[0];
    }

    @Override
    public void read(Visitor visitor) {
        ByteBuffer bytes = ByteBuffer.allocate(INITIAL_LENGTH);
        final UnsafeBuffer payload = new UnsafeBuffer(0, 0);
        try (ExcerptTailer tailer = queue.createTailer()) {
            while (true) {
                try (DocumentContext document = tailer.readingDocument()) {
                    if (!document.isPresent()) {
                        return;
                    }
                    final Bytes<?> excerpt =
                            Objects.requireNonNull(document.wire()).bytes();
                    excerpt.readLong();
                    final long tag = excerpt.readLong();
                    final int length = excerpt.readInt();
                    if (length > bytes.capacity()) {
                        bytes = ByteBuffer.allocate(length);
                    }
                    excerpt.read(bytes.array(), 0, length);
                    payload.wrap(bytes.array(), 0, length);
                    visitor.record(
                            PeerKeyDescriptor.writer(tag),
                            PeerKeyDescriptor.sequence(tag),
                            PeerKeyDescriptor.source(tag),
                            payload,
                            0,
                            length);
                }
            }
        }
    }

    @Override
    public void close() {
        queue.close();
    }

    /** Writes an excerpt for each record; the thread that uses it first creates the appender. */
    private final class ExcerptWriter implements Writer {
        private final int writer;
        private final ThreadLocal<ExcerptAppender> appenders = ThreadLocal.withInitial(queue::createAppender);
        private long sequence;

        private ExcerptWriter(int writer) {
            this.writer = writer;
        }

        @Override
        public void append(int source, DirectBuffer payload, int offset, int length) {
            try (DocumentContext document = appenders.get().writingDocument()) {
                final Bytes<?> excerpt = Objects.requireNonNull(document.wire()).bytes();
                excerpt.writeLong(System.nanoTime());
                excerpt.writeLong(PeerKeyDescriptor.tag(sequence++, writer, source));
                excerpt.writeInt(length);
                int i = 0;
                for (; i + Long.BYTES <= length; i += Long.BYTES) {
                    excerpt.writeLong(payload.getLong(offset + i, ByteOrder.LITTLE_ENDIAN));
                }
                for (; i < length; i++) {
                    excerpt.writeByte(payload.getByte(offset + i));
                }
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
