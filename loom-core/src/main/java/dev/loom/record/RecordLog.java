package dev.loom.record;

import dev.loom.api.LossReason;
import dev.loom.api.Pressure;
import dev.loom.api.ProgressHandler;
import dev.loom.api.PushStatus;
import dev.loom.error.StoreIoException;
import dev.loom.format.StructCodec;
import dev.loom.index.ChunkIndexWriter;
import dev.loom.log.Evictor;
import dev.loom.log.HybridLog;
import dev.loom.log.LogView;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The writer of the record log (paper, sections 4.1 and 5.4): appends records, links them, closes chunks. For one
 * thread at a time, its owner; writing methods throw {@link dev.loom.error.SecondWriterException} on other threads.
 *
 * <p>A push reads the clock, stores payload and header, and publishes the tail by a release store. It does nothing else
 * until a page is full.
 */
public final class RecordLog {
    private final WriterSources sources;
    private final LongSupplier clock;
    private final LossLedger losses;
    private final Backpressure pressure;
    private final CheckpointWriter checkpoints;
    private final ChunkWriter chunk;
    private final JumboWriter jumbos;
    private final WriterOwnership ownership = new WriterOwnership(this::clearClaim);
    private final RecordClaimSlot claim;
    private final UnsafeBuffer wrapper = new UnsafeBuffer(new byte[0]);
    private final ExpandableArrayBuffer scratch = new ExpandableArrayBuffer();
    private final int payloadLengthMax;
    private long lastTimeNs;

    /** The parts of a record log. */
    public record Parts(
            HybridLog log,
            HybridLog timeLog,
            HybridLog chunkLog,
            WriterSources sources,
            SourceSlots slots,
            LossSlots lossSlots,
            LossCounts lossCounts,
            LongSupplier clock,
            Evictor evictor,
            PressureGauge gauge,
            Pressure pressure,
            long segmentLength,
            long lastTimeNs,
            long lastCheckpoint) {}

    public RecordLog(Parts parts) {
        TimeIndexWriter index = new TimeIndexWriter(parts.timeLog);
        ChunkDirectory directory = new ChunkDirectory(index, new ChunkIndexWriter(parts.chunkLog), parts.slots);
        this.sources = parts.sources;
        this.clock = parts.clock;
        this.losses = new LossLedger(parts.lossSlots, parts.lossCounts);
        this.pressure = new Backpressure(parts.gauge, parts.evictor, parts.pressure, losses);
        this.checkpoints = new CheckpointWriter(index, parts.segmentLength, parts.lastCheckpoint, parts.log.tail());
        this.chunk = new ChunkWriter(parts.log, sources, directory, checkpoints, losses, pressure, parts.evictor);
        this.jumbos = new JumboWriter(parts.log, chunk, pressure);
        this.claim = new RecordClaimSlot(chunk, ownership);
        this.payloadLengthMax = Math.min(RecordDescriptor.JUMBO_LENGTH_MAX, parts.log.ringLength() / 4);
        // with times from 1970 on, the difference of any two fits a long
        this.lastTimeNs = Math.max(parts.lastTimeNs, 0);
    }

    private void clearClaim() {
        claim.clear();
    }

    /**
     * Prepares a session before the first push: writes missing chunk directories, and counts the losses in those
     * chunks' markers.
     *
     * @param records the log as the last session left it
     * @param covered the address up to which chunks have directories
     * @param progress of the directories that are missing
     * @throws java.util.concurrent.CancellationException when that ended it
     */
    public void resume(LogView records, long covered, ProgressHandler progress) {
        chunk.rebuildDirectories(records, covered, lastTimeNs, progress);
        for (SourceState source : sources.states()) {
            if (source != null) {
                losses.show(source);
            }
        }
    }

    /** The most open indexes for a timestamp index with a ring of this many bytes. */
    public static int indexesMax(int timeRingLength) {
        return TimeIndexWriter.indexesMax(timeRingLength);
    }

    /** The most sources, closed ones and source 0 among them, for a timestamp index with a ring of this many bytes. */
    public static int sourcesMax(int timeRingLength) {
        return TimeIndexWriter.sourcesMax(timeRingLength);
    }

    /** The longest payload that {@link #push} takes: a quarter of the ring, at most 16 MiB - 1. */
    public int payloadLengthMax() {
        return payloadLengthMax;
    }

    /** The clock of arrival times. */
    public LongSupplier clock() {
        return clock;
    }

    /** The time of the last record. */
    public long lastTimeNs() {
        return lastTimeNs;
    }

    /** The address in the timestamp index of the last checkpoint, or -1. */
    public long lastCheckpoint() {
        return checkpoints.last();
    }

    /**
     * Appends a record, following the store's policy under pressure.
     *
     * @return its address, or a {@link PushStatus}
     */
    public long push(int sourceId, DirectBuffer payload, int offset, int length) {
        payload.boundsCheck(offset, length);
        SourceState source = sources.get(sourceId);
        long status = admit(source);
        return status < 0 ? status : append(chunk, source, nowNs(), payload, offset, length, true, true);
    }

