package dev.loom;

import dev.loom.api.Bins;
import dev.loom.api.DropPolicy;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.LossReason;
import dev.loom.api.PushStatus;
import dev.loom.api.RecorderClaim;
import dev.loom.api.RecorderState;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.api.StoreInfo;
import dev.loom.error.SecondWriterException;
import dev.loom.error.StoreIoException;
import dev.loom.format.PayloadFormat;
import dev.loom.recorder.Intake;
import dev.loom.recorder.RecorderSession;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.agrona.DirectBuffer;

/**
 * Takes the records of many threads for one store: an off-heap ring, and one daemon thread, {@code loom-recorder}, which empties
 * it into the store and is its only writer. Usable from any thread.
 *
 * <p>{@link #offer} reads the clock and copies the payload into the ring: it takes no lock, allocates nothing, and unless the
 * source's {@link DropPolicy} says so, does not wait. Records of one thread keep their order. A record has the time at which it
 * was offered, raised only where its thread was overtaken between the reading of the clock and the ring: {@link
 * RecorderState#raised()}.
 *
 * <p>Nothing is lost unseen: what was offered is published, in the ring, or counted by source and reason; and what the ring
 * dropped is marked in the log, so that queries over that time say that they lack it; but for at most one drop a thread that
 * comes while the recorder is being closed. A record is visible, and safe from the
 * death of the process, once it has left the ring: about a millisecond later at most, unless the store is pressed; {@link
 * #sync} waits for that. A kill loses at most the ring.
 *
 * <p>While the disk fails, the rings of the store and of the recorder fill up, and then the policies drop; it goes on by itself
 * once the disk does. No method that takes records ever throws for a reason of the store: only {@link
 * IllegalArgumentException} and {@link IndexOutOfBoundsException} for arguments that could never be right.
 *
 * <p>Memory: the ring, and about 500 bytes a source, beside the store's own. Nothing depends on shutdown hooks: an
 * application that ends without {@link #close()} loses what is in the ring, and its store is recovered when it is opened next.
 */
public final class Recorder implements Store {
    private final Loom loom;
    private final RecorderSession session;
    private final Intake intake;
    private final DropPolicy policy;

    private Recorder(Loom loom, RecorderSession session, DropPolicy policy) {
        this.loom = loom;
        this.session = session;
        this.intake = session.intake();
        this.policy = policy;
    }

    /**
     * Begins a recorder over a store, which nobody else can write to from then on, or close. A clock of the program's own
     * ({@link LoomConfig.Builder#clock}) is then called by many threads.
     */
    public static Builder on(Loom loom) {
        return new Builder(loom);
    }

    /** As {@link #defineSource(String, PayloadFormat, Map, DropPolicy)}, with the recorder's policy. */
    public int defineSource(String name, PayloadFormat format) {
        return defineSource(name, format, Map.of(), policy);
    }

    /**
     * Defines a source; as {@link Loom#defineSource(String, PayloadFormat, Map)}.
     *
     * @param dropPolicy what to do with its records while the ring is full or filling
     * @return its id
     */
    public int defineSource(String name, PayloadFormat format, Map<String, String> attributes, DropPolicy dropPolicy) {
        Objects.requireNonNull(dropPolicy);
        int id = loom.defineSource(name, format, attributes, next -> session.prepareSource(next, dropPolicy));
        session.openSource(id);
        return id;
    }

    /**
     * Sets the policy of a source, as of one that was in the store when the recorder began.
     *
     * @throws IllegalArgumentException for a source never defined
     */
    public void dropPolicy(int sourceId, DropPolicy dropPolicy) {
        session.policy(sourceId, Objects.requireNonNull(dropPolicy));
    }

    /**
     * Closes a source: its records are refused from now on, and those taken before come into the store first, which is waited
     * for, at most as long as closing may take. Idempotent.
     */
    public void closeSource(int sourceId) {
        session.closeSource(sourceId);
        loom.closeSource(sourceId);
    }

    /** As {@link Loom#defineIndex}. The function runs in the recorder's thread. */
    public int defineIndex(int sourceId, String name, IndexFunction function, Bins bins) {
        return loom.defineIndex(sourceId, name, function, bins);
    }

    /** As {@link Loom#defineEventTimeIndex}. */
    public int defineEventTimeIndex(int sourceId, String name, IndexFunction function) {
        return loom.defineEventTimeIndex(sourceId, name, function);
    }

    /** As {@link Loom#closeIndex}. */
    public void closeIndex(int indexId) {
        loom.closeIndex(indexId);
    }

    /**
     * Takes one record, if there is room.
     *
     * @return 0, or a negative {@link PushStatus}: DROPPED, SAMPLED, SOURCE_CLOSED, CLOSED or FAILED
     * @throws IllegalArgumentException for a source never defined, or a payload longer than {@link #payloadLengthMax()}
     */
    public long offer(int sourceId, DirectBuffer payload, int offset, int length) {
        return intake.offer(sourceId, payload, offset, length);
    }

    /** As {@link #offer(int, DirectBuffer, int, int)}. */
    public long offer(int sourceId, byte[] payload) {
        return intake.offer(sourceId, payload);
    }

    /** A way of writing records in place, for one thread at a time; to be made once, and used again and again. */
    public RecorderClaim newClaim() {
        return session.newClaim();
    }

    /** The longest payload, bytes: an eighth of the ring less 8, or what the store takes, if that is less. */
    public int payloadLengthMax() {
        return intake.payloadLengthMax();
    }

