package dev.loom;

import dev.loom.api.Bins;
import dev.loom.api.DropPolicy;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.LossReason;
import dev.loom.api.PushStatus;
import dev.loom.api.RecorderClaim;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.api.StoreInfo;
import dev.loom.error.SecondWriterException;
import dev.loom.error.StoreIoException;
import dev.loom.format.PayloadFormat;
import dev.loom.format.StructCodec;
import dev.loom.recorder.Intake;
import dev.loom.recorder.RecorderSession;
import dev.loom.store.StoreSession;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Takes records from many threads into one store, through an off-heap ring. One daemon thread, {@code loom-recorder},
 * empties the ring into the store and is the store's only writer. Usable from any thread.
 *
 * <p>{@link #offer} reads the clock and copies the payload into the ring. It takes no lock, allocates nothing, and
 * waits only if the source's {@link DropPolicy} says so. Records of one thread keep their order. A record's time is
 * that of its offer, raised only if another thread overtook this one between the clock and the ring: {@link
 * #raised()}.
 *
 * <p>No loss goes unreported. A record offered is published, in the ring, or counted by source and reason. Drops are
 * marked in the log, so that queries over that time report them; the one exception is at most one drop per thread while
 * the recorder is being closed. A record is visible, and survives the death of the process, once it has left the ring:
 * within about a millisecond, unless the store is under pressure. {@link #sync} waits for that. A kill loses at most
 * what is in the ring.
 *
 * <p>While the disk fails, the rings of the store and of the recorder fill up, and then the policies drop records.
 * Recording resumes by itself once the disk works. Methods that take records never throw because of the store's state:
 * they throw only for invalid arguments, or what a record's accessors throw.
 *
 * <p>Memory: the ring, and about 500 bytes per source, besides the store's own. It does not rely on shutdown hooks: an
 * application that ends without {@link #close()} loses what is in the ring, and its next opening recovers the store.
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
     * Configures a recorder over a store. Once it has started, nobody else can write to the store or close it, and many
     * threads call a {@linkplain LoomConfig.Builder#clock clock of the program's own}.
     */
    public static Builder on(Loom loom) {
        return new Builder(loom);
    }

    /**
     * As {@link #defineSource(String, PayloadFormat, Map, DropPolicy)}, without attributes and with the recorder's
     * policy.
     */
    public int defineSource(String name, PayloadFormat format) {
        return defineSource(name, format, Map.of(), policy);
    }

    /**
     * Defines a source, as {@link Loom#defineSource(String, PayloadFormat, Map)}.
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
     * Sets the policy of a source, such as one that was defined before the recorder started.
     *
     * @throws IllegalArgumentException for a source that was never defined
     */
    public void dropPolicy(int sourceId, DropPolicy dropPolicy) {
        session.policy(sourceId, Objects.requireNonNull(dropPolicy));
    }

    /**
     * Closes a source: its further records are refused. Waits until those taken before are in the store, at most for
     * {@link Builder#closeTimeout}. Those that are not by then, as on a full disk, are lost: counted and marked as
     * {@link LossReason#SOURCE_CLOSED}, without an exception. An interrupt does not end the wait, and is kept. Idempotent.
     */
    public void closeSource(int sourceId) {
        session.closeSource(sourceId);
        loom.closeSource(sourceId);
    }

    /** As {@link Loom#defineIndex}. The function runs on the recorder's thread. */
    public int defineIndex(int sourceId, String name, IndexFunction function, Bins bins) {
        return loom.defineIndex(sourceId, name, function, bins);
    }

    /** As {@link Loom#defineIndex(int, String, IndexFunction, Bins, List)}. */
    public int defineIndex(int sourceId, String name, IndexFunction function, Bins bins, List<String> by) {
        return loom.defineIndex(sourceId, name, function, bins, by);
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
     * @throws IllegalArgumentException for a source that was never defined, or a payload longer than {@link
     *     #payloadLengthMax()}
     */
    public long offer(int sourceId, DirectBuffer payload, int offset, int length) {
        return intake.offer(sourceId, payload, offset, length);
    }

    /** As {@link #offer(int, DirectBuffer, int, int)}. */
    public long offer(int sourceId, byte[] payload) {
        return intake.offer(sourceId, payload);
    }

    /**
     * As {@link #offer(int, DirectBuffer, int, int)}, with the remaining bytes of a buffer, whose position does not
     * change.
     */
    public long offer(int sourceId, ByteBuffer payload) {
        return intake.offer(sourceId, payload);
    }

    /**
     * As {@link #offer(int, DirectBuffer, int, int)}, with the payload that a Java record has in its source's format. It is
     * written in place, so the record's accessors must not block. What they throw, the caller gets.
     *
     * @throws IllegalArgumentException also if the codec has a different format, or the record has a value that its field
     *     can't have
     * @throws UnsupportedOperationException if the codec only reads
     * @throws IllegalStateException if a text or bytes differ in length when an accessor returns them again
     */
    public <R extends Record> long offer(int sourceId, StructCodec<R> codec, R payload) {
        loom.codecs().require(sourceId, codec);
        return intake.offer(sourceId, codec, payload);
    }

    /** Makes a claim for writing records in place, for one thread at a time. Make it once and reuse it. */
    public RecorderClaim newClaim() {
        return session.newClaim();
    }

    /**
     * The longest payload in bytes: an eighth of the ring less 8, or what the store takes if that is less. {@link #rebuildIndexes} may change
     * it, where staging has no longer room for the store's ring, or has it again.
     */
    public int payloadLengthMax() {
        return intake.payloadLengthMax();
    }

    /** As {@link #sync(Duration)}, without a limit. */
    public boolean sync() {
        return session.sync(-1);
    }

    /**
     * Waits until everything that any thread has offered until now, to any source, is in the log, visible and safe from
     * a kill, or known to be lost (paper, Figure 9, which waits for one source only). An interrupt ends the wait; the
     * interrupt status is kept.
     *
     * @return whether that is done; false if the time is over, or the store has failed
     */
    public boolean sync(Duration longest) {
        return session.sync(Math.max(0, TimeUnit.NANOSECONDS.convert(longest)));
    }

    /**
     * As {@link #sync(Duration)}, and then makes the records durable, so that they survive a
     * power cut. Without this, they are durable within {@link LoomConfig.Builder#durabilityInterval}, by default a second,
     * if the disk keeps up. The recorder's thread waits for the disk meanwhile, and the ring fills.
     *
     * @return whether that is done; false if the time is over, or the store has failed
     * @throws StoreIoException when the disk refuses, or is full until the time is over; the records stay in the store
     *     or the ring, and are written once the disk allows it
     */
    public boolean force(Duration longest) {
        return session.force(Math.max(0, TimeUnit.NANOSECONDS.convert(longest)));
    }

    /**
     * As {@link Loom#rebuildIndexes()}, on the recorder's thread. Meanwhile records wait in the ring, and the policies
     * drop those that find it full. An interrupt ends the wait; the interrupt status is kept. Records in the ring that are too long for a smaller
     * ring of the store, of which {@link #info()} says why, are dropped as {@link LossReason#FAILED}.
     *
     * @return whether the store was opened again; false if the store has failed or the time is over, or while another
     *     caller waits for the same. After a timeout the thread may still do it
     * @throws StoreIoException when the disk refuses; if the store can't be opened again, the recorder has failed
     */
    public boolean rebuildIndexes(Duration longest) {
        return session.reopen(this::rebuilt, Math.max(0, TimeUnit.NANOSECONDS.convert(longest)));
    }

    private StoreSession rebuilt() {
        loom.rebuildIndexes(next -> next.log().ownership().admit());
        return loom.session();
    }

    /** The number of records of a source that this recorder has published. */
    public long published(int sourceId) {
        return session.published(sourceId);
    }

    /** The number of records of a source that this recorder did not publish, for one reason. */
    public long dropped(int sourceId, LossReason reason) {
        return session.dropped(sourceId, reason);
    }

    /** How much of the ring is in use, in bytes. */
    public int usedBytes() {
        return session.usedBytes();
    }

    /**
     * The number of records stored with a time later than their arrival, because records ahead of them in the ring arrived
     * later.
     */
    public long raised() {
        return session.raised();
    }

    /**
     * The largest such difference. A time is never raised beyond the moment when the record got its place in the ring.
     */
    public Duration raisedMax() {
        return session.raisedMax();
    }

    /** How often the recorder has waited for the store. */
    public long waits() {
        return session.waits();
    }

    /** Why the recorder no longer takes records; null while it does. */
    public @Nullable Throwable failure() {
        return session.failure();
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
     * Refuses further records, stores those taken before, and closes the store. Records not stored within the close
     * timeout count as lost, and so do claims still open then. Idempotent. Returns within the timeout and ten seconds,
     * which are for closing the store.
     *
     * @throws StoreIoException when records were lost in this way, or the store was not closed cleanly or in time; the
     *     thread then keeps trying
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
         * Size of the off-heap ring, bytes; a power of two, 64 KiB to 256 MiB; default 8 MiB. A record takes 16 bytes
         * more than its length, aligned to 8, and may be as long as an eighth of the ring less 8 bytes.
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

        /** The policy of sources that have none of their own; default {@link DropPolicy#refuse()}. */
        public Builder dropPolicy(DropPolicy dropPolicy) {
            policy = Objects.requireNonNull(dropPolicy);
            return this;
        }

        /** How long {@link Recorder#close()} and {@link Recorder#closeSource} may take to store what is in the ring, 0 to 1 h; default 10 s. */
        public Builder closeTimeout(Duration timeout) {
            if (timeout.isNegative() || timeout.compareTo(Duration.ofHours(1)) > 0) {
                throw new IllegalArgumentException("bad close timeout: timeout=" + timeout + ", expected=0 to 1 h");
            }
            closeTimeout = timeout;
            return this;
        }

        /**
         * Allocates the ring and starts the thread. If that fails, the store is unchanged: it stays open, and is the caller's to close.
         *
         * @throws SecondWriterException when the store has another writer: a thread, a recorder, a shared writer
         * @throws IllegalStateException when the store is closed, or has an open claim
         */
        public Recorder start() {
            return new Recorder(
                    loom, new RecorderSession(loom.session(), ringBytes, policy, closeTimeout.toNanos()), policy);
        }
    }
}