    /** As {@link #push(int, DirectBuffer, int, int)}, with a whole array. */
    public long push(int sourceId, byte[] payload) {
        ownership.admit(); // before the owner's wrapper is touched, which a push may be reading that calls a function
        wrapper.wrap(payload);
        return push(sourceId, wrapper, 0, payload.length);
    }

    /** As {@link #push(int, DirectBuffer, int, int)}, with the remaining bytes of a buffer. */
    public long push(int sourceId, ByteBuffer payload) {
        ownership.admit(); // as above
        wrapper.wrap(payload, payload.position(), payload.remaining());
        return push(sourceId, wrapper, 0, payload.remaining());
    }

    /** As {@link #push(int, DirectBuffer, int, int)}, with a Java record. */
    public <R extends Record> long push(int sourceId, StructCodec<R> codec, R payload) {
        ownership.admit(); // before the owner's scratch is touched
        int length;
        // a record class's accessors are the program's code; by stores alone, as the stack may overflow in a call, and
        // this must be left
        ownership.gate = WriterOwnership.IN_FUNCTION;
        try {
            length = codec.write(payload, scratch, 0, payloadLengthMax);
        } finally {
            ownership.gate = WriterOwnership.OPEN;
        }
        return push(sourceId, scratch, 0, length);
    }

    /** As {@link #push}, but returns at once if there is no room, without any effect, not even on the time. */
    public long offer(int sourceId, DirectBuffer payload, int offset, int length) {
        payload.boundsCheck(offset, length);
        SourceState source = sources.get(sourceId);
        long status = admit(source);
        if (status < 0) {
            return status;
        }
        long before = lastTimeNs;
        status = append(chunk, source, nowNs(), payload, offset, length, false, true);
        if (status == PushStatus.BACK_PRESSURED) {
            takeTimeBack(before);
        }
        return status;
    }

    /** Restores the last time, unless a page was begun to mark losses in. */
    private void takeTimeBack(long before) {
        lastTimeNs = Math.max(before, chunk.pageBaseTimeNs());
    }

    /**
     * As {@link #push}, for a record that arrived earlier in another thread. Follows the store's policy under pressure,
     * but instead of waiting returns without any effect but that of a page that was begun; the caller waits with {@link #pause}.
     *
     * @param arrivedNs the arrival time; raised to the last record's time if that is later
     */
    public long pushArrived(int sourceId, long arrivedNs, DirectBuffer payload, int offset, int length) {
        payload.boundsCheck(offset, length);
        SourceState source = sources.get(sourceId);
        long status = admit(source);
        if (status < 0) {
            return status;
        }
        long before = lastTimeNs;
        long timeNs = Math.max(arrivedNs, before);
        lastTimeNs = timeNs;
        status = append(chunk, source, timeNs, payload, offset, length, pressure.drops(), true);
        if (status == PushStatus.BACK_PRESSURED) {
            takeTimeBack(before);
        }
        return status;
    }

    /**
     * Sleeps for about the time that the evictor needs to make room.
     *
     * @param first whether this is the first pause for a record, since all of them count as one wait
     * @throws StoreIoException when the evictor has ended
     */
    public void pause(long ns, boolean first) {
        pressure.pause(ns, first);
    }

    /**
     * Notes records between two times that were lost before they reached the log, which marks them in a chunk of later
     * time.
     */
    public void noteLoss(int sourceId, LossReason reason, long records, long firstNs, long lastNs) {
        losses.add(sources.get(sourceId), reason, records, firstNs, lastNs);
    }

    /**
     * Appends records with one reading of the clock.
     *
     * @return the number taken
     */
    public int pushBatch(int sourceId, DirectBuffer payloads, int offset, int[] lengths, int count) {
        SourceState source = sources.get(sourceId);
        checkBatch(payloads, offset, lengths, count);
        if (admit(source) < 0) {
            return 0;
        }
        long timeNs = nowNs();
        int taken = 0;
        int at = offset;
        ChunkWriter open = chunk; // a field would be read again for each record
        try {
            for (int i = 0; i < count; i++) {
                if (append(open, source, timeNs, payloads, at, lengths[i], true, false) >= 0) {
                    taken++;
                }
                at += lengths[i];
            }
        } finally {
            chunk.publish();
        }
        return taken;
    }

    /**
     * As {@link #pushBatch}, but stops at the first record that has no room.
     *
     * @return the number taken, or a {@link PushStatus} if none was
     */
    public int offerBatch(int sourceId, DirectBuffer payloads, int offset, int[] lengths, int count) {
        SourceState source = sources.get(sourceId);
        checkBatch(payloads, offset, lengths, count);
        long status = admit(source);
        if (status < 0) {
            return (int) status;
        }
        long before = lastTimeNs;
        long timeNs = nowNs();
        int taken = 0;
        int at = offset;
        ChunkWriter open = chunk;
        try {
            while (taken < count && status >= 0) {
                status = append(open, source, timeNs, payloads, at, lengths[taken], false, false);
                if (status >= 0) {
                    at += lengths[taken++];
                }
            }
        } finally {
            chunk.publish();
        }
        if (taken > 0 || status >= 0) {
            return taken;
        }
        takeTimeBack(before);
        return (int) status;
    }

