package dev.loom.recorder;

import dev.loom.api.LossReason;
import dev.loom.api.PushStatus;
import dev.loom.error.StoreIoException;
import dev.loom.record.RecordLog;
import dev.loom.store.StoreSession;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.jspecify.annotations.Nullable;

/**
 * The recorder's thread, which is the store's only writer. It moves records from the ring to the store, and reports
 * drops to the store. It never ends with an exception: once the store has failed, all further records count as lost. A
 * lack of memory costs one record, or delays a step, and work continues.
 *
 * <p>When idle it naps for a millisecond, or less for a small ring; after 20 ms without a record it sleeps until a
 * producer wakes it. So a producer of occasional records pays a system call to wake it, but one of a hundred a second
 * does not. The writer itself wakes at most a thousand times a second, and an idle recorder costs nothing.
 */
final class RecorderWriter implements Runnable {
    /** The records read before their room is freed. */
    private static final int BATCH = 256;

    private static final int NO_CLAIM = -1;

    private static final int SPINS = 100;
    private static final long NAP_NS_MIN = 20_000;
    private static final long NAP_NS_MAX = 1_000_000;
    private static final long NAPS_NS = 20_000_000;

    /**
     * How long room stays claimed at least until it is taken for that of a thread whose stack has overflowed, and how often it is looked at: a
     * pause of all threads is one look. The claim of a live thread is never taken.
     */
    static final long OVERFLOWED_NS = 2_000_000_000L;

    private static final int OVERFLOWED_LOOKS = 1_000;

    /** Faster than threads can fill a ring, so that a nap ends before half of it is full. */
    private static final int BYTES_PER_NS = 4;

    private final RecorderRing ring;
    private final SourceGates gates;
    private final Intake intake;
    private final ClaimSlots claims;
    private final WakeUp wakeUp;
    private final MessageHandler handler = this::onMessage;
    private final BooleanSupplier work = this::hasWork;

    private final AtomicLong raised = new AtomicLong();
    private final AtomicLong raisedNsMax = new AtomicLong();
    private final AtomicLong waits = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private final AtomicLong syncsAsked = new AtomicLong();
    private volatile long syncsDone;
    private final AtomicLong forcesAsked = new AtomicLong();
    private volatile long forcesDone;
    private final AtomicReference<@Nullable FutureTask<StoreSession>> reopening = new AtomicReference<>();
    private volatile @Nullable StoreIoException forceFailure;
    private volatile long deadlineNs;
    private volatile boolean closing;
    private volatile @Nullable Throwable failure;
    private volatile @Nullable Throwable closeFailure;

    private final long overflowedNs;
    private final long napNs;
    private volatile StoreSession session;
    private RecordLog log;
    private int emptyReads;
    private long blockedNs;
    private long nappedNs;
    private boolean gaveUp;

    /** @param overflowedNs {@link #OVERFLOWED_NS}, or less for tests */
    RecorderWriter(
            RecorderRing ring,
            SourceGates gates,
            Intake intake,
            ClaimSlots claims,
            WakeUp wakeUp,
            StoreSession session,
            long overflowedNs) {
        this.ring = ring;
        this.gates = gates;
        this.intake = intake;
        this.claims = claims;
        this.wakeUp = wakeUp;
        this.session = session;
        this.overflowedNs = overflowedNs;
        this.log = session.log();
        this.napNs = Math.min(Math.max(ring.capacity() / 2 / BYTES_PER_NS, NAP_NS_MIN), NAP_NS_MAX);
    }

    long raised() {
        return raised.get();
    }

    long raisedNsMax() {
        return raisedNsMax.get();
    }

    long waits() {
        return waits.get();
    }

    /** The records in the ring that could not be stored before the end. */
    long lost() {
        return lost.get();
    }

    /** Why the store no longer takes records, or null. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Why the store could not be closed cleanly, or null. */
    @Nullable
    Throwable closeFailure() {
        return closeFailure;
    }

    /** Requests the collection of drops. Returns a ticket for {@link #answered}. */
    long ask() {
        long ticket = syncsAsked.incrementAndGet();
        wakeUp.rouse();
        return ticket;
    }

    boolean answered(long ticket) {
        return syncsDone >= ticket;
    }

    /** Requests that the store's contents be made durable. Returns a ticket for {@link #forced}. */
    long askForce() {
        long ticket = forcesAsked.incrementAndGet();
        wakeUp.rouse();
        return ticket;
    }

    boolean forced(long ticket) {
        return forcesDone >= ticket;
    }

    /** Whether the store has a thread for itself, for which its closing waits. */
    boolean isStoreThread(Thread other) {
        return session.log().ownership().isBarred(other);
    }

    /** As {@link StoreSession#checkDisk()}. */
    void checkDisk() {
        session.checkDisk();
    }

    /** Requests that the task open the next session; false while another request is pending. */
    boolean askReopen(FutureTask<StoreSession> reopen) {
        boolean asked = reopening.compareAndSet(null, reopen);
        wakeUp.rouse();
        return asked;
    }

