package dev.loom.record;

import dev.loom.api.LossReason;
import dev.loom.api.Pressure;
import dev.loom.api.PushStatus;
import dev.loom.api.StoreClock;
import dev.loom.error.SecondWriterException;
import dev.loom.error.StoreIoException;
import dev.loom.index.ChunkIndexWriter;
import dev.loom.index.FunctionGuard;
import dev.loom.log.Evictor;
import dev.loom.log.HybridLog;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The writer of the record log (paper, sections 4.1 and 5.4): appends records, links them, closes chunks. For one
 * thread at a time, its owner; writing methods throw {@link dev.loom.error.SecondWriterException} on other threads.
 *
 * <p>A push reads the clock, stores payload and header, and publishes the tail by a release store. It does nothing else
 * until a page is full.
 */
public final class RecordLog implements FunctionGuard {
    /** A jumbo record begins in a page only if this many bytes of it are left. */
    private static final int FIRST_FRAGMENT_MIN = 256;

    /** The state that a push finds, in one field so that it takes one test. */
    private static final int OPEN = 0;

    private static final int CLAIMED = 1;
    private static final int CLOSED = 2;
    private static final int IN_FUNCTION = 3;

    private final HybridLog log;
    private final UnsafeBuffer ring;
    private ByteBuffer ringBytes;
    private final TimeIndexWriter index;
    private final ChunkIndexWriter bins;
    private final ChunkDirectory directory;
    private final CheckpointWriter checkpoints;
    private final LossLedger losses;
    private final WriterSources sources;
    private final StoreClock clock;
    private final Evictor evictor;
    private final PressureGauge gauge;
    private final Pressure pressure;
    private final RecordClaimSlot claim = new RecordClaimSlot(this);
    private final UnsafeBuffer wrapper = new UnsafeBuffer(new byte[0]);
    private final WriterOwnership ownership = new WriterOwnership(this::giveUpClaim);

    private long lastTimeNs;
    private long pageBaseTimeNs;
    private long chunkAddress = -1;
    private long chunkFirstTimeNs;
    private int chunkPages;
    private int gate = OPEN;
    private int gateOutside = OPEN;
    private long claimTimeNs;
    private @Nullable SourceState claimSource;

    /** The parts of a record log. */
    public record Parts(
            HybridLog log,
            HybridLog timeLog,
            HybridLog chunkLog,
            WriterSources sources,
            SourceSlots slots,
            LossSlots lossSlots,
            StoreClock clock,
            Evictor evictor,
            PressureGauge gauge,
            Pressure pressure,
            long lastTimeNs,
            long lastCheckpoint) {}

    public RecordLog(Parts parts) {
        this.log = parts.log;
        this.ring = parts.log.ring();
        this.ringBytes = parts.log.ringBytes();
        this.index = new TimeIndexWriter(parts.timeLog);
        this.bins = new ChunkIndexWriter(parts.chunkLog);
        this.directory = new ChunkDirectory(index, bins, parts.slots);
        this.checkpoints = new CheckpointWriter(index, parts.lastCheckpoint, parts.log.tail());
        this.losses = new LossLedger(parts.lossSlots);
        this.sources = parts.sources;
        this.clock = parts.clock;
        this.evictor = parts.evictor;
        this.gauge = parts.gauge;
        this.pressure = parts.pressure;
        // with times from 1970 on, the difference of any two fits a long
        this.lastTimeNs = Math.max(parts.lastTimeNs, 0);
    }

    /**
     * Prepares a session before the first push: writes missing chunk directories, and counts the losses in those
     * chunks' markers.
     *
     * @param records the log as the last session left it
     * @param covered the address up to which chunks have directories
     */
    public void resume(LogView records, long covered) {
        new DirectoryRebuilder(directory, sources)
                .rebuild(records, covered, log.tail(), chunkAddress -> awaitDirectoryRoom());
        for (SourceState source : sources.states()) {
            if (source != null) {
                losses.show(source);
            }
        }
    }

    /** Waits until the directory and the bins of the counted records can be written. */
    private void awaitDirectoryRoom() {
        if (!directory.hasRoom()) {
            gauge.awaitOrFail(directory::hasRoom, evictor);
        }
        if (!directory.binsHaveRoom()) {
            gauge.awaitOrFail(directory::binsHaveRoom, evictor);
        }
    }