    private void checkBatch(DirectBuffer payloads, int offset, int[] lengths, int count) {
        if (count < 0 || count > lengths.length) {
            throw new IllegalArgumentException(
                    "batch count out of range: count=" + count + ", lengths=" + lengths.length);
        }
        long total = 0;
        for (int i = 0; i < count; i++) {
            checkLength(lengths[i]);
            total += lengths[i];
        }
        if (total > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("batch too long: bytes=" + total + ", max=" + Integer.MAX_VALUE);
        }
        payloads.boundsCheck(offset, (int) total);
    }

    private long admit(SourceState source) {
        ownership.admit();
        if (source.closed()) {
            pressure.countRefused();
            return PushStatus.SOURCE_CLOSED;
        }
        return 0;
    }

    /** Who may write. */
    public WriterOwnership ownership() {
        return ownership;
    }

    /** Continues in the ring that the log was moved to. For the writer's thread. */
    public void moved() {
        chunk.moved();
        claim.moved();
    }

    private long nowNs() {
        long timeNs = Math.max(clock.getAsLong(), lastTimeNs);
        lastTimeNs = timeNs;
        return timeNs;
    }

    private long append(
            ChunkWriter open,
            SourceState source,
            long timeNs,
            DirectBuffer payload,
            int offset,
            int length,
            boolean wait,
            boolean publish) {
        return open.fits(length, timeNs)
                ? open.append(source, timeNs, payload, offset, length, publish)
                : appendInNextPage(source, timeNs, payload, offset, length, wait, publish);
    }

    private long appendInNextPage(
            SourceState source,
            long timeNs,
            DirectBuffer payload,
            int offset,
            int length,
            boolean wait,
            boolean publish) {
        checkLength(length);
        if (length > RecordDescriptor.PAYLOAD_LENGTH_MAX) {
            return jumbos.append(source, timeNs, payload, offset, length, wait);
        }
        long status = chunk.makeRoom(source, length, timeNs, wait);
        return status < 0 ? status : chunk.append(source, timeNs, payload, offset, length, publish);
    }

    private void checkLength(int length) {
        if (length < 0 || length > payloadLengthMax()) {
            throw new IllegalArgumentException(
                    "payload length out of range: bytes=" + length + ", max=" + payloadLengthMax());
        }
    }

    /**
     * Claims room for one payload of at most a page, and takes its arrival time.
     *
     * @param wait whether to wait, as {@link #push} does
     * @return its address, or a status; a claim that was back-pressured has had no effect
     */
    public long claim(int sourceId, int length, boolean wait) {
        if (length < 0 || length > RecordDescriptor.PAYLOAD_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "claim length out of range: bytes=" + length + ", max=" + RecordDescriptor.PAYLOAD_LENGTH_MAX);
        }
        SourceState source = sources.get(sourceId);
        long status = admit(source);
        if (status < 0) {
            return status;
        }
        long before = lastTimeNs;
        long timeNs = nowNs();
        status = chunk.makeRoom(source, length, timeNs, wait);
        if (status < 0) {
            takeTimeBack(before);
            return status;
        }
        claim.open(source, timeNs, length);
        return chunk.tail();
    }

    /** The view of the last claim. */
    public RecordClaimSlot claimed() {
        return claim;
    }

    /**
     * Appends one of Loom's own records; waits for room. Its time is that of the record before, so that a store that is opened and closed
     * still takes what is later than its records.
     */
    public void pushOwn(int kind, int source, int reason, long a, long b, long c) {
        // not the ledger's buffer, which a new chunk's markers may use meanwhile
        UnsafeBuffer own = new UnsafeBuffer(new byte[OwnRecord.LENGTH]);
        OwnRecord.put(own, kind, source, reason, a, b, c);
        long timeNs = lastTimeNs > 0 ? lastTimeNs : nowNs();
        append(chunk, sources.own(), timeNs, own, 0, OwnRecord.LENGTH, true, true);
    }

    /**
     * Ends the open chunk and page of both logs, which hands everything to the evictor. Waits for room.
     *
     * @throws StoreIoException when there is no room and the disk fails; what is published stays published
     */
    public void seal() {
        ownership.admit();
        while (losses.unmarked()) {
            lastTimeNs = Math.max(lastTimeNs, losses.lastNs());
            chunk.next(null, lastTimeNs, 1, true);
        }
        chunk.seal(lastTimeNs);
    }

    /** Refuses further records; an open claim can no longer be filled or committed. */
    public void close() {
        ownership.close();
    }

    /** As {@link #seal()}, with a checkpoint at the end. */
    public void sealWithCheckpoint() {
        seal();
        chunk.sealCheckpoint(lastTimeNs);
    }
}
