package dev.loom.bench.probe;

import static dev.loom.bench.probe.ProbeRecordDescriptor.FRAME_HEADER_LENGTH;
import static dev.loom.bench.probe.ProbeRecordDescriptor.FRAME_LENGTH_MAX;
import static dev.loom.bench.probe.ProbeRecordDescriptor.FRAME_RECORDS_MAX;
import static dev.loom.bench.probe.ProbeRecordDescriptor.RECORDS_OFFSET;
import static dev.loom.bench.probe.ProbeRecordDescriptor.RECORD_LENGTH;
import static dev.loom.bench.probe.ProbeRecordDescriptor.SOURCE_OFFSET;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Gathers events in frames; what becomes of a full frame is the subclass's. */
abstract class FrameTelemetry implements ProbeTelemetry {
    private final AtomicLong told = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();

    @Override
    public final Probe probe(ProbeSource source, int thread) {
        return new FrameProbe(source, thread);
    }

    @Override
    public final long told() {
        return told.get();
    }

    @Override
    public final long dropped() {
        return dropped.get();
    }

    /**
     * Takes a full frame. Any thread.
     *
     * @return an empty frame, which may be the same one; null if there is no room for the full one
     */
    abstract @Nullable Frame exchange(Frame full);

    /** A buffer of events. */
    static final class Frame {
        final ByteBuffer bytes = ByteBuffer.allocateDirect(FRAME_LENGTH_MAX).order(ByteOrder.LITTLE_ENDIAN);
        final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    }

    /** Fills frames. */
    private final class FrameProbe implements Probe {
        private final ProbeSource source;
        private final int thread;
        private Frame frame = new Frame();
        private int records;
        private long sequence;

        private FrameProbe(ProbeSource source, int thread) {
            this.source = source;
            this.thread = thread;
        }

        @Override
        public void tell(long timeNs, long latencyNs, long operation, long key) {
            ProbeRecordDescriptor.put(
                    frame.buffer,
                    FRAME_HEADER_LENGTH + records * RECORD_LENGTH,
                    timeNs,
                    latencyNs,
                    thread,
                    operation,
                    key,
                    sequence++);
            records++;
            if (records == FRAME_RECORDS_MAX) {
                end();
            }
        }

        private void end() {
            frame.buffer.putInt(SOURCE_OFFSET, source.number(), ByteOrder.LITTLE_ENDIAN);
            frame.buffer.putInt(RECORDS_OFFSET, records, ByteOrder.LITTLE_ENDIAN);
            frame.bytes.clear().limit(FRAME_HEADER_LENGTH + records * RECORD_LENGTH);
            told.addAndGet(records);
            final Frame next = exchange(frame);
            if (next == null) {
                dropped.addAndGet(records);
            } else {
                frame = next;
            }
            records = 0;
        }
    }
}
