package dev.loom.server.ingest;

import dev.loom.Loom;
import dev.loom.SharedWriter;
import dev.loom.api.Pressure;
import dev.loom.api.PushStatus;
import dev.loom.api.Source;
import dev.loom.server.protocol.FrameDescriptor;
import dev.loom.server.protocol.ProtocolException;
import java.time.Duration;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;

/** Pushes batches into a store, each in one turn of the shared writer. For one thread. */
final class BatchPush {
    private static final Duration TURN_WAIT = Duration.ofSeconds(1);
    private static final long ROOM_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long PARK_NS = TimeUnit.MICROSECONDS.toNanos(200);

    private final SharedWriter writer;
    private final Loom loom;
    private final boolean drops;
    private final LongSupplier nanoTime;
    private final BatchReader reader = new BatchReader();
    private final BitSet open = new BitSet();
    private long roomDeadlineNs;
    private int taken;
    private String reason = "";

    BatchPush(SharedWriter writer) {
        this(writer, System::nanoTime);
    }

    /** With a clock of the caller's. */
    BatchPush(SharedWriter writer, LongSupplier nanoTime) {
        this.writer = writer;
        this.nanoTime = nanoTime;
        this.loom = writer.loom();
        this.drops = loom.info().session().orElseThrow().pressure() == Pressure.DROP_NEWEST;
    }

    /** Whether it pushes through this writer. */
    boolean into(SharedWriter other) {
        return writer == other;
    }

    /** How many records of the last batch are in the log, or were dropped and counted; they are its first. */
    int taken() {
        return taken;
    }

    /** Why the last batch was not taken completely. */
    String reason() {
        return reason;
    }

    /**
     * Pushes one batch.
     *
     * @return the type of the answer
     * @throws ProtocolException if the batch is malformed; then none of its records is pushed
     */
    int push(DirectBuffer batch, int offset, int length) throws ProtocolException {
        taken = 0;
        reason = "";
        reader.wrap(batch, offset, length);
        while (reader.next(loom.payloadLengthMax())) {
            if (!isOpen(reader.source)) {
                return refuse("no open source: id=" + reader.source);
            }
        }
        if (!writer.acquire(TURN_WAIT)) {
            return retry("the store is busy");
        }
        try {
            return pushGroups();
        } finally {
            writer.release();
        }
    }

    private boolean isOpen(int source) {
        if (!open.get(source)) {
            for (Source defined : loom.sources()) {
                open.set(defined.id(), !defined.closed());
            }
        }
        return open.get(source);
    }

    private int pushGroups() throws ProtocolException {
        reader.rewind();
        roomDeadlineNs = nanoTime.getAsLong() + ROOM_WAIT_NS;
        int type = FrameDescriptor.TAKEN;
        while (type == FrameDescriptor.TAKEN && reader.next(loom.payloadLengthMax())) {
            type = pushGroup();
        }
        return type;
    }

    private int pushGroup() {
        int[] lengths = reader.lengths;
        int left = reader.count;
        int at = reader.payloads;
        while (left > 0) {
            int before = taken;
            int pushed = loom.offerBatch(reader.source, reader.buffer, at, lengths, left);
            if (pushed > 0) {
                taken += pushed;
                restartWait();
            } else if (pushed == PushStatus.SOURCE_CLOSED) {
                return closed();
            } else if (nanoTime.getAsLong() - roomDeadlineNs <= 0) {
                LockSupport.parkNanos(PARK_NS);
            } else if (!drops) {
                return retry("the store's ring is full");
            } else if (!pushOrDrop(at, left)) {
                return closed();
            }
            int done = taken - before;
            left -= done;
            if (done > 0 && left > 0) {
                at += IntStream.of(lengths).limit(done).sum();
                System.arraycopy(lengths, done, lengths, 0, left);
            }
        }
        return FrameDescriptor.TAKEN;
    }

    /** While records are dropped, the wait is for each record; otherwise for the batch, so that others get their turn. */
    private void restartWait() {
        if (drops) {
            roomDeadlineNs = nanoTime.getAsLong() + ROOM_WAIT_NS;
        }
    }

    /**
     * Pushes the next records of a group up to the first that has room. The store drops, and counts, those before.
     *
     * @return whether the source is open
     */
    private boolean pushOrDrop(int from, int left) {
        int at = from;
        for (int i = 0; i < left; i++) {
            long status = loom.push(reader.source, reader.buffer, at, reader.lengths[i]);
            if (status == PushStatus.SOURCE_CLOSED) {
                return false;
            }
            at += reader.lengths[i];
            taken++;
            if (status >= 0) {
                restartWait();
                break;
            }
        }
        return true;
    }

    private int closed() {
        open.clear(reader.source);
        return refuse("source was closed: id=" + reader.source);
    }

    /** Says why the rest of the batch is to be sent again; the type of the answer. */
    int retry(String why) {
        reason = why;
        return FrameDescriptor.RETRY;
    }

    /** Says why the rest of the batch is not taken; the type of the answer. */
    int refuse(String why) {
        reason = why;
        return FrameDescriptor.REFUSED;
    }
}
