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

/** Pushes batches into a store, each in one turn of the shared writer, or in several while it waits for room. For one thread. */
final class BatchPush {
    private static final Duration TURN_WAIT = Duration.ofSeconds(1);
    /** How long a record waits for room. */
    private static final long ROOM_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(100);
    /** How long a batch does in a store that drops records, as a request of OTLP. */
    private static final long DROPPING_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(2_500);

    private static final long PARK_NS = TimeUnit.MICROSECONDS.toNanos(200);

    /** Stands for no answer yet. */
    private static final int NO_ROOM = 0;

    private final SharedWriter writer;
    private final Loom loom;
    private final boolean drops;
    private final LongSupplier nanoTime;
    private final long batchWaitMaxNs;
    private final BatchReader reader = new BatchReader();
    private final BitSet open = new BitSet();
    /** Where the payloads of the group that are left begin. */
    private int at;
    /** How many of the group are left. Their lengths are the reader's first. */
    private int left;

    private int payloadLengthMax;
    private long batchWaitedNs;
    private long recordWaitedNs;
    private int taken;
    private String reason = "";

    BatchPush(SharedWriter writer) {
        this(writer, System::nanoTime, DROPPING_WAIT_NS);
    }

    /**
     * With a clock of the caller's.
     *
     * @param droppingWaitNs how long a batch waits in a store that drops records
     */
    BatchPush(SharedWriter writer, LongSupplier nanoTime, long droppingWaitNs) {
        this.writer = writer;
        this.nanoTime = nanoTime;
        this.loom = writer.loom();
        this.drops = loom.info().session().orElseThrow().pressure() == Pressure.DROP_NEWEST;
        this.batchWaitMaxNs = drops ? droppingWaitNs : ROOM_WAIT_NS;
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
        payloadLengthMax = loom.payloadLengthMax();
        while (reader.next(payloadLengthMax)) {
            if (!isOpen(reader.source)) {
                return refuse("no open source: id=" + reader.source);
            }
        }
        reader.rewind();
        left = 0;
        batchWaitedNs = 0;
        recordWaitedNs = 0;
        int type = takeTurn();
        while (type == NO_ROOM) {
            waitForRoom();
            type = takeTurn();
        }
        return type;
    }

    private int takeTurn() throws ProtocolException {
        if (!writer.acquire(TURN_WAIT)) {
            return retry("the store is busy");
        }
        try {
            if (loom.payloadLengthMax() < payloadLengthMax) {
                return retry("the store was opened again"); // with less room, for which the batch has not been checked
            }
            return pushGroups();
        } finally {
            writer.release();
        }
    }

    /** While others have their turns. Waiting for these is not waiting for room. */
    private void waitForRoom() {
        long startNs = nanoTime.getAsLong();
        LockSupport.parkNanos(PARK_NS);
        long waitedNs = nanoTime.getAsLong() - startNs;
        batchWaitedNs += waitedNs;
        recordWaitedNs += waitedNs;
    }

    private boolean isOpen(int source) {
        if (!open.get(source)) {
            for (Source defined : loom.sources()) {
                open.set(defined.id(), !defined.closed());
            }
        }
        return open.get(source);
    }

    /** Pushes what there is room for, and drops what has waited for it too long; the type of the answer. */
    private int pushGroups() throws ProtocolException {
        while (hasMore()) {
            int pushed = loom.offerBatch(reader.source, reader.buffer, at, reader.lengths, left);
            if (pushed > 0) {
                recordWaitedNs = 0;
                taken += pushed;
                skip(pushed);
            } else if (pushed == PushStatus.SOURCE_CLOSED) {
                return closed();
            } else if (recordWaitedNs <= ROOM_WAIT_NS && batchWaitedNs <= batchWaitMaxNs) {
                return NO_ROOM;
            } else if (!drops) {
                return retry("the store's ring is full");
            } else if (!pushOrDrop()) {
                return closed();
            }
        }
        return FrameDescriptor.TAKEN;
    }

    private boolean hasMore() throws ProtocolException {
        while (left == 0 && reader.next(payloadLengthMax)) {
            at = reader.payloads;
            left = reader.count;
        }
        return left > 0;
    }

    /** Moves behind the group's next records. */
    private void skip(int records) {
        left -= records;
        if (left > 0) {
            at += IntStream.of(reader.lengths).limit(records).sum();
            System.arraycopy(reader.lengths, records, reader.lengths, 0, left);
        }
    }

    /**
     * Pushes the next records of a group up to the first that has room. The store drops, and counts, those before.
     *
     * @return whether the source is open
     */
    private boolean pushOrDrop() {
        int next = at;
        int records = 0;
        boolean stored = false;
        while (records < left && !stored) {
            int length = reader.lengths[records];
            long status = loom.push(reader.source, reader.buffer, next, length);
            if (status == PushStatus.SOURCE_CLOSED) {
                return false;
            }
            next += length;
            records++;
            taken++;
            stored = status >= 0;
        }
        if (stored) {
            recordWaitedNs = 0;
        }
        skip(records);
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
