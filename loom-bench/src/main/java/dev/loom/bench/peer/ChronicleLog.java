package dev.loom.bench.peer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Objects;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.RollCycle;
import net.openhft.chronicle.wire.DocumentContext;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Chronicle Queue with its defaults: writers take turns to write into the mapped file themselves, an excerpt a record. As its documents
 * advise, a time is found by binary search, since an index leads to each excerpt; so the times of what is read by range must ascend.
 */
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
    public void read(long fromNs, long toNs, Visitor visitor) {
        ByteBuffer bytes = ByteBuffer.allocate(INITIAL_LENGTH);
        final UnsafeBuffer payload = new UnsafeBuffer(0, 0);
        try (ExcerptTailer tailer = queue.createTailer()) {
            if (fromNs > 0) {
                seek(tailer, fromNs);
            }
            while (true) {
                try (DocumentContext document = tailer.readingDocument()) {
                    if (!document.isPresent()) {
                        return;
                    }
                    final Bytes<?> excerpt =
                            Objects.requireNonNull(document.wire()).bytes();
                    if (excerpt.readLong() >= toNs) {
                        return;
                    }
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

    /** Moves to the first excerpt that is not before a time; to the end if there is none. */
    private void seek(ExcerptTailer tailer, long fromNs) {
        final RollCycle roll = queue.rollCycle();
        final long last = queue.lastIndex();
        for (int cycle = roll.toCycle(queue.firstIndex()); last >= 0 && cycle <= roll.toCycle(last); cycle++) {
            final long excerpts = Math.max(0, tailer.excerptsInCycle(cycle));
            long low = 0;
            long high = excerpts;
            while (low < high) {
                final long middle = (low + high) >>> 1;
                if (timeNs(tailer, roll.toIndex(cycle, middle)) < fromNs) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            if (low < excerpts && tailer.moveToIndex(roll.toIndex(cycle, low))) {
                return;
            }
        }
        tailer.toEnd();
    }

    private static long timeNs(ExcerptTailer tailer, long index) {
        if (!tailer.moveToIndex(index)) {
            throw new IllegalStateException("queue has no such excerpt: index=" + Long.toHexString(index));
        }
        try (DocumentContext document = tailer.readingDocument()) {
            return Objects.requireNonNull(document.wire()).bytes().readLong();
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
        public void append(long timeNs, int source, DirectBuffer payload, int offset, int length) {
            try (DocumentContext document = appenders.get().writingDocument()) {
                final Bytes<?> excerpt = Objects.requireNonNull(document.wire()).bytes();
                excerpt.writeLong(timeNs);
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
