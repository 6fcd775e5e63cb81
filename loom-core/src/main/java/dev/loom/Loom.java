package dev.loom;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.IndexKind;
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
import dev.loom.record.RecordDescriptor;
import dev.loom.record.RecordLog;
import dev.loom.store.StoreOpening;
import dev.loom.store.StoreSession;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.agrona.DirectBuffer;

/**
 * The single writer of a store (paper, section 5.1 and Figure 9).
 *
 * <p>Threads: {@code push}, {@code offer}, {@code claim} and their like, and {@code force} belong to one thread at a time,
 * the writer: the first that calls one of them, until it calls {@link #releaseWriter()} or ends. What another thread calls
 * meanwhile throws {@link SecondWriterException}, and so does {@link #close()}. The schema, {@link #sync}, snapshots and {@link
 * #info()} are for any thread.
 *
 * <p>A record is visible to every reader, in this process or another, once the call that pushed it has returned, and then
 * survives the death of the process. It survives a power cut once {@link #force()} has returned or the evictor has come
 * around, by default within a second of its page being full.
 */
public final class Loom implements Store {
    /** Written by whoever has one session follow another, read by those who need one that does not end meanwhile. */
    private final ReentrantReadWriteLock sessions = new ReentrantReadWriteLock();

    private volatile StoreSession session;
    private volatile RecordLog log;

    private Loom(StoreSession session) {
        this.session = session;
        this.log = session.log();
    }

    /**
     * Opens the store for writing, creating it if the directory is empty or absent, recovering it if it was not closed.
     *
     * @throws StoreLockedException when another writer has it
     * @throws IllegalArgumentException when the timestamp index's ring is too small for the indexes that are open
     * @throws LoomException when it can't be opened, by its reason
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

    /** As {@link #defineSource(String, PayloadFormat, Map)}, without attributes. */
    public int defineSource(String name, PayloadFormat format) {
        return defineSource(name, format, Map.of());
    }

    /**
     * Defines a source (paper, Figure 9). Any thread.
     *
     * @param name 1 to 255 printable characters without spaces, not beginning with {@code #} or {@code -}
     * @param attributes kept with the source for its definer
     * @return its id
     * @throws IllegalArgumentException for a bad name, one that an open source has, or one source too many
     * @throws StoreIoException when the definition can't be written; then nothing is defined
     */
    public int defineSource(String name, PayloadFormat format, Map<String, String> attributes) {
        return defineSource(name, format, attributes, id -> {});
    }

    /** @param prepare as of {@link StoreSession#defineSource} */
    int defineSource(String name, PayloadFormat format, Map<String, String> attributes, IntConsumer prepare) {
        return inSession(current -> current.defineSource(name, format, attributes, prepare));
    }

    /**
     * Gives a source other attributes in place of its own; what has been read of it by then keeps the old ones. Any thread.
     *
     * @throws IllegalArgumentException when it is not open
     * @throws StoreIoException when the change can't be written; then nothing is changed
     */
    public void setAttributes(int sourceId, Map<String, String> attributes) {
        inSession(current -> {
            current.setAttributes(sourceId, attributes);
            return sourceId;
        });
    }

    /**
     * Closes a source: pushes to it are refused from now on, its records stay readable, its name may be defined anew. Any
     * thread. Idempotent.
     */
    public void closeSource(int sourceId) {
        inSession(current -> {
            current.closeSource(sourceId);
            return sourceId;
        });
    }

    /**
     * Defines an index over a source (paper, section 4.2 and Figure 9), from the source's next chunk on: earlier records are
     * found by reading them. One that is defined alike already is left as it is, but for a function of the program's own, which
     * a store that was opened again has to be given again in this way. Any thread.
     *
     * @param name as of sources; unique among the open indexes of the source
     * @return its id
     * @throws IllegalArgumentException for a source that is not open, a bad name, one that another index of the source has, bins
     *     narrower than the values can differ, or one index too many: {@code timeRingBytes / 256} may be open
     * @throws StoreIoException when the definition can't be written; then nothing is defined
     */
    public int defineIndex(int sourceId, String name, IndexFunction function, Bins bins) {
        return inSession(current -> current.defineIndex(sourceId, name, IndexKind.VALUE, function, bins));
    }

    /**
     * Defines an index over the times that a source's records carry themselves (paper, section 5.2); as {@link #defineIndex}.
     */
    public int defineEventTimeIndex(int sourceId, String name, IndexFunction function) {
        return inSession(
                current -> current.defineIndex(sourceId, name, IndexKind.EVENT_TIME, function, Bins.logLinear()));
    }

    /** Closes an index: chunks to come are not in it, its name may be defined anew. Any thread. Idempotent. */
    public void closeIndex(int indexId) {
        inSession(current -> {
            current.closeIndex(indexId);
            return indexId;
        });
    }

    /**
     * Appends one record.
     *
     * <p>When it throws, an {@link OutOfMemoryError} say, the record is not stored, and the next call goes on.
     *
     * @return its address, or a negative {@link PushStatus}
     * @throws IllegalArgumentException for a source never defined, or a payload longer than {@link #payloadLengthMax()}
     * @throws SecondWriterException when another thread is the writer
     */
    public long push(int sourceId, DirectBuffer payload, int offset, int length) {
        return log.push(sourceId, payload, offset, length);
    }

    /** As {@link #push(int, DirectBuffer, int, int)}. */
    public long push(int sourceId, byte[] payload) {
        return log.push(sourceId, payload);
    }

    /** As {@link #push(int, DirectBuffer, int, int)}, of what remains in a buffer, whose position stays where it is. */
    public long push(int sourceId, ByteBuffer payload) {
        return log.push(sourceId, payload);
    }

