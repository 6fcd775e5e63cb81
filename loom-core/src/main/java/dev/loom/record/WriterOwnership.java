package dev.loom.record;

import dev.loom.error.SecondWriterException;
import dev.loom.index.FunctionGuard;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the writer's thread: at most one, from its first call until it releases the role or ends. Changed under the
 * monitor, so that everything one owner does happens before what the next one does. Refuses what the owner calls while
 * a claim is open, or code of the program's own runs within a push.
 */
public final class WriterOwnership implements FunctionGuard {
    static final int OPEN = 0;
    private static final int CLAIMED = 1;
    static final int IN_FUNCTION = 2;

    /**
     * The owner, or null while it is summoned. Every push compares it with the caller, without ordering. Only the
     * thread itself, or the thread that starts it and hands over to it, makes a thread the owner, and only that thread
     * ends this while it lives. So no other thread ever finds itself here.
     */
    private @Nullable Thread owner;

    /** What the owner may call now, in one field so that it takes one test. The owner's alone. */
    int gate = OPEN;

    private int gateOutside = OPEN;
    private int claimedSourceId;

    private @Nullable Thread holder;

    /** The task for the owner to run before it writes again. */
    private @Nullable Runnable summons;

    private final Runnable onLeft;

    /** The object through which threads take turns, if they do. */
    private @Nullable Object turns;

    /** Threads of the store's own, in which index functions and the clock run, and formats are read. */
    private final Set<Thread> barred = Collections.newSetFromMap(new WeakHashMap<>());

    private boolean closed;

    /** @param onLeft ends the claim that a writer which released the role or ended left open */
    WriterOwnership(Runnable onLeft) {
        this.onLeft = onLeft;
    }

    /** Makes the caller the owner; one load and one comparison if it already is. */
    void own() {
        if (owner != Thread.currentThread()) {
            take(null);
        }
    }

    /**
     * As {@link #own}, and checks that another record may be written, or another thread take over.
     *
     * @throws IllegalStateException when the log is closed, or a claim is open
     * @throws SecondWriterException in an index function or a record's accessor
     */
    public void admit() {
        own();
        if (gate != OPEN) {
            refuse();
        }
    }

    private void refuse() {
        if (gate == IN_FUNCTION) {
            throw new SecondWriterException(
                    "an index function or a record's accessor can't write to the store that calls it");
        }
        throw new IllegalStateException("a claim is neither committed nor aborted: source=" + claimedSourceId);
    }

    /** Until {@link #endClaim()} or the owner's end, {@link #admit} refuses. */
    void beginClaim(int sourceId) {
        gate = CLAIMED;
        claimedSourceId = sourceId;
    }

    void endClaim() {
        gate = OPEN;
    }

    /** Until {@link #leave()}, refuses writes by code that runs within a push. */
    @Override
    public void enter() {
        StackProbe.requireSome(); // the code may go as deep as it likes, but this must be left
        gateOutside = gate;
        gate = IN_FUNCTION;
    }

    @Override
    public void leave() {
        gate = gateOutside;
    }

    /**
     * Makes the calling thread the owner.
     *
     * @param through the object that gave the caller its turn, or null
     * @throws SecondWriterException when another thread is the owner
     * @throws IllegalStateException when the log is closed
     */
    public void take(@Nullable Object through) {
        Runnable task = takeOver(through);
        if (task != null) {
            answer(task);
        }
    }

    private synchronized @Nullable Runnable takeOver(@Nullable Object through) {
        if (closed) {
            throw new IllegalStateException("store is closed");
        }
        boolean summoned = summons != null && holder == Thread.currentThread();
        if (turns != through && turns != null && !summoned) {
            throw new SecondWriterException("caller does not hold the writer's turn: writer="
                    + (holder == null ? "none" : holder) + ", caller=" + Thread.currentThread());
        }
        takeIfFree();
        Runnable task = summons;
        summons = null;
        owner = holder;
        return task;
    }