    /** Why the last attempt to make records durable failed, or null. */
    @Nullable
    StoreIoException forceFailure() {
        return forceFailure;
    }

    /** Lets the thread end once the sealed ring is empty, or at a time of {@link System#nanoTime()}. */
    void end(long byNs) {
        deadlineNs = byNs;
        closing = true;
        wakeUp.rouse();
    }

    @Override
    public void run() {
        while (!(closing && drained())) {
            try {
                step();
            } catch (VirtualMachineError e) {
                LockSupport.parkNanos(NAP_NS_MAX); // there may be memory afterwards
            } catch (Throwable e) {
                fail(e);
                LockSupport.parkNanos(NAP_NS_MAX);
            }
        }
        try {
            session.close();
        } catch (Throwable e) {
            closeFailure = e;
        }
    }

    /** Whether the sealed ring is empty, and the store knows of every drop. */
    private boolean drained() {
        return (gaveUp || !ring.pending()) && (failure != null || !intake.dropped());
    }

    private void step() {
        Thread.interrupted(); // such as by an index function; a pending interrupt would end every park
        long asked = syncsAsked.get();
        int read = ring.read(handler, BATCH);
        if (intake.dropped()) {
            collectDrops();
        }
        if (asked != syncsDone) {
            syncsDone = asked;
        }
        long forces = forcesAsked.get();
        if (forces != forcesDone) {
            force();
            forcesDone = forces;
        }
        if (reopening.get() != null) {
            reopen();
        }
        if (read != 0) {
            emptyReads = 0;
            nappedNs = 0;
        } else if (ring.pending()) {
            awaitCommit();
        } else if (nappedNs < NAPS_NS) {
            nap();
        } else {
            wakeUp.sleepUnless(work);
        }
    }

    /** A disk that refuses now does not fail the recorder: it continues, and so does the store. */
    private void force() {
        try {
            if (failure == null) {
                session.force();
            }
            forceFailure = null;
        } catch (StoreIoException e) {
            forceFailure = e;
        }
    }

    /** A failure is reported to the requester, and to pushing threads as well if the store is closed then. */
    private void reopen() {
        FutureTask<StoreSession> task = Objects.requireNonNull(reopening.get());
        task.run();
        try {
            session = task.get();
            log = session.log();
            intake.reopened(log.clock(), log.payloadLengthMax());
        } catch (ExecutionException | InterruptedException e) {
            if (!session.isOpen()) {
                fail(e);
            }
        } finally {
            reopening.set(null);
        }
    }

    private boolean hasWork() {
        boolean asked = syncsAsked.get() != syncsDone || forcesAsked.get() != forcesDone || reopening.get() != null;
        return closing || ring.pending() || asked || (intake.dropped() && failure == null);
    }

    private void nap() {
        if (!closing) {
            wakeUp.nap(napNs);
        }
        nappedNs += napNs;
    }

    /** Waits for an uncommitted claim, and ends it if its thread has ended, or the time to close is over. */
    private void awaitCommit() {
        emptyReads++;
        if (emptyReads < SPINS) {
            blockedNs = System.nanoTime();
            Thread.onSpinWait();
            return;
        }
        int blocked = ring.blockedIndex();
        ClaimSlot abandoned = claims.abandonedAt(blocked);
        if (abandoned != null) {
            if (abandoned.takeAbandoned(blocked)) { // else who got the object from its owner has just ended it
                endAbandoned(blocked);
            }
        } else if (intake.overflowed && intake.takeOrphan(blocked)) {
            endAbandoned(blocked);
        } else if (intake.overflowed
                && emptyReads >= OVERFLOWED_LOOKS
                && System.nanoTime() - blockedNs >= overflowedNs
                && !claims.heldAt(blocked)) {
            endAbandoned(NO_CLAIM);
            emptyReads = 0; // what follows may be of a thread that only waits for its turn
        } else if (ring.blockedCommitted()) {
            emptyReads = 0; // in time after all, as may be those behind it
        } else if (pastDeadline()) {
            int source = ring.blockedSource();
            long timeNs = ring.blockedTimeNs();
            boolean ended = ring.unblock();
            gaveUp = !ended && !ring.blockedCommitted();
            if (ended || gaveUp) {
                loseBlocked(source, timeNs);
            }
        } else {
            wakeUp.nap(emptyReads < 2 * SPINS ? NAP_NS_MIN : napNs);
        }
    }

    private boolean pastDeadline() {
        return closing && System.nanoTime() - deadlineNs >= 0;
    }

    private void onMessage(int sourceId, MutableDirectBuffer buffer, int index, int length) {
        SourceGate gate = gates.get(sourceId);
        long arrivedNs = RecorderRing.timeNs(buffer, index);
        if (failure != null) {
            loseFailed(gate);
            return;
        }
        try {
            store(gate, arrivedNs, buffer, RecorderRing.payloadIndex(index), RecorderRing.payloadLength(length));
        } catch (VirtualMachineError e) {
            intake.drop(gate.failed, arrivedNs);
        } catch (Throwable e) {
            loseFailed(gate);
            fail(e);
        }
    }

