package dev.loom;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.LossReason;
import dev.loom.api.ProgressHandler;
import dev.loom.api.PushStatus;
import dev.loom.api.RecordClaim;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.api.StoreInfo;
import dev.loom.error.LoomException;
import dev.loom.error.SecondWriterException;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreLockedException;
import dev.loom.format.PayloadFormat;
import dev.loom.format.StructCodec;
import dev.loom.record.RecordDescriptor;
import dev.loom.record.RecordLog;
import dev.loom.store.SessionSchema;
import dev.loom.store.Settings;
import dev.loom.store.StoreOpening;
import dev.loom.store.StoreSession;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.agrona.DirectBuffer;

/**
 * The single writer of a store (paper, section 5.1 and Figure 9).
 *
 * <p>Threads: {@code push}, {@code offer}, {@code claim}, their variants and {@code force} belong to one thread at a
 * time, the writer. The first thread that calls one of them becomes the writer, until it calls {@link #releaseWriter()}
 * or ends. Meanwhile such a call from another thread throws {@link SecondWriterException}, and so does {@link
 * #close()}. Any thread may change the schema, take snapshots, and call {@link #info()}.
 *
 * <p>Once the call that pushed a record has returned, every reader in this process or another sees the record, and it
 * survives the death of the process; so there is no call for the paper's {@code sync}, which makes pushed records
 * visible. It survives a power cut once {@link #force()} has returned, or after {@link
 * LoomConfig.Builder#durabilityInterval}, by default a second, if the disk keeps up.
 */
public final class Loom implements Store {
    private static final long LOSS_AHEAD_MAX_NS = TimeUnit.DAYS.toNanos(1);

    /**
     * Write-locked to replace the session by the next one; read-locked by calls that need it to stay open meanwhile.
     */
    private final ReentrantReadWriteLock sessions = new ReentrantReadWriteLock();

    private final SourceCodecs codecs =
            new SourceCodecs(id -> session().schema().current().source(id));

    private volatile StoreSession session;
    private volatile RecordLog log;

    private Loom(StoreSession session) {
        this.session = session;
        this.log = session.log();
    }

    /**
     * Opens the store for writing. Creates it if the directory is empty or absent, and recovers it if it was not
     * closed.
     *
     * @throws StoreLockedException when another writer has it
     * @throws IllegalArgumentException when the timestamp index's ring is too small for its open indexes or its sources, or
     *     {@link LoomConfig.Builder#maxBytes} allows fewer than four of the store's segments
     * @throws LoomException when it can't be opened; the subclass says why
     */
    public static Loom open(LoomConfig config) {
        return new Loom(StoreOpening.open(config.settings()));
    }

    /** As {@link #open(LoomConfig)}, with every setting at its default. */
    public static Loom open(Path directory) {
        return open(LoomConfig.at(directory).build());
    }

    StoreSession session() {
        return session;
    }

    SourceCodecs codecs() {
        return codecs;
    }

    /** As {@link #defineSource(String, PayloadFormat, Map)}, without attributes. */
    public int defineSource(String name, PayloadFormat format) {
        return defineSource(name, format, Map.of());
    }

    /**
     * Defines a source (paper, Figure 9). Any thread.
     *
     * @param name 1 to 255 printable characters without spaces, not beginning with {@code #} or {@code -}
     * @param attributes stored with the source. The store reads {@link dev.loom.format.IndexedText#ATTRIBUTE} alone;
     *     docs/format-payloads.md lists those that queries and commands read
     * @return its id
     * @throws IllegalArgumentException for a bad name, the name of an open source, one source too many, or when definitions and
     *     changes have taken 64 MiB
     * @throws StoreIoException when the definition can't be written; then nothing is defined
     */
    public int defineSource(String name, PayloadFormat format, Map<String, String> attributes) {
        return defineSource(name, format, attributes, id -> {});
    }

    /** @param prepare as in {@link SessionSchema#defineSource} */
    int defineSource(String name, PayloadFormat format, Map<String, String> attributes, IntConsumer prepare) {
        return inSession(current -> current.schema().defineSource(name, format, attributes, prepare));
    }

    /**
     * Replaces a source's attributes. {@link Source}s obtained before keep the old ones. Any thread.
     *
     * @throws IllegalArgumentException when it is not open, or definitions and changes have taken 64 MiB
     * @throws StoreIoException when the change can't be written; then nothing is changed
     */
    public void setAttributes(int sourceId, Map<String, String> attributes) {
        inSession(current -> {
            current.schema().setAttributes(sourceId, attributes);
            return sourceId;
        });
    }

