package dev.loom.recorder;

import dev.loom.api.DropPolicy;
import dev.loom.api.LossReason;
import dev.loom.api.PushStatus;
import dev.loom.format.StructCodec;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.agrona.DirectBuffer;

/**
 * The producers' side: reads the clock, claims room following the source's policy, and copies the payload into the
 * ring. Usable from any thread; takes no lock, allocates nothing.
 *
 * <p>The clock is read before the claim, so a record's time is never later than its place in the ring. The writer
 * raises it only if the record's own thread was held up between the two.
 */
public final class Intake {
    private static final long PARK_NS_MIN = 20_000;
    private static final long PARK_NS_MAX = 1_000_000;

    static final int ORPHANS_MASK = 63;
    /** No payload is at the ring's beginning. */
    private static final int NO_ORPHAN = 0;

    private final RecorderRing ring;
    private final SourceGates gates;
    private volatile LongSupplier clock;
    private final WakeUp wakeUp;
    private volatile int payloadLengthMax;
    private volatile long refusal;
    private volatile boolean dropped;

    /**
     * Whether a thread's stack has overflowed where it may have claimed room that it did not end. Where a stack has overflowed a call may
     * overflow it again, so this, and what follows, is written without one.
     */
    volatile boolean overflowed;

    /** Claims that such threads left, before {@link #overflowed} is set. One that another overwrites is found by its age. */
    final int[] orphans = new int[ORPHANS_MASK + 1];

    int orphanCount;

    Intake(RecorderRing ring, SourceGates gates, LongSupplier clock, WakeUp wakeUp, int payloadLengthMax) {
        this.ring = ring;
        this.gates = gates;
        this.clock = clock;
        this.wakeUp = wakeUp;
        this.payloadLengthMax = Math.min(payloadLengthMax, ring.payloadLengthMax());
    }

    /** Continues with the clock of the next session, and the longest payload that it takes. */
    void reopened(LongSupplier nextClock, int storePayloadLengthMax) {
        clock = nextClock;
        payloadLengthMax = Math.min(storePayloadLengthMax, ring.payloadLengthMax());
    }

    /** The longest payload in bytes. */
    public int payloadLengthMax() {
        return payloadLengthMax;
    }

    /** Puts a record into the ring. Returns 0 or a {@link PushStatus}. */
    public long offer(int sourceId, DirectBuffer payload, int offset, int length) {
        try {
            payload.boundsCheck(offset, length);
            return put(sourceId, payload, offset, length);
        } catch (StackOverflowError e) {
            overflowed = true;
            throw e;
        }
    }

    private long put(int sourceId, DirectBuffer payload, int offset, int length) {
        long claimed = claim(sourceId, length);
        if (claimed < 0) {
            return claimed;
        }
        int index = (int) claimed;
        boolean ended = false;
        boolean committed;
        try {
            ring.put(index, payload, offset, length);
            committed = release(index, true);
            ended = true;
        } catch (StackOverflowError e) {
            orphans[orphanCount++ & ORPHANS_MASK] = index;
            ended = true;
            throw e;
        } finally {
            if (!ended) {
                end(index, false);
            }
        }
        return committed(committed);
    }

    /** Puts a record into the ring. Returns 0 or a {@link PushStatus}. */
    public long offer(int sourceId, byte[] payload) {
        try {
            return put(sourceId, payload);
        } catch (StackOverflowError e) {
            overflowed = true;
            throw e;
        }
    }

    private long put(int sourceId, byte[] payload) {
        long claimed = claim(sourceId, payload.length);
        if (claimed < 0) {
            return claimed;
        }
        int index = (int) claimed;
        boolean committed;
        try {
            ring.buffer().putBytes(index, payload);
            committed = release(index, true);
        } catch (StackOverflowError e) {
            orphans[orphanCount++ & ORPHANS_MASK] = index;
            throw e;
        }
        return committed(committed);
    }

    /** Puts the remaining bytes of a buffer into the ring; its position does not change. Returns 0 or a {@link PushStatus}. */
    public long offer(int sourceId, ByteBuffer payload) {
        try {
            return put(sourceId, payload, payload.position(), payload.remaining());
        } catch (StackOverflowError e) {
            overflowed = true;
            throw e;
        }
    }

    private long put(int sourceId, ByteBuffer payload, int offset, int length) {
        long claimed = claim(sourceId, length);
        if (claimed < 0) {
            return claimed;
        }
        int index = (int) claimed;
        boolean ended = false;
        boolean committed;
        try {
            ring.buffer().putBytes(index, payload, offset, length);
            committed = release(index, true);
            ended = true;
        } catch (StackOverflowError e) {
            orphans[orphanCount++ & ORPHANS_MASK] = index;
            ended = true;
            throw e;
        } finally {
            if (!ended) {
                end(index, false); // such as of a mapped file that became shorter
            }
        }
        return committed(committed);
    }

    /** Puts a Java record's payload into the ring. Returns 0 or a {@link PushStatus}. */
    public <R extends Record> long offer(int sourceId, StructCodec<R> codec, R payload) {
        try {
            return put(sourceId, codec, payload);
        } catch (StackOverflowError e) {
            overflowed = true;
            throw e;
        }
    }