    private void store(SourceGate gate, long arrivedNs, MutableDirectBuffer buffer, int index, int length) {
        if (length > log.payloadLengthMax()) { // since staging had no room for the ring that the store had before
            lose(gate, LossReason.FAILED, arrivedNs);
            return;
        }
        long lastNs = log.lastTimeNs();
        long status = log.pushArrived(gate.id, arrivedNs, buffer, index, length);
        if (status == PushStatus.BACK_PRESSURED) {
            status = storeLater(gate, arrivedNs, buffer, index, length);
        }
        if (status >= 0) {
            gate.countPublished();
            if (arrivedNs < lastNs) {
                countRaised(lastNs - arrivedNs);
            }
        } else if (status == PushStatus.DROPPED) {
            gate.countDropped(LossReason.STORE_FULL); // the store has noted the loss itself
        } else {
            lose(gate, status == PushStatus.SOURCE_CLOSED ? LossReason.SOURCE_CLOSED : LossReason.CLOSED, arrivedNs);
        }
    }

    private void loseFailed(SourceGate gate) {
        lost.incrementAndGet();
        gate.countDropped(LossReason.FAILED);
    }

    /** Waits for room in the store, until the recorder is closed and its timeout is over. */
    private long storeLater(SourceGate gate, long arrivedNs, MutableDirectBuffer buffer, int index, int length) {
        long status = PushStatus.BACK_PRESSURED;
        long parkNs = NAP_NS_MIN;
        boolean first = true;
        while (status == PushStatus.BACK_PRESSURED && !pastDeadline()) {
            if (first) {
                waits.lazySet(waits.getPlain() + 1);
            }
            log.pause(parkNs, first);
            first = false;
            parkNs = Math.min(parkNs * 2, NAP_NS_MAX);
            if (intake.dropped()) {
                collectDrops();
            }
            status = log.pushArrived(gate.id, arrivedNs, buffer, index, length);
        }
        return status;
    }

    private void countRaised(long byNs) {
        raised.lazySet(raised.getPlain() + 1);
        if (byNs > raisedNsMax.getPlain()) {
            raisedNsMax.lazySet(byNs);
        }
    }

    private void lose(SourceGate gate, LossReason reason, long timeNs) {
        log.noteLoss(gate.id, reason, 1, timeNs, timeNs); // first, because it may fail
        if (reason == LossReason.CLOSED) {
            lost.incrementAndGet();
        }
        gate.countDropped(reason);
    }

    private void loseBlocked(int source, long timeNs) {
        if (source == 0) {
            lost.incrementAndGet();
        } else if (failure == null) {
            lose(gates.get(source), LossReason.CLOSED, timeNs);
        } else {
            loseFailed(gates.get(source));
        }
    }

    /**
     * Ends a claim that nobody else can end any more, even if its loss can't be noted now. Needs no memory: nobody would find the claim again.
     *
     * @param claim its index; {@link #NO_CLAIM} for the room of a claim that there is none of
     */
    private void endAbandoned(int claim) {
        int source = ring.blockedSource();
        if (source == 0) { // its thread did not get so far
            end(claim);
            return;
        }
        SourceGate gate = gates.get(source);
        long timeNs = ring.blockedTimeNs();
        try {
            if (failure == null) {
                lose(gate, LossReason.ABANDONED, timeNs);
            } else {
                loseFailed(gate);
            }
        } catch (VirtualMachineError e) {
            intake.drop(gate.failed, timeNs); // collected once there is memory
        } catch (RuntimeException e) {
            loseFailed(gate);
            fail(e);
        } finally {
            end(claim);
        }
    }

    private void end(int claim) {
        if (claim == NO_CLAIM) {
            ring.unblock();
        } else {
            intake.end(claim, false);
        }
    }

    private void collectDrops() {
        if (failure != null || !intake.takeDropped()) {
            return;
        }
        boolean collected = false;
        try {
            for (SourceGate gate : gates.all()) {
                if (gate != null) {
                    collect(gate.id, LossReason.RECORDER_FULL, gate.full);
                    collect(gate.id, LossReason.SAMPLED, gate.sampled);
                    collect(gate.id, LossReason.FAILED, gate.failed);
                }
            }
            collected = true;
        } finally {
            if (!collected) {
                intake.keepDropped();
            }
        }
    }

    private void collect(int sourceId, LossReason reason, DropWindow window) {
        if (window.hasNew()) {
            window.collect((records, firstNs, lastNs) -> log.noteLoss(sourceId, reason, records, firstNs, lastNs));
        }
    }

    private void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
            intake.refuse(PushStatus.FAILED);
        }
    }
}