    /**
     * Closes a source: further pushes to it are refused, its records stay readable, and its name may be defined again.
     * Any thread. Idempotent.
     */
    public void closeSource(int sourceId) {
        inSession(current -> {
            current.schema().closeSource(sourceId);
            return sourceId;
        });
    }

    /**
     * Defines an index over a source (paper, section 4.2 and Figure 9). It covers the source's chunks from the next one
     * on; queries find earlier records by reading them. An identical definition changes nothing, except that it
     * supplies a function of the program's own, which must be supplied again after each opening. Any thread.
     *
     * @param name as for sources; unique among the open indexes of the source
     * @return its id
     * @throws IllegalArgumentException for a source that is not open, a bad name, the name of another index of the
     *     source, bins narrower than the spacing of the values, one index too many: at most {@code timeRingBytes /
     *     256} may be open, or when definitions and changes have taken 64 MiB
     * @throws StoreIoException when the definition can't be written; then nothing is defined
     */
    public int defineIndex(int sourceId, String name, IndexFunction function, Bins bins) {
        return inSession(
                current -> current.schema().defineIndex(sourceId, name, Index.Kind.VALUE, function, bins, List.of()));
    }

    /**
     * As {@link #defineIndex(int, String, IndexFunction, Bins)}, but the index keeps totals and bins of each key apart: questions by groups
     * of these fields, or some of them, are answered from them. A chunk with more than 64 keys is read.
     *
     * @param by the fields whose values are the key, 1 to {@link dev.loom.api.IndexKey#FIELDS_MAX}, each once
     * @throws dev.loom.format.UnknownFieldException if the source's format lacks a field
     */
    public int defineIndex(int sourceId, String name, IndexFunction function, Bins bins, List<String> by) {
        if (by.isEmpty()) {
            throw new IllegalArgumentException("no key field: index=" + name);
        }
        return inSession(current -> current.schema().defineIndex(sourceId, name, Index.Kind.VALUE, function, bins, by));
    }

    /** As {@link #defineIndex}, over the times that a source's records carry themselves (paper, section 5.2). */
    public int defineEventTimeIndex(int sourceId, String name, IndexFunction function) {
        return inSession(current -> current.schema()
                .defineIndex(sourceId, name, Index.Kind.EVENT_TIME, function, Bins.logLinear(), List.of()));
    }

    /** Closes an index: later chunks are not in it, and its name may be defined again. Any thread. Idempotent. */
    public void closeIndex(int indexId) {
        inSession(current -> {
            current.schema().closeIndex(indexId);
            return indexId;
        });
    }

    /**
     * Appends one record.
     *
     * <p>While the ring is full, because the disk is slow, full or failing, it waits, however long that lasts, and an
     * interrupt does not end the wait; or it drops the record, if {@link LoomConfig.Builder#pressure} says so. {@link
     * #offer} never waits.
     *
     * <p>If it throws, for example {@link OutOfMemoryError}, the record is not stored, and the next call works as
     * usual. Only after a {@link StackOverflowError} may the record be stored all the same.
     *
     * @return its address, or a negative {@link PushStatus}
     * @throws IllegalArgumentException for a source that was never defined, or a payload longer than {@link
     *     #payloadLengthMax()}
     * @throws IllegalStateException when the store is closed, or a claim is open
     * @throws SecondWriterException when another thread is the writer
     * @throws dev.loom.error.StoreReopenedException when another writer has taken the store over
     */
    public long push(int sourceId, DirectBuffer payload, int offset, int length) {
        return log.push(sourceId, payload, offset, length);
    }

    /** As {@link #push(int, DirectBuffer, int, int)}. */
    public long push(int sourceId, byte[] payload) {
        return log.push(sourceId, payload);
    }

    /**
     * As {@link #push(int, DirectBuffer, int, int)}, with the remaining bytes of a buffer, whose position does not
     * change.
     */
    public long push(int sourceId, ByteBuffer payload) {
        return log.push(sourceId, payload);
    }

    /**
     * As {@link #push(int, DirectBuffer, int, int)}, with the payload that a Java record has in its source's format. The
     * writer keeps a buffer as long as the longest. The record's accessors can neither write to the store nor ask it; what
     * they throw, the caller gets.
     *
     * @throws IllegalArgumentException also if the codec has a different format, or the record has a value that its field
     *     can't have
     * @throws UnsupportedOperationException if the codec only reads
     */
    public <R extends Record> long push(int sourceId, StructCodec<R> codec, R payload) {
        codecs.require(sourceId, codec);
        return log.push(sourceId, codec, payload);
    }

    /**
     * As {@link #push(int, DirectBuffer, int, int)}, but never waits or drops: a full ring answers {@link
     * PushStatus#BACK_PRESSURED}.
     */
    public long offer(int sourceId, DirectBuffer payload, int offset, int length) {
        return log.offer(sourceId, payload, offset, length);
    }