    /** As {@link #sync(int, Duration)}, but waits for as long as it takes. */
    public boolean sync(int sourceId) {
        session.checkDefined(sourceId);
        return session.sync(-1);
    }

    /**
     * Waits until everything that this thread has offered is in the log, visible and safe from a kill, or known to be lost. What
     * other threads have offered until now is waited for as well, of every source. An interrupt ends the waiting, and is kept
     * for the thread.
     *
     * @return whether it is; false when the time is over, or the store has failed
     * @throws IllegalArgumentException for a source never defined
     */
    public boolean sync(int sourceId, Duration longest) {
        session.checkDefined(sourceId);
        return session.sync(Math.max(0, longest.toNanos()));
    }

    /**
     * As {@link #sync(int, Duration)}, for all sources, and then makes it durable: it survives a power cut. Without this, what
     * fills a page is durable about a second later, and the rest of the newest page not. The recorder's thread waits for the
     * disk meanwhile, and the ring fills.
     *
     * @return whether it is; false when the time is over, or the store has failed
     * @throws StoreIoException when the disk refuses, or leaves no room until the time is over; what was offered stays in the store
     *     or the ring, and goes to the disk once that can be
     */
    public boolean force(Duration longest) {
        return session.force(Math.max(0, longest.toNanos()));
    }

    /**
     * As {@link Loom#rebuildIndexes()}, by the recorder's thread: what is offered meanwhile waits in the ring, and the policies
     * drop what has no room there.
     *
     * @return whether the store was opened again; false when the time is over, in which case the thread may yet do it, while
     *     another caller waits for it, or when the store has failed
     * @throws StoreIoException when the disk does not allow it; when the store can't be opened again, the recorder has failed
     */
    public boolean rebuildIndexes(Duration longest) {
        return session.reopen(
                () -> {
                    loom.rebuildIndexes(next -> next.log().prepareHandOver());
                    return loom.session();
                },
                Math.max(0, longest.toNanos()));
    }

    /** Records of a source that this recorder has published. */
    public long published(int sourceId) {
        return session.published(sourceId);
    }

    /** Records of a source that this recorder did not publish, for one reason. */
    public long dropped(int sourceId, LossReason reason) {
        return session.dropped(sourceId, reason);
    }

    /** The ring and its thread, now. */
    public RecorderState state() {
        return session.state();
    }

    @Override
    public Snapshot snapshot() {
        return loom.snapshot();
    }

    @Override
    public List<Source> sources() {
        return loom.sources();
    }

    @Override
    public Optional<Source> source(String name) {
        return loom.source(name);
    }

    @Override
    public List<Index> indexes() {
        return loom.indexes();
    }

    @Override
    public StoreInfo info() {
        return loom.info();
    }

    /**
     * Refuses records from now on, stores those taken before, and closes the store. Those that the store does not take within
     * the time set are counted as lost, and so are claims that are still open then. Idempotent; returns within that time and ten seconds, which are for the store.
     *
     * @throws StoreIoException when records were lost so, or the store could not be closed cleanly, or not in time: then the
     *     thread goes on trying
     */
    @Override
    public void close() {
        session.close();
    }

    /** Collects settings. Not thread-safe. */
    public static final class Builder {
        private final Loom loom;
        private int ringBytes = 8 << 20;
        private DropPolicy policy = DropPolicy.refuse();
        private Duration closeTimeout = Duration.ofSeconds(10);

        Builder(Loom loom) {
            this.loom = Objects.requireNonNull(loom);
        }

        /**
         * Memory of the ring, off-heap; a power of two, 64 KiB to 256 MiB; default 8 MiB. A record takes its length and 16
         * bytes, aligned to 8, and may be an eighth of it long.
         */
        public Builder ringBytes(int bytes) {
            if (bytes < RecorderSession.RING_BYTES_MIN
                    || bytes > RecorderSession.RING_BYTES_MAX
                    || Integer.bitCount(bytes) != 1) {
                throw new IllegalArgumentException(
                        "bad recorder ring: bytes=" + bytes + ", expected=a power of two from "
                                + RecorderSession.RING_BYTES_MIN + " to " + RecorderSession.RING_BYTES_MAX);
            }
            ringBytes = bytes;
            return this;
        }

        /** For sources that are not defined with one of their own; default {@link DropPolicy#refuse()}. */
        public Builder dropPolicy(DropPolicy dropPolicy) {
            policy = Objects.requireNonNull(dropPolicy);
            return this;
        }

        /** How long {@link Recorder#close()} may take to store what is in the ring, 0 to 1 h; default 10 s. */
        public Builder closeTimeout(Duration timeout) {
            if (timeout.isNegative() || timeout.compareTo(Duration.ofHours(1)) > 0) {
                throw new IllegalArgumentException("bad close timeout: timeout=" + timeout + ", expected=0 to 1 h");
            }
            closeTimeout = timeout;
            return this;
        }

        /**
         * Allocates the ring and starts the thread. When that fails, the store is as it was.
         *
         * @throws SecondWriterException when the store has another writer: a thread, a recorder, a shared writer
         * @throws IllegalStateException when it is closed, or has an open claim
         */
        public Recorder start() {
            return new Recorder(
                    loom, new RecorderSession(loom.session(), ringBytes, policy, closeTimeout.toNanos()), policy);
        }
    }
}