    private <R extends Record> long put(int sourceId, StructCodec<R> codec, R payload) {
        int length = codec.length(payload);
        long claimed = claim(sourceId, length);
        if (claimed < 0) {
            return claimed;
        }
        int index = (int) claimed;
        int written;
        boolean ended = false;
        boolean committed = false;
        try {
            written = codec.write(payload, ring.buffer(), index, length);
            if (written == length) {
                committed = release(index, true);
                ended = true;
            }
        } catch (StackOverflowError e) {
            orphans[orphanCount++ & ORPHANS_MASK] = index;
            ended = true;
            throw e;
        } finally {
            if (!ended) {
                end(index, false);
            }
        }
        if (written != length) {
            throw new IllegalStateException("record changed while being written: class="
                    + codec.type().getTypeName() + ", length=" + length + ", written=" + written);
        }
        return committed(committed);
    }

    private long committed(boolean committed) {
        if (!committed) {
            return PushStatus.CLOSED;
        }
        wake();
        return 0;
    }

    /** Returns the index of the payload in the ring, or a {@link PushStatus}. */
    long claim(int sourceId, int length) {
        SourceGate gate = gates.get(sourceId);
        int max = payloadLengthMax;
        if (length < 0 || length > max) {
            throw new IllegalArgumentException("payload length out of range: bytes=" + length + ", max=" + max);
        }
        if (gate.closed()) {
            gate.countDropped(LossReason.SOURCE_CLOSED);
            return PushStatus.SOURCE_CLOSED;
        }
        DropPolicy policy = gate.policy();
        long timeNs = clock.getAsLong();
        if (policy.oneIn() > 1 && refusal == 0 && leavesOut(gate, policy)) {
            drop(gate.sampled, timeNs);
            return PushStatus.SAMPLED;
        }
        int index = ring.tryClaim(gate.id, length, timeNs);
        return index >= 0
                ? index
                : claimLater(gate, length, timeNs, policy.waitMax().toNanos());
    }

    private boolean leavesOut(SourceGate gate, DropPolicy policy) {
        return ring.used() > policy.above() * ring.capacity() && !gate.takesSample(policy.oneIn());
    }

    /** Ends a claim, by commit or abort. False if the recorder, while closing, gave it up. */
    boolean end(int index, boolean commit) {
        boolean released = release(index, commit);
        if (released) {
            wake();
        }
        return released;
    }

    /** Wakes the writer's thread after a claim has ended. */
    void wake() {
        wakeUp.wake(); // the claim was the volatile write that this requires
    }

    /** Ends a claim, as {@link #end}, without a call behind the write that ends it: so if a stack overflows here, it is not ended. */
    boolean release(int index, boolean commit) {
        try {
            if (commit) {
                ring.commit(index);
            } else {
                ring.abort(index);
            }
            return true;
        } catch (IllegalStateException e) {
            return false; // Agrona throws this for room that is no longer claimed
        }
    }

    /** Whether a thread whose stack has overflowed left the claim at an index; then it is the caller's to end. For the writer's thread. */
    boolean takeOrphan(int index) {
        for (int i = 0; i <= ORPHANS_MASK; i++) {
            if (orphans[i] == index) {
                orphans[i] = NO_ORPHAN;
                return true;
            }
        }
        return false;
    }

    private long claimLater(SourceGate gate, int length, long firstTimeNs, long waitNs) {
        long timeNs = firstTimeNs;
        if (waitNs > 0) {
            wakeUp.rouse();
            long start = System.nanoTime();
            long parkNs = PARK_NS_MIN;
            long leftNs = waitNs;
            while (leftNs > 0 && refusal == 0 && !Thread.currentThread().isInterrupted()) {
                LockSupport.parkNanos(Math.min(parkNs, leftNs));
                parkNs = Math.min(parkNs * 2, PARK_NS_MAX);
                timeNs = clock.getAsLong();
                int index = ring.tryClaim(gate.id, length, timeNs);
                if (index >= 0) {
                    return index;
                }
                leftNs = waitNs - (System.nanoTime() - start);
            }
        }
        long refused = refusal;
        if (refused != 0) {
            gate.countDropped(refused == PushStatus.CLOSED ? LossReason.CLOSED : LossReason.FAILED);
            return refused;
        }
        drop(gate.full, timeNs);
        return PushStatus.DROPPED;
    }

    /** Counts a drop, which the writer's thread collects. */
    void drop(DropWindow window, long timeNs) {
        window.add(timeNs);
        dropped = true;
        wakeUp.wake();
    }

    /** Undoes {@link #takeDropped()}. For the writer's thread. */
    void keepDropped() {
        dropped = true;
    }

    /** Refuses every record from now on; the first status given stays. */
    synchronized void refuse(long status) {
        if (refusal == 0) {
            refusal = status;
            ring.seal();
        }
    }

    /** Whether anything was dropped since the last {@link #takeDropped()}. */
    boolean dropped() {
        return dropped;
    }

    /** Whether there may be drops to collect; resets the answer to no. For the writer's thread. */
    boolean takeDropped() {
        if (!dropped) {
            return false;
        }
        dropped = false;
        return true;
    }
}
