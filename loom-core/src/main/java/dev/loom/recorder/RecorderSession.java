package dev.loom.recorder;

import dev.loom.api.DropPolicy;
import dev.loom.api.LossReason;
import dev.loom.api.PushStatus;
import dev.loom.api.RecorderClaim;
import dev.loom.api.Source;
import dev.loom.error.StoreIoException;
import dev.loom.io.StoreThread;
import dev.loom.record.RecordLog;
import dev.loom.store.StoreSession;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A recorder from start to close: its ring, its thread, and the callers that wait for them. Usable from any thread.
 */
public final class RecorderSession {
    public static final int RING_BYTES_MIN = RecorderRing.BYTES_MIN;
    public static final int RING_BYTES_MAX = RecorderRing.BYTES_MAX;

    /** How long closing the store may take, which allows a failing disk a few retries. */
    private static final long STORE_CLOSE_NS = TimeUnit.SECONDS.toNanos(10);

    private static final long POLL_NS_MIN = 20_000;
    private static final long POLL_NS_MAX = 1_000_000;

    private final RecorderRing ring;
    private final SourceGates gates = new SourceGates();
    private final ClaimSlots claims = new ClaimSlots();
    private final Intake intake;
    private final RecorderWriter writer;
    private final Thread thread;
    private final long closeTimeoutNs;
    private final long storeCloseNs;
    private boolean closing;
    private boolean failuresTold;

    /**
     * Starts a recorder over a store.
     *
     * @throws dev.loom.error.SecondWriterException when the store has another writer
     */
    public RecorderSession(StoreSession store, int ringBytes, DropPolicy policy, long closeTimeoutNs) {
        this(store, ringBytes, policy, closeTimeoutNs, STORE_CLOSE_NS);
    }

    RecorderSession(StoreSession store, int ringBytes, DropPolicy policy, long closeTimeoutNs, long storeCloseNs) {
        this.closeTimeoutNs = closeTimeoutNs;
        this.storeCloseNs = storeCloseNs;
        this.ring = new RecorderRing(ringBytes);
        for (Source source : store.schema().current().sources()) {
            gates.add(source.id(), policy, source.closed());
        }
        WakeUp wakeUp = new WakeUp();
        this.intake =
                new Intake(ring, gates, store.log().clock(), wakeUp, store.log().payloadLengthMax());
        this.writer = new RecorderWriter(ring, gates, intake, claims, wakeUp, store, RecorderWriter.OVERFLOWED_NS);
        this.thread = StoreThread.of("loom-recorder", writer);
        start(store.log());
    }

    /** The thread writes nothing until it gets records, so it may start before it is the writer's owner. */
    private void start(RecordLog log) {
        log.ownership().admit();
        try {
            thread.start();
        } catch (Throwable e) {
            log.ownership().release();
            throw e;
        }
        log.ownership().handOver(thread);
    }

    public Intake intake() {
        return intake;
    }

    public RecorderClaim newClaim() {
        return claims.add(intake, ring);
    }

    /** Allocates memory for a source that is about to be defined. */
    public void prepareSource(int sourceId, DropPolicy policy) {
        gates.add(sourceId, policy, true);
    }

    /** Admits a prepared source's records. */
    public void openSource(int sourceId) {
        gates.get(sourceId).open();
    }

    public void policy(int sourceId, DropPolicy policy) {
        gates.get(sourceId).policy(policy);
    }

    /**
     * Refuses a source's records from now on, and waits for those taken before, at most for the close timeout. An interrupt does not end the
     * wait, and is kept.
     */
    public void closeSource(int sourceId) {
        gates.get(sourceId).close();
        sync(closeTimeoutNs, false);
    }

    /**
     * Waits until everything offered by any thread so far is in the store, and the store knows of the drops.
     *
     * @param timeoutNs the longest wait, or less than 0 to wait for ever
     * @return whether that is done; an interrupt ends the wait, and the interrupt status is kept
     */
    public boolean sync(long timeoutNs) {
        return sync(timeoutNs, true);
    }

    private boolean sync(long timeoutNs, boolean interruptible) {
        long position = ring.tail();
        long ticket = writer.ask();
        BooleanSupplier done = () -> ring.head() >= position && writer.answered(ticket);
        return await(done, timeoutNs, interruptible) && writer.failure() == null;
    }

    /**
     * Waits until everything offered by any thread so far is durable.
     *
     * @param timeoutNs as in {@link #sync}
     * @return as in {@link #sync}
     * @throws StoreIoException when the disk refuses, or has kept the records from entering the store in time
     */
    public boolean force(long timeoutNs) {
        long start = System.nanoTime();
        if (!sync(timeoutNs)) {
            checkDisk();
            return false;
        }
        long leftNs = timeoutNs < 0 ? timeoutNs : Math.max(0, timeoutNs - (System.nanoTime() - start));
        long ticket = writer.askForce();
        if (!await(() -> writer.forced(ticket), leftNs)) {
            checkDisk();
            return false;
        }
        StoreIoException failure = writer.forceFailure();
        if (failure != null) {
            throw new StoreIoException(String.valueOf(failure.getMessage()), failure);
        }
        return writer.failure() == null;
    }