    /** As {@link #push(int, DirectBuffer, int, int)}, but never waits, and drops nothing: {@link PushStatus#BACK_PRESSURED}. */
    public long offer(int sourceId, DirectBuffer payload, int offset, int length) {
        return log.offer(sourceId, payload, offset, length);
    }

    /**
     * Appends records of one source with one reading of the clock: payloads lie back to back from {@code offset}, the i-th
     * {@code lengths[i]} long.
     *
     * <p>When it throws, the records before the one that it has come to are stored, and visible; that one and those behind it are
     * not.
     *
     * @return how many were taken: all, unless the source is closed or the store drops records
     */
    public int pushBatch(int sourceId, DirectBuffer payloads, int offset, int[] lengths, int count) {
        return log.pushBatch(sourceId, payloads, offset, lengths, count);
    }

    /**
     * As {@link #pushBatch}, but never waits, and drops nothing: it ends at the first record that has no room.
     *
     * @return how many were taken, from the first; or a negative {@link PushStatus} if none was
     */
    public int offerBatch(int sourceId, DirectBuffer payloads, int offset, int[] lengths, int count) {
        return log.offerBatch(sourceId, payloads, offset, lengths, count);
    }

    /**
     * Claims room for one payload, to be filled in place through {@link #claimed()}. Its arrival time is that of the claim.
     *
     * @param length 0 to {@link #claimLengthMax()}
     * @return the address that the record will have, or a negative {@link PushStatus}
     */
    public long claim(int sourceId, int length) {
        return log.claim(sourceId, length, true);
    }

    /** As {@link #claim}, but never waits, and drops nothing: {@link PushStatus#BACK_PRESSURED}. */
    public long tryClaim(int sourceId, int length) {
        return log.claim(sourceId, length, false);
    }

    /** The claim made by the last {@link #claim} that was not refused. */
    public RecordClaim claimed() {
        return log.claimed();
    }

    /** The longest claim, bytes: what a page holds. */
    public int claimLengthMax() {
        return RecordDescriptor.PAYLOAD_LENGTH_MAX;
    }

    /** The longest payload, bytes: a quarter of the ring, at most 16 MiB - 1. */
    public int payloadLengthMax() {
        return log.payloadLengthMax();
    }

    /**
     * Ends the calling thread's part as the writer: the next thread that pushes takes over, and sees all that this one did. A
     * thread that ends need not call it. Idempotent.
     *
     * @throws SecondWriterException when another thread is the writer
     * @throws IllegalStateException while a claim is open
     */
    public void releaseWriter() {
        log.releaseWriter();
    }

    /**
     * Makes the source's records visible (paper, Figure 9), which {@link #push} has done already.
     *
     * @throws IllegalArgumentException for a source never defined
     */
    public void sync(int sourceId) {
        session.checkOpen();
        log.checkDefined(sourceId);
    }

    /**
     * Makes everything pushed so far survive a power cut, and returns when it does. Ends the open page, so frequent calls
     * waste room.
     *
     * @throws SecondWriterException when another thread is the writer
     * @throws StoreIoException when the disk does not allow it; the records stay readable, and safe from a kill
     */
    public void force() {
        session.force();
    }

    /**
     * Writes all indexes anew, from the records, so that each covers those from before it was defined, too: in the background, but
     * for the last few MiB. {@link #info()} tells how far that is ({@code rebuilt} of {@code rebuild_to}); meanwhile queries read
     * the records, and answers are as right as before.
     *
     * <p>The store is closed and opened again for that. Snapshots stay as they are; who asks for one, or for a change of the schema,
     * waits meanwhile, and attached readers have to attach again. Functions of the program's own are taken over.
     *
     * @throws SecondWriterException when another thread is the writer
     * @throws IllegalStateException while a claim is open, or when the store is closed
     * @throws StoreIoException when the disk does not allow it
     * @throws LoomException when the store can't be opened again, by its reason; then it is closed
     */
    public void rebuildIndexes() {
        rebuildIndexes(next -> {});
    }

    /** @param prepare what has to be so before anybody meets the next session */
    void rebuildIndexes(Consumer<StoreSession> prepare) {
        sessions.writeLock().lock();
        try {
            log.prepareHandOver();
            // a disk that refuses is told before anything has changed
            session.force();
            session.close();
            StoreSession next = StoreOpening.open(session.settingsToRebuild());
            prepare.accept(next);
            session = next;
            log = next.log();
        } finally {
            sessions.writeLock().unlock();
        }
    }

    private <T> T inSession(Function<StoreSession, T> call) {
        sessions.readLock().lock();
        try {
            return call.apply(session);
        } finally {
            sessions.readLock().unlock();
        }
    }

    @Override
    public Snapshot snapshot() {
        return inSession(StoreSession::snapshot);
    }

    @Override
    public List<Source> sources() {
        return session.schema().sources();
    }

    @Override
    public Optional<Source> source(String name) {
        return session.schema().source(name);
    }

    @Override
    public List<Index> indexes() {
        return session.schema().indexes();
    }

    @Override
    public StoreInfo info() {
        return new StoreInfo(inSession(StoreSession::info));
    }

    /**
     * Writes everything to the segment files, makes it durable, and gives the store free. Idempotent. For the writer, or for any
     * thread once the writer has called {@link #releaseWriter()} or ended; under a {@link Recorder} for that alone.
     *
     * @throws SecondWriterException while another thread is the writer; then the store stays open
     * @throws StoreIoException when the disk does not allow it; what could not be written stays in staging, from where the
     *     next opening takes it
     */
    @Override
    public void close() {
        sessions.writeLock().lock();
        try {
            session.close();
        } finally {
            sessions.writeLock().unlock();
        }
    }
}
