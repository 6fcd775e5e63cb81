package dev.loom.record;

import dev.loom.error.SecondWriterException;
import org.jspecify.annotations.Nullable;

/**
 * Which thread is the writer: at most one, from its first call until it releases the writer or ends. Changed under the
 * monitor, so that all that one owner has done happens before what the next one does.
 */
public final class WriterOwnership {
    /**
     * The owner, or null while it is summoned. Compared with the caller at each push, without order: only a thread itself, or
     * who started it and hands over to it, makes it the owner, and only itself ends that while it lives. So no thread finds
     * itself here that is not the owner.
     */
    @Nullable
    Thread owner;

    private @Nullable Thread holder;

    /** What the owner is to do before it writes again. */
    private @Nullable Runnable summons;

    private final Runnable onLeft;

    /** What threads take turns through, while they do. */
    private @Nullable Object turns;

    /** A thread of the store's own, in which index functions run. */
    private @Nullable Thread barred;

    private boolean closed;

    /** @param onLeft ends what the writer that has left or ended may have left open */
    WriterOwnership(Runnable onLeft) {
        this.onLeft = onLeft;
    }

    /**
     * Makes the calling thread the owner.
     *
     * @param through what the caller has its turn from, or null
     * @throws SecondWriterException when another thread is
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
            throw new SecondWriterException("threads take turns as the store's writer, and the caller has none: writer="
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
     * Has the owner, or who is it next, do something in its own thread before it writes again; when it fails, so does that, and
     * it is done again next time. Any thread. A later summons takes the place of an earlier one.
     */
    public synchronized void summon(Runnable task) {
        summons = task;
        owner = null;
    }

    /** As {@link #take}, whatever turns there are, and ends those. */
    public synchronized void takeToClose() {
        takeIfFree();
        turns = null;
    }

    /** Lets threads write in turns alone: {@link #take} and {@link #release}, again and again. */
    public synchronized void takeTurns(Object through) {
        take(null);
        release();
        turns = through;
    }

    /** Keeps a thread from ever being the owner. */
    public synchronized void bar(Thread thread) {
        barred = thread;
    }

    /** Whether the calling thread is the owner, though it may be summoned. */
    synchronized boolean isCaller() {
        return holder == Thread.currentThread();
    }

    /** Leaves it to the next thread that writes. Without effect when there is no owner. */
    public synchronized void release() {
        checkFree();
        leave();
    }

    /** Makes a thread, which has not written yet, the owner in place of the caller. */
    public synchronized void handOver(Thread next) {
        checkFree();
        hold(next);
    }

    /** Ends it for good: of a log that is closed nobody becomes the owner. */
    synchronized void close() {
        closed = true;
        leave();
    }

    private void takeIfFree() {
        checkFree();
        if (holder != Thread.currentThread()) {
            leave();
            hold(Thread.currentThread());
        }
    }

    private void leave() {
        if (holder != null) {
            hold(null);
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
        if (barred == Thread.currentThread()) {
            throw new SecondWriterException("an index function can't write to the store that calls it");
        }
        if (last != null && last != Thread.currentThread() && last.isAlive()) {
            throw new SecondWriterException(
                    "another thread is the store's writer: writer=" + last + ", caller=" + Thread.currentThread());
        }
    }
}
