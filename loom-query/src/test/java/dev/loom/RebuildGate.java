package dev.loom;

import dev.loom.error.StoreIoException;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Lets the thread that rebuilds indexes make a number of calls to its files, and no more. */
public final class RebuildGate extends UnsyncedStorage {
    private @Nullable Thread thread;
    private int calls;
    private int failures;
    private boolean waiting;
    private boolean closed;

    @Override
    protected synchronized void onCall(Path file) {
        Thread current = Thread.currentThread();
        if (!current.getName().equals("loom-index")) {
            return;
        }
        thread = current;
        if (failures > 0) {
            failures--;
            throw new OutOfMemoryError("injected: file=" + file);
        }
        while (calls == 0 && !closed) {
            waiting = true;
            notifyAll();
            pause();
            waiting = false;
        }
        if (closed) {
            throw new StoreIoException("the gate is closed: file=" + file, null);
        }
        calls--;
    }

    /** For a moment, as a thread that ends tells nobody. */
    @SuppressWarnings("WaitNotInLoop") // the callers loop
    private void pause() {
        try {
            wait(1);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Opens the gate for a number of calls, and returns when they were made, or the thread has ended. */
    public synchronized void pass(int more, BooleanSupplier pending) {
        calls += more;
        notifyAll();
        while (thread == null ? pending.getAsBoolean() : thread.isAlive() && !(waiting && calls == 0)) {
            pause();
        }
        calls = 0;
    }

    /** Lets the next calls, as many as given, find no memory. */
    public synchronized void failNext(int count) {
        failures = count;
    }

    /** Fails the call that is waiting, and those to come, so that the thread ends. */
    public synchronized void close() {
        closed = true;
        notifyAll();
    }

    /** For another session. */
    public synchronized void reset() {
        closed = false;
        thread = null;
        calls = 0;
    }
}