    /**
     * Appends records of one source with one reading of the clock. The payloads lie back to back from {@code offset};
     * the i-th is {@code lengths[i]} bytes long.
     *
     * @return the number of records taken; fewer than {@code count} if the store drops records, which may be any of them and
     *     not the last alone, and 0 if the source is closed
     * @throws IllegalArgumentException for a source that was never defined, a bad count, or a payload longer than
     *     {@link #payloadLengthMax()}; then no record is stored. If it throws anything else, the records before the failed
     *     one are stored and visible, that one and those after it are not
     */
    public int pushBatch(int sourceId, DirectBuffer payloads, int offset, int[] lengths, int count) {
        return log.pushBatch(sourceId, payloads, offset, lengths, count);
    }

    /**
     * As {@link #pushBatch}, but never waits or drops: it stops at the first record that has no room.
     *
     * @return the number of records taken from the front, or a negative {@link PushStatus} if none was
     */
    public int offerBatch(int sourceId, DirectBuffer payloads, int offset, int[] lengths, int count) {
        return log.offerBatch(sourceId, payloads, offset, lengths, count);
    }

    /**
     * Claims room for one payload, to be filled in place through {@link #claimed()}. Its arrival time is the time of
     * the claim.
     *
     * @param length 0 to {@link #claimLengthMax()}
     * @return the address that the record will have, or a negative {@link PushStatus}
     * @throws IllegalArgumentException for a source that was never defined, or a bad length
     * @throws IllegalStateException when the store is closed, or a claim is open
     * @throws SecondWriterException when another thread is the writer
     */
    public long claim(int sourceId, int length) {
        return log.claim(sourceId, length, true);
    }

    /** As {@link #claim}, but never waits or drops: a full ring answers {@link PushStatus#BACK_PRESSURED}. */
    public long tryClaim(int sourceId, int length) {
        return log.claim(sourceId, length, false);
    }

    /** The claim of the last {@link #claim} that was not refused. */
    public RecordClaim claimed() {
        return log.claimed();
    }

    /** The longest claim in bytes, which is what a page holds. */
    public int claimLengthMax() {
        return RecordDescriptor.PAYLOAD_LENGTH_MAX;
    }

    /** The longest payload in bytes: a quarter of the ring, at most 16 MiB - 1. */
    public int payloadLengthMax() {
        return log.payloadLengthMax();
    }

    /** As {@link #noteLoss(int, LossReason, long, long, long)}, of records that are lost now by the store's clock. */
    public void noteLoss(int sourceId, LossReason reason, long records) {
        log.ownership().admit();
        long nowNs = Math.max(log.clock().getAsLong(), log.lastTimeNs());
        noteLoss(sourceId, reason, records, nowNs, nowNs);
    }

    /**
     * Counts records of a source that were lost before they could be pushed, so that answers and {@link Source.Statistics} say
     * so. The log gets a marker with a later chunk.
     *
     * @param records how many, at least 1
     * @param firstNs the earliest time at which one was lost, epoch nanoseconds, and {@code lastNs} the latest, at most a day ahead of the
     *     store's clock: arrival times never decrease, and no later record is earlier than a loss
     * @throws IllegalArgumentException for a source that was never defined, or numbers that make no sense
     * @throws SecondWriterException when another thread is the writer
     */
    public void noteLoss(int sourceId, LossReason reason, long records, long firstNs, long lastNs) {
        if (records < 1 || firstNs > lastNs) {
            throw new IllegalArgumentException("bad loss: source=" + sourceId + ", records=" + records + ", first="
                    + firstNs + ", last=" + lastNs);
        }
        log.ownership().admit();
        long nowNs = Math.max(log.clock().getAsLong(), log.lastTimeNs());
        if (lastNs > nowNs && lastNs - nowNs > LOSS_AHEAD_MAX_NS) {
            throw new IllegalArgumentException(
                    "loss is too far ahead of the clock: source=" + sourceId + ", last=" + lastNs + ", now=" + nowNs);
        }
        log.noteLoss(sourceId, reason, records, firstNs, lastNs);
    }

    /**
     * Gives up the writer's role. The next thread that pushes takes it over, and sees all that this one did. A thread
     * that ends need not call it. Idempotent.
     *
     * @throws SecondWriterException when another thread is the writer
     * @throws IllegalStateException while a claim is open
     */
    public void releaseWriter() {
        log.ownership().release();
    }

    /**
     * Makes everything pushed so far durable, so that it survives a power cut. Ends the open page, so frequent calls
     * waste room.
     *
     * @throws SecondWriterException when another thread is the writer
     * @throws StoreIoException when the disk refuses; the records stay readable, and survive the death of the process
     */
    public void force() {
        session.force();
    }