    /**
     * Makes the recorder's thread open the next session of the store, once everything offered by any thread so far is
     * in this one.
     *
     * @param timeoutNs as in {@link #sync}
     * @return as in {@link #sync}; also false while another caller waits for the same
     * @throws StoreIoException when the store can't be opened again
     */
    public boolean reopen(Callable<StoreSession> next, long timeoutNs) {
        FutureTask<StoreSession> task = new FutureTask<>(next);
        if (!sync(timeoutNs) || !writer.askReopen(task) || !await(task::isDone, timeoutNs)) {
            return false;
        }
        try {
            task.get();
            return true;
        } catch (ExecutionException e) {
            throw new StoreIoException("the store could not be reopened: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** An interrupted caller has not waited for the disk. */
    private void checkDisk() {
        if (!Thread.currentThread().isInterrupted()) {
            writer.checkDisk();
        }
    }

    private boolean await(BooleanSupplier answered, long timeoutNs) {
        return await(answered, timeoutNs, true);
    }

    /** Returns whether it became true before the timeout, the end of the thread, or an interrupt of the caller, if that counts. */
    private boolean await(BooleanSupplier answered, long timeoutNs, boolean interruptible) {
        Thread caller = Thread.currentThread();
        boolean inside = isWaitedFor(caller);
        long start = System.nanoTime();
        long parkNs = POLL_NS_MIN;
        boolean interrupted = false;
        try {
            while (!answered.getAsBoolean()) {
                boolean over = timeoutNs >= 0 && System.nanoTime() - start >= timeoutNs;
                if (over || !thread.isAlive() || inside || (interruptible && caller.isInterrupted())) {
                    return false;
                }
                interrupted |= !interruptible && Thread.interrupted();
                LockSupport.parkNanos(parkNs);
                parkNs = Math.min(parkNs * 2, POLL_NS_MAX);
            }
            return true;
        } finally {
            if (interrupted) {
                caller.interrupt();
            }
        }
    }

    public long published(int sourceId) {
        return gates.get(sourceId).published();
    }

    public long dropped(int sourceId, LossReason reason) {
        return gates.get(sourceId).dropped(reason);
    }

    public int usedBytes() {
        return ring.used();
    }

    public long raised() {
        return writer.raised();
    }

    public Duration raisedMax() {
        return Duration.ofNanos(writer.raisedNsMax());
    }

    public long waits() {
        return writer.waits();
    }

    public @Nullable Throwable failure() {
        return writer.failure();
    }

    /**
     * Refuses further records, stores those taken, and closes the store. Idempotent. Returns within the close timeout
     * and ten seconds for the store.
     *
     * @throws StoreIoException when not all records taken are in the store, or the store was not closed cleanly
     */
    public void close() {
        synchronized (thread) {
            boolean first = !closing;
            closing = true;
            if (first) {
                intake.refuse(PushStatus.CLOSED);
                writer.end(System.nanoTime() + closeTimeoutNs);
            }
        }
        if (isWaitedFor(Thread.currentThread())) {
            return; // such as from an index function: the thread continues closing by itself
        }
        if (!joined(closeTimeoutNs + storeCloseNs)) {
            throw new StoreIoException("the store could not be closed in time: ms="
                    + TimeUnit.NANOSECONDS.toMillis(closeTimeoutNs + storeCloseNs));
        }
        boolean unreported;
        synchronized (thread) {
            unreported = !failuresTold;
            failuresTold = true;
        }
        if (unreported) { // to one caller, be it not the first, who may have waited in vain
            throwFailures();
        }
    }

    /** Whether the recorder's closing waits for a thread, on which an index function may run. */
    private boolean isWaitedFor(Thread caller) {
        return caller == thread || writer.isStoreThread(caller);
    }

    private boolean joined(long timeoutNs) {
        long byNs = System.nanoTime() + timeoutNs;
        boolean interrupted = false;
        for (long leftNs = timeoutNs; thread.isAlive() && leftNs > 0; leftNs = byNs - System.nanoTime()) {
            try {
                TimeUnit.NANOSECONDS.timedJoin(thread, leftNs);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    private void throwFailures() {
        Throwable failure = writer.failure() == null ? writer.closeFailure() : writer.failure();
        if (failure != null) {
            throw new StoreIoException("the store has failed: lost=" + writer.lost() + ", reason=" + failure, failure);
        }
        if (writer.lost() != 0) {
            throw new StoreIoException("records were not stored in time: lost=" + writer.lost());
        }
    }
}