    private void answer(Runnable task) {
        boolean done = false;
        try {
            task.run();
            done = true;
        } finally {
            if (!done) {
                summon(task);
            }
        }
    }

    /**
     * Makes the owner, or the next one, run a task on its thread before it writes again. If the task fails, that write
     * fails too, and the task runs again the next time. A later summons replaces an earlier one. Any thread.
     */
    public synchronized void summon(Runnable task) {
        summons = task;
        owner = null;
    }

    /** As {@link #take}, regardless of turns, and ends them; aborts a claim that is open. */
    public synchronized void takeToClose() {
        refuseInFunction();
        takeIfFree();
        if (gate == CLAIMED) {
            endClaim();
            onLeft.run();
        }
        turns = null;
    }

    /** From now on threads write only in turns, each between {@link #take} and {@link #release}. */
    public void takeTurns(Object through) {
        take(null); // not while others wait for this object: a summons waits for the evictor, which may be one of them
        synchronized (this) {
            release();
            turns = through;
        }
    }

    /** Whether threads write only in turns. */
    public synchronized boolean inTurns() {
        return turns != null;
    }

    /** Keeps a thread from ever being the owner. */
    public synchronized void bar(Thread thread) {
        barred.add(thread);
    }

    /** Whether a thread is kept from ever being the owner. */
    public synchronized boolean isBarred(Thread thread) {
        return barred.contains(thread);
    }

    /**
     * Throws on a thread that can't be the owner. For calls that wait before they become the owner: who closes the store waits for these
     * threads.
     *
     * @throws SecondWriterException in an index function, a format or the clock, on a thread of the store's own
     */
    public void refuseBarred() {
        if (isBarred(Thread.currentThread())) {
            throw new SecondWriterException(
                    "an index function, a format or a clock can't write to the store that calls it");
        }
    }

    /**
     * Throws in code of the program's own that the store calls, within a push or on a thread of the store's own. For calls that may wait for
     * the store's closing, which waits for this code.
     *
     * @throws IllegalStateException in an index function, a format, a record's accessor, or the clock on a thread of the store's own
     */
    public synchronized void refuseInside() {
        if (isBarred(Thread.currentThread()) || (gate == IN_FUNCTION && isCaller())) {
            throw new IllegalStateException(
                    "an index function, a format, a record's accessor or a clock can't ask the store that calls it");
        }
    }

    /** Whether the calling thread is the owner, summoned or not. */
    private synchronized boolean isCaller() {
        return holder == Thread.currentThread();
    }

    /**
     * Releases ownership to the next thread that writes. No effect without an owner.
     *
     * @throws IllegalStateException while a claim is open
     */
    public synchronized void release() {
        if (gate == CLAIMED && isCaller()) {
            refuse();
        }
        endTurn();
    }

    /** As {@link #release()}, but aborts a claim that is open. */
    public synchronized void endTurn() {
        refuseInFunction();
        checkFree();
        disown();
    }

    private void refuseInFunction() {
        if (gate == IN_FUNCTION && isCaller()) {
            refuse();
        }
    }

    /** Makes a thread that has not written yet the owner in place of the caller. */
    public synchronized void handOver(Thread next) {
        checkFree();
        hold(next);
    }

    /** Ends ownership for good: nobody becomes the owner of a closed log. */
    synchronized void close() {
        closed = true;
        disown();
    }

    private void takeIfFree() {
        checkFree();
        if (holder != Thread.currentThread()) {
            disown();
            hold(Thread.currentThread());
        }
    }

    private void disown() {
        if (holder != null) {
            hold(null);
            endClaim();
            onLeft.run();
        }
    }

    private void hold(@Nullable Thread thread) {
        holder = thread;
        owner = summons == null ? thread : null;
    }

    /** The end of a thread happens before {@code isAlive} is false. */
    private void checkFree() {
        Thread last = holder;
        refuseBarred();
        if (last != null && last != Thread.currentThread() && last.isAlive()) {
            throw new SecondWriterException(
                    "another thread is the store's writer: writer=" + last + ", caller=" + Thread.currentThread());
        }
    }
}
