package dev.loom.otlp.ingest;

import dev.loom.SharedWriter;
import dev.loom.api.Pressure;
import dev.loom.api.PushStatus;
import dev.loom.otlp.Signal;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.agrona.DirectBuffer;

/**
 * Writes the records of one request at a time: in one turn as the store's writer, or in several if the request is long or
 * the store is under pressure. Reused; for one thread.
 */
final class RequestWriter {
    /** Bytes of records, and copied for contexts, after which others get their turn. */
    private static final int TURN_BYTES = 1 << 20;
    /** How long to wait for the evictor to make room, in ns. */
    private static final long PRESSED_PARK_NS = 200_000;
    /** How long a record waits for room in a store that drops records, in ns. */
    private static final long DROP_AFTER_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Stands for no resource. */
    private static final long NOT_ROUTED = -1;

    /** What a request may have written of contexts for each of its bytes, if that is more than any request may. */
    private static final int CONTEXT_BYTES_PER_BYTE = 4;

    private enum Turn {
        DONE,
        TO_GO_ON,
        PRESSED
    }

    private final SharedWriter writer;
    private final TurnState turn;
    private final LongSupplier nanoTime;
    private final BooleanSupplier closing;
    private final RequestCheck check = new RequestCheck();
    private final IdCheck ids = new IdCheck();
    private final Rejections rejections = new Rejections();
    private final ContextBytes context;
    private final ExportCursor cursor;
    private final long contextBytesMax;
    private final boolean drops;

    private Signal signal = Signal.LOGS;
    private DirectBuffer buffer;
    private boolean pending;
    /** That of this turn, as the store's ring may be another after its indexes were rebuilt. */
    private int recordLengthMax;

    private long resource;
    private int sourceId;
    private boolean overflowing;
    private long contextBytesLeft;
    private long accepted;
    private long overflowed;

    /** @param closing whether no request may wait any more */
    RequestWriter(
            SharedWriter writer,
            TurnState turn,
            int contextLengthMax,
            long contextBytesMax,
            LongSupplier nanoTime,
            BooleanSupplier closing) {
        this.writer = writer;
        this.closing = closing;
        this.turn = turn;
        this.nanoTime = nanoTime;
        this.contextBytesMax = contextBytesMax;
        context = new ContextBytes(contextLengthMax);
        cursor = new ExportCursor(context);
        buffer = context.buffer();
        drops = writer.loom().info().session().orElseThrow().pressure() == Pressure.DROP_NEWEST;
    }

    /** Checks that the request is well-formed; writes nothing yet. */
    boolean check(Signal newSignal, DirectBuffer newBuffer, int offset, int length) {
        signal = newSignal;
        buffer = newBuffer;
        accepted = 0;
        overflowed = 0;
        contextBytesLeft = Math.max(contextBytesMax, (long) CONTEXT_BYTES_PER_BYTE * length);
        rejections.reset();
        if (!check.accepts(newSignal, newBuffer, offset, length)) {
            return false;
        }
        context.text().begin(newSignal, check.invalidText());
        cursor.wrap(newSignal, newBuffer, offset, length);
        resource = NOT_ROUTED;
        pending = cursor.next();
        return true;
    }

    /** What is wrong with a request that is not well-formed. */
    String complaint() {
        return check.complaint();
    }

    /**
     * Writes the rest of the request. A store that drops records gets half of the time to make room, then no record waits for it.
     *
     * @param deadlineNs by the clock that was given
     * @return whether everything is written or dropped
     */
    boolean write(long deadlineNs) {
        Turn last = pending ? Turn.TO_GO_ON : Turn.DONE;
        long startNs = nanoTime.getAsLong();
        long dropFromNs = startNs + DROP_AFTER_NS;
        long roomLeftNs = (deadlineNs - startNs) / 2;
        long turnNs = startNs;
        while (last != Turn.DONE) {
            long nowNs = nanoTime.getAsLong();
            if (last == Turn.PRESSED) {
                roomLeftNs -= nowNs - turnNs;
            }
            if (deadlineNs - nowNs <= 0 || closing.getAsBoolean()) {
                return false;
            }
            turnNs = nowNs;
            if (!writer.acquire(Duration.ZERO)) {
                if (!writer.acquire(Duration.ofNanos(deadlineNs - nowNs))) {
                    return false;
                }
                turnNs = nanoTime.getAsLong();
                dropFromNs += turnNs - nowNs; // waiting for others is not waiting for room
            }
            long acceptedBefore = accepted;
            try {
                last = takeTurn(drops && turnNs - dropFromNs > 0, drops && roomLeftNs <= 0);
            } finally {
                writer.release();
            }
            if (accepted > acceptedBefore) {
                dropFromNs = nanoTime.getAsLong() + DROP_AFTER_NS;
            }
            if (last == Turn.PRESSED) {
                LockSupport.parkNanos(PRESSED_PARK_NS);
            }
        }
        return true;
    }