    private void awaitPartRoom() {
        if (!index.hasPartRoom()) {
            gauge.awaitOrFail(index::hasPartRoom, evictor);
        }
    }

    /** The most open indexes for a timestamp index with a ring of this many bytes. */
    public static int indexesMax(int timeRingLength) {
        return TimeIndexWriter.indexesMax(timeRingLength);
    }

    /** The longest payload that {@link #push} takes: a quarter of the ring, at most 16 MiB - 1. */
    public int payloadLengthMax() {
        return Math.min(RecordDescriptor.JUMBO_LENGTH_MAX, log.ringLength() / 4);
    }

    /** The clock of arrival times. */
    public StoreClock clock() {
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
        return status < 0 ? status : append(source, nowNs(), payload, offset, length, true, true);
    }

    /** As {@link #push(int, DirectBuffer, int, int)}, with a whole array. */
    public long push(int sourceId, byte[] payload) {
        own(); // before the owner's wrapper is touched
        wrapper.wrap(payload);
        return push(sourceId, wrapper, 0, payload.length);
    }

    /** As {@link #push(int, DirectBuffer, int, int)}, with the remaining bytes of a buffer. */
    public long push(int sourceId, ByteBuffer payload) {
        own(); // before the owner's wrapper is touched
        wrapper.wrap(payload, payload.position(), payload.remaining());
        return push(sourceId, wrapper, 0, payload.remaining());
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
        status = append(source, nowNs(), payload, offset, length, false, true);
        if (status == PushStatus.BACK_PRESSURED) {
            takeTimeBack(before);
        }
        return status;
    }

    /** Restores the last time, unless a page was begun to mark losses in. */
    private void takeTimeBack(long before) {
        lastTimeNs = Math.max(before, pageBaseTimeNs);
    }

    /**
     * As {@link #push}, for a record that arrived earlier in another thread. Follows the store's policy under pressure,
     * but instead of waiting returns without any effect, not even on the time; the caller waits with {@link #pause}.
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
        status = append(source, timeNs, payload, offset, length, pressure == Pressure.DROP_NEWEST, true);
        if (status == PushStatus.BACK_PRESSURED) {
            lastTimeNs = before;
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
        if (first) {
            gauge.countWait();
        }
        gauge.pause(evictor, ns);
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
        try {
            for (int i = 0; i < count; i++) {
                if (append(source, timeNs, payloads, at, lengths[i], true, false) >= 0) {
                    taken++;
                }
                at += lengths[i];
            }
        } finally {
            log.publish();
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
        try {
            while (taken < count && status >= 0) {
                status = append(source, timeNs, payloads, at, lengths[taken], false, false);
                if (status >= 0) {
                    at += lengths[taken++];
                }
            }
        } finally {
            log.publish();
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
        own();
        if (gate != OPEN) {
            refuse();
        }
        if (source.closed()) {
            gauge.countRefused();
            return PushStatus.SOURCE_CLOSED;
        }
        return 0;
    }

    /** Makes the caller the owner; one load and one comparison if it already is. */
    private void own() {
        if (ownership.owner != Thread.currentThread()) {
            ownership.take(null);
        }
    }

    /** Continues in the ring that the log was moved to. For the writer's thread. */
    public void moved() {
        ringBytes = log.ringBytes();
    }

    /** Who may write. */
    public WriterOwnership ownership() {
        return ownership;
    }

    /**
     * Makes the calling thread the owner, and checks that another thread may take over.
     *
     * @throws IllegalStateException when the log is closed, or a claim is open
     */
    public void prepareHandOver() {
        own();
        if (gate != OPEN) {
            refuse();
        }
    }

    /** Releases the log to the next thread that writes. Idempotent. */
    public void releaseWriter() {
        if (gate == CLAIMED && ownership.isCaller()) {
            refuse();
        }
        endTurn();
    }

    /** As {@link #releaseWriter()}, but aborts a claim that is open. */
    public void endTurn() {
        refuseInFunction();
        ownership.release();
    }

    /** Makes the calling thread the owner, to close the log. */
    public void takeToClose() {
        refuseInFunction();
        ownership.takeToClose();
    }

    private void refuseInFunction() {
        if (gate == IN_FUNCTION && ownership.isCaller()) {
            refuse();
        }
    }

    /** Until {@link #leave()}, refuses writes by code that runs within a push. */
    @Override
    public void enter() {
        gateOutside = gate;
        gate = IN_FUNCTION;
    }