    /**
     * Makes everything pushed so far durable, as {@link #force()} does, and waits until the text index has all of it, also units that
     * are not full. For programs that exit after writing, such as an import: the thread that builds the index ends with the store. Takes
     * about as long as a search without index.
     *
     * @param progress of what was not indexed yet; may end the call
     * @return false if it was ended, or if the index can't be completed: there is no room or memory for it, or it is turned off; then nothing is lost,
     *     but searches read more
     * @throws SecondWriterException when another thread is the writer
     * @throws StoreIoException as {@link #force()}
     */
    public boolean finishTextIndex(ProgressHandler progress) {
        return session.finishText(progress);
    }

    /**
     * Waits until all runs of chunks that are durable are summed up. For programs that exit after writing, such as an import: the thread
     * that does it ends with the store. Without it nothing is lost, but queries over many chunks read more.
     *
     * @param progress of what was not summed up yet; may end the call
     * @return false if it was ended, if there is no room or memory, or at once while indexes are rebuilt; true if summing up is turned off
     */
    public boolean finishRollups(ProgressHandler progress) {
        return session.finishRollups(progress);
    }

    /**
     * Rebuilds all indexes from the records, so that each also covers the records from before it was defined. Runs in
     * the background, except for the last few MiB. {@link #info()} reports the progress ({@link StoreInfo#rebuild()}). Meanwhile queries read the records, and their answers are the same.
     *
     * <p>This closes the store and opens it again. Open snapshots stay valid; calls that take a snapshot or change the
     * schema wait meanwhile, and attached readers must attach again. Functions of the program's own are kept. Beside open snapshots there must be
     * room for staging twice.
     *
     * @throws SecondWriterException when another thread is the writer
     * @throws IllegalStateException while a claim is open, when the store is closed, or when threads write in turns: then
     *     {@link SharedWriter#rebuildIndexes()} does it
     * @throws StoreIoException when the disk refuses, or open snapshots leave no room for the next session's staging; then the store goes on
     * @throws LoomException when the store can't be opened again; then it is closed, and the subclass says why
     */
    public void rebuildIndexes() {
        if (log.ownership().inTurns()) {
            throw new IllegalStateException("threads write in turns: SharedWriter.rebuildIndexes rebuilds indexes");
        }
        rebuildIndexes(next -> {});
    }

    /** @param prepare runs before any other thread can see the next session */
    void rebuildIndexes(Consumer<StoreSession> prepare) {
        log.ownership().refuseBarred();
        sessions.writeLock().lock();
        try {
            log.ownership().admit();
            // both fail here, before anything has changed
            session.force();
            Settings settings = session.settingsToRebuild();
            session.close();
            StoreSession next = StoreOpening.open(settings);
            try {
                prepare.accept(next);
            } catch (Throwable e) {
                try {
                    next.close(); // nobody else could
                } catch (Throwable failure) {
                    e.addSuppressed(failure);
                }
                throw e;
            }
            session = next;
            log = next.log();
        } finally {
            sessions.writeLock().unlock();
        }
    }

    private <T> T inSession(Function<StoreSession, T> call) {
        log.ownership().refuseInside();
        sessions.readLock().lock();
        try {
            return call.apply(session);
        } finally {
            sessions.readLock().unlock();
        }
    }

    /** Whether the store is open; waits while {@link #rebuildIndexes} closes it and opens it again. */
    boolean isOpen() {
        return inSession(StoreSession::isOpen);
    }

    @Override
    public Snapshot snapshot() {
        return inSession(StoreSession::snapshot);
    }

    @Override
    public List<Source> sources() {
        return session.schema().current().sources();
    }

    @Override
    public Optional<Source> source(String name) {
        return session.schema().current().source(name);
    }

    @Override
    public List<Index> indexes() {
        return session.schema().current().indexes();
    }

    @Override
    public StoreInfo info() {
        return inSession(StoreSession::info);
    }

    /**
     * Writes everything to the segment files, makes it durable, and closes the store. Idempotent. For the writer, or
     * for any thread once the writer has called {@link #releaseWriter()} or ended; under a {@link Recorder}, only for
     * the recorder.
     *
     * @throws SecondWriterException while another thread is the writer; then the store stays open
     * @throws StoreIoException when the disk refuses; what could not be written stays in staging, and the next opening
     *     recovers it from there
     */
    @Override
    public void close() {
        log.ownership().refuseBarred();
        sessions.writeLock().lock();
        try {
            session.close();
        } finally {
            sessions.writeLock().unlock();
        }
    }
}