    /**
     * @param waited whether the record at the cursor has waited for room as long as it may
     * @param late whether the request has
     */
    private Turn takeTurn(boolean waited, boolean late) {
        boolean dropping = waited || late;
        int bytes = 0;
        long copiedBefore = context.copiedBytes();
        recordLengthMax = writer.loom().payloadLengthMax() - OtlpRecordDescriptor.MESSAGE_OFFSET;
        while (pending) {
            if (bytes + context.copiedBytes() - copiedBefore > TURN_BYTES) {
                return Turn.TO_GO_ON;
            }
            long acceptedBefore = accepted;
            long status = append();
            dropping &= late || accepted == acceptedBefore;
            if (status == PushStatus.SOURCE_CLOSED) {
                return Turn.PRESSED; // to be routed again
            }
            if (status == PushStatus.BACK_PRESSURED) {
                if (!dropping) {
                    return Turn.PRESSED;
                }
                turn.appender().drop(sourceId);
                reject(RejectReason.STORE_FULL);
            }
            bytes += cursor.length() + OtlpRecordDescriptor.MESSAGE_OFFSET;
            pending = cursor.next();
        }
        return Turn.DONE;
    }

    /** Appends or rejects the record at the cursor. Returns {@link PushStatus#BACK_PRESSURED} or SOURCE_CLOSED if it did neither. */
    private long append() {
        int offset = cursor.offset();
        int length = cursor.length();
        if (check.invalidSpans() && !ids.valid(buffer, offset, length)) {
            return reject(RejectReason.INVALID_IDS);
        }
        if (length > recordLengthMax) {
            return reject(RejectReason.RECORD_TOO_LONG);
        }
        if (check.invalidText() && !context.text().accepts(context.pointsTag(), buffer, offset, length)) {
            return reject(RejectReason.INVALID_TEXT);
        }
        context.complete();
        if (context.tooLong()) {
            return reject(RejectReason.CONTEXT_TOO_LONG);
        }
        if (resource != cursor.resources()) {
            resource = cursor.resources();
            SourceRoutes route = Objects.requireNonNull(turn.routes().get(signal));
            sourceId = route.route(context);
            overflowing = route.overflowed();
        }
        long writtenBefore = turn.contexts().writtenBytes();
        long status =
                turn.appender().append(sourceId, buffer, offset, length, context, contextBytesLeft, !check.repeats());
        contextBytesLeft -= turn.contexts().writtenBytes() - writtenBefore;
        if (status >= 0) {
            accepted++;
            overflowed += overflowing ? 1 : 0;
        } else if (status == PushStatus.SOURCE_CLOSED) {
            turn.reopenSources(signal);
            resource = NOT_ROUTED;
        } else if (status == RecordAppender.UNFIT) {
            reject(RejectReason.RECORD_TOO_LONG);
        } else if (status == RecordAppender.CONTEXT_REFUSED) {
            reject(RejectReason.CONTEXTS_TOO_LONG);
        }
        return status;
    }

    private long reject(RejectReason reason) {
        rejections.add(reason);
        return 0;
    }

    /** Whether there are fields that are ignored, as they have a meaning only in profiles. */
    boolean profilesFields() {
        return check.profilesFields();
    }

    /** The number of records written. */
    long accepted() {
        return accepted;
    }

    /** How many of the accepted records went to the signal's source because they got none of their own. */
    long overflowed() {
        return overflowed;
    }

    Rejections rejections() {
        return rejections;
    }
}