    @Override
    public void leave() {
        gate = gateOutside;
    }

    private void refuse() {
        if (gate == IN_FUNCTION) {
            throw new SecondWriterException("an index function can't write to the store that calls it");
        }
        throw new IllegalStateException(
                gate == CLOSED
                        ? "store is closed"
                        : "a claim is neither committed nor aborted: source=" + claimedSourceId());
    }

    private int claimedSourceId() {
        return claimSource == null ? 0 : claimSource.id;
    }

    private long nowNs() {
        long timeNs = Math.max(clock.epochNs(), lastTimeNs);
        lastTimeNs = timeNs;
        return timeNs;
    }

    private long append(
            SourceState source,
            long timeNs,
            DirectBuffer payload,
            int offset,
            int length,
            boolean wait,
            boolean publish) {
        if (!fits(length, timeNs)) {
            return appendInNextPage(source, timeNs, payload, offset, length, wait, publish);
        }
        int at = log.offset();
        copy(payload, offset, length, at + RecordDescriptor.HEADER_LENGTH);
        long address = link(source, at, RecordDescriptor.WHOLE, length, length, timeNs);
        log.advance(RecordDescriptor.alignedLength(length));
        if (publish) {
            log.publish();
        }
        if (source.indexed) {
            source.summary.addInPlace(ring, at + RecordDescriptor.HEADER_LENGTH, length);
        }
        return address;
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
            return appendJumbo(source, timeNs, payload, offset, length, wait);
        }
        long status = makeRoom(source, length, timeNs, wait);
        return status < 0 ? status : append(source, timeNs, payload, offset, length, wait, publish);
    }

    /** Bounds are checked already. A single word is copied faster here than by the JVM's stub. */
    private void copy(DirectBuffer payload, int offset, int length, int at) {
        if (length == Long.BYTES) {
            ring.putLong(at, payload.getLong(offset));
        } else {
            ring.putBytes(at, payload, offset, length);
        }
    }

    /** Pages and records are aligned, so a payload that fits also fits with its padding. */
    private boolean fits(int length, long timeNs) {
        return length >= 0
                && log.remaining() - RecordDescriptor.HEADER_LENGTH >= length
                && timeNs - pageBaseTimeNs <= RecordDescriptor.TIME_DELTA_MAX;
    }

    /** Begins chunks until a payload fits, since loss markers may take half of one. Returns 0 or a status. */
    private long makeRoom(SourceState source, int length, long timeNs, boolean wait) {
        long status = 0;
        while (status == 0 && !fits(length, timeNs)) {
            status = nextChunk(source, timeNs, 1, wait);
        }
        return status;
    }

    private void checkLength(int length) {
        if (length < 0 || length > payloadLengthMax()) {
            throw new IllegalArgumentException(
                    "payload length out of range: bytes=" + length + ", max=" + payloadLengthMax());
        }
    }

    /** Stores the header of a record at the tail, and links it into its source's chain. */
    private long link(SourceState source, int at, int type, int length, int payloadLength, long timeNs) {
        long address = log.tail();
        long back = 0;
        if (source.chunkAddress == chunkAddress) {
            back = (address - source.lastAddress) >>> RecordDescriptor.ALIGNMENT_SHIFT;
        } else {
            directory.add(source, chunkAddress, timeNs);
        }
        ringBytes.putLong(at + RecordDescriptor.WORD0_OFFSET, RecordDescriptor.word0(length, type, back));
        ringBytes.putLong(
                at + RecordDescriptor.WORD1_OFFSET, RecordDescriptor.word1(source.id, timeNs - pageBaseTimeNs));
        source.lastAddress = address;
        source.lastTimeNs = timeNs;
        source.chunkRecords++;
        source.chunkBytes += payloadLength;
        return address;
    }

    /**
     * Closes the open chunk, and begins the next. Returns 0, or a status, in which case nothing has changed. Without a
     * source, as while sealing, a failing disk ends the wait with an exception.
     */
    private long nextChunk(@Nullable SourceState source, long timeNs, int pages, boolean wait) {
        evictor.checkAlive();
        if (!roomFor(pages)) {
            if (!wait) {
                return PushStatus.BACK_PRESSURED;
            }
            if (pressure == Pressure.DROP_NEWEST && source != null) {
                losses.add(source, LossReason.STORE_FULL, 1, timeNs, timeNs);
                return PushStatus.DROPPED;
            }
            BooleanSupplier room = () -> roomFor(pages);
            if (source == null) {
                gauge.awaitOrFail(room, evictor);
            } else {
                gauge.await(room, evictor);
            }
        }
        closeChunk();
        beginPage(timeNs, false);
        chunkAddress = log.pageAddress();
        chunkFirstTimeNs = timeNs;
        chunkPages = 1;
        if (losses.unmarked()) {
            markLosses(timeNs);
        }
        return 0;
    }

    /** Whether these pages can begin, and the open chunk's directory can be written, without waiting. */
    private boolean roomFor(int pages) {
        return log.hasRoom(pages) && directory.hasRoom() && directory.binsHaveRoom();
    }

    private void beginPage(long timeNs, boolean continues) {
        log.beginPage(timeNs, log.tail(), continues);
        pageBaseTimeNs = timeNs;
    }

    private void closeChunk() {
        if (!log.pageOpen()) {
            return;
        }
        log.sealPage(lastRecordTimeNs());
        log.publish();
        directory.write(chunkAddress, chunkPages, chunkFirstTimeNs, lastRecordTimeNs());
        log.publishSealed();
        evictor.onSealed();
        if (checkpoints.due(log.tail()) && index.hasRoom(TimeEntryDescriptor.checkpointLengthMax(sources.count()))) {
            writeCheckpoint();
        }
    }

    private void writeCheckpoint() {
        checkpoints.write(sources.states(), log.tail(), lastTimeNs, this::awaitPartRoom);
    }

    private long lastRecordTimeNs() {
        return Math.max(directory.lastTimeNs(), pageBaseTimeNs);
    }

    private long appendJumbo(
            SourceState source, long timeNs, DirectBuffer payload, int offset, int length, boolean wait) {
        long status = makeJumboRoom(source, length, timeNs, wait);
        if (status < 0) {
            return status;
        }
        int at = log.offset();
        int fragment = log.remaining() - RecordDescriptor.HEADER_LENGTH;
        int copied = fragment - RecordDescriptor.TOTAL_LENGTH;
        ring.putLong(at + RecordDescriptor.HEADER_LENGTH, length);
        ring.putBytes(at + RecordDescriptor.HEADER_LENGTH + RecordDescriptor.TOTAL_LENGTH, payload, offset, copied);
        long address = link(source, at, RecordDescriptor.FIRST, fragment, length, timeNs);
        log.advance(log.remaining());
        while (copied < length) {
            log.sealPage(timeNs);
            beginPage(timeNs, true);
            chunkPages++;
            copied += appendFragment(source, payload, offset + copied, length - copied);
        }
        log.publish();
        if (source.indexed) {
            source.summary.add(payload, offset, length, address);
        }
        log.publishSealed();
        evictor.onSealed();
        return address;
    }

    /** Returns 0, with the first fragment's page open and room for the others, or a status. */
    private long makeJumboRoom(SourceState source, int length, long timeNs, boolean wait) {
        long status = 0;
        boolean ready = false;
        while (!ready && status == 0) {
            boolean here = log.pageOpen() && chunkPages == 1 && fits(FIRST_FRAGMENT_MIN, timeNs);
            int pages = pagesFor(length, here ? log.remaining() : 0);
            if (!here) {
                status = nextChunk(source, timeNs, pages, wait);
            } else if (log.hasRoom(pages)) {
                ready = true;
            } else {
                status = awaitPages(source, timeNs, pages, wait);
            }
        }
        return status;
    }

    private int appendFragment(SourceState source, DirectBuffer payload, int offset, int rest) {
        int at = log.offset();
        int fragment = Math.min(rest, RecordDescriptor.PAYLOAD_LENGTH_MAX);
        int type = fragment == rest ? RecordDescriptor.LAST : RecordDescriptor.MIDDLE;
        ring.putBytes(at + RecordDescriptor.HEADER_LENGTH, payload, offset, fragment);
        ring.putLong(at + RecordDescriptor.WORD0_OFFSET, RecordDescriptor.word0(fragment, type, 0));
        ring.putLong(at + RecordDescriptor.WORD1_OFFSET, RecordDescriptor.word1(source.id, 0));
        log.advance(RecordDescriptor.alignedLength(fragment));
        return fragment;
    }

    /** The pages to begin for a jumbo payload whose first fragment has {@code room} bytes; 0 for a whole page. */
    private static int pagesFor(int length, int room) {
        int pages = room == 0 ? 1 : 0;
        int first = room == 0 ? PageDescriptor.PAGE_LENGTH - PageDescriptor.HEADER_LENGTH : room;
        int rest = length - (first - RecordDescriptor.HEADER_LENGTH - RecordDescriptor.TOTAL_LENGTH);
        return pages + (rest + RecordDescriptor.PAYLOAD_LENGTH_MAX - 1) / RecordDescriptor.PAYLOAD_LENGTH_MAX;
    }

    private long awaitPages(SourceState source, long timeNs, int pages, boolean wait) {
        if (!wait) {
            return PushStatus.BACK_PRESSURED;
        }
        if (pressure == Pressure.DROP_NEWEST) {
            losses.add(source, LossReason.STORE_FULL, 1, timeNs, timeNs);
            return PushStatus.DROPPED;
        }
        gauge.await(() -> log.hasRoom(pages), evictor);
        return 0;
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
        claimTimeNs = nowNs();
        status = makeRoom(source, length, claimTimeNs, wait);
        if (status < 0) {
            takeTimeBack(before);
            return status;
        }
        gate = CLAIMED;
        claimSource = source;
        claim.wrap(ring, log.offset() + RecordDescriptor.HEADER_LENGTH, length);
        return log.tail();
    }

    /** The view of the last claim. */
    public RecordClaimSlot claimed() {
        return claim;
    }

    long commitClaim(int length) {
        SourceState source = endClaim();
        int at = log.offset();
        long address = link(source, at, RecordDescriptor.WHOLE, length, length, claimTimeNs);
        log.advance(RecordDescriptor.alignedLength(length));
        log.publish();
        if (source.indexed) {
            source.summary.addInPlace(ring, at + RecordDescriptor.HEADER_LENGTH, length);
        }
        return address;
    }

    void abortClaim() {
        endClaim();
    }

    private SourceState endClaim() {
        own();
        SourceState source = claimSource;
        if (gate != CLAIMED || source == null) {
            throw new IllegalStateException("no claim is open");
        }
        giveUpClaim();
        return source;
    }

    private void giveUpClaim() {
        if (gate == CLAIMED) {
            gate = OPEN;
            claimSource = null;
            claim.unwrap();
        }
    }

    /**
     * Checks a source's id.
     *
     * @throws IllegalArgumentException for a source that was never defined
     */
    public void checkDefined(int sourceId) {
        sources.get(sourceId);
    }

    /** Appends one of Loom's own records; waits for room. */
    public void pushOwn(int kind, int source, int reason, long a, long b, long c) {
        // not the ledger's buffer, which a new chunk's markers may use meanwhile
        UnsafeBuffer own = new UnsafeBuffer(new byte[OwnRecord.LENGTH]);
        OwnRecord.put(own, kind, source, reason, a, b, c);
        append(sources.own(), nowNs(), own, 0, OwnRecord.LENGTH, true, true);
    }

    /** Marks losses in the chunk just begun, in at most half of it. */
    private void markLosses(long timeNs) {
        UnsafeBuffer own = losses.buffer();
        losses.beginMarking();
        try {
            while (log.remaining() > PageDescriptor.PAGE_LENGTH / 2 && losses.nextMark(timeNs, log.tail())) {
                append(sources.own(), timeNs, own, 0, OwnRecord.LENGTH, true, true);
                losses.marked();
            }
        } finally {
            losses.endMarking();
        }
    }

    /**
     * Ends the open chunk and page of both logs, which hands everything to the evictor. Waits for room.
     *
     * @throws StoreIoException when there is no room and the disk fails; what is published stays published
     */
    public void seal() {
        own();
        if (gate != OPEN) {
            refuse();
        }
        while (losses.unmarked()) {
            lastTimeNs = Math.max(lastTimeNs, losses.lastNs());
            nextChunk(null, lastTimeNs, 1, true);
        }
        awaitDirectoryRoom();
        closeChunk();
        bins.seal();
        index.seal();
    }

    /** Refuses further records; an open claim can no longer be filled or committed. */
    public void close() {
        gate = CLOSED;
        claim.unwrap();
        ownership.close();
    }

    /** As {@link #seal()}, with a checkpoint at the end. */
    public void sealWithCheckpoint() {
        seal();
        writeCheckpoint();
        index.seal();
    }
}
