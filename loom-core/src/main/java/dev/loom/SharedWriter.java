package dev.loom;

import dev.loom.error.SecondWriterException;
import dev.loom.record.RecordLog;

/**
 * Lets several threads take turns as a store's writer: each holds {@link #loom()} for itself between {@link #acquire} and
 * {@link #release()}. For threads that have many records at once, such as those of a server; a turn costs more than a push, and
 * a thread that waits for a full ring keeps the others waiting.
 *
 * <p>Usable from any thread. Turns are given in the order in which they were asked for. The turn of a thread that has ended is
 * over, and what it had claimed is aborted.
 */
public final class SharedWriter implements AutoCloseable {
    private final Loom loom;
    private final Turns turns = new Turns();
    private boolean closed;

    /**
     * @param loom which takes records from the thread alone that has the turn, from now on; closed by {@link #close()}
     * @throws SecondWriterException when it has another writer: a thread, a recorder, another shared writer
     */
    public SharedWriter(Loom loom) {
        this.loom = loom;
        loom.session().log().prepareHandOver();
        log().ownership().takeTurns(this);
    }

    /**
     * Waits for a turn. An interrupt ends the waiting, and is kept for the caller.
     *
     * @param timeoutNs how long, ns
     * @return whether the caller is the writer now, and must {@link #release()}; never once the store is closed
     * @throws SecondWriterException while another thread closes the store by itself
     */
    public boolean acquire(long timeoutNs) {
        if (!turns.acquire(Math.max(0, timeoutNs))) {
            return false;
        }
        if (closed) {
            turns.release();
            return false;
        }
        try {
            log().ownership().take(this);
        } catch (SecondWriterException e) {
            turns.release();
            throw e;
        } catch (IllegalStateException e) { // closed, but not by this
            turns.release();
            return false;
        }
        return true;
    }

    /**
     * Ends the caller's turn, and aborts its claim if one is open.
     *
     * @throws IllegalMonitorStateException when the caller has none
     */
    public void release() {
        if (turns.holds() == 1 && !closed) {
            log().endTurn();
        }
        turns.release();
    }

    /**
     * As {@link Loom#rebuildIndexes()}, once the turn that is under way has ended, while the others wait for theirs.
     *
     * @throws IllegalStateException when the store is closed
     */
    public void rebuildIndexes() {
        turns.acquire(-1);
        try {
            if (closed) {
                throw new IllegalStateException("store is closed");
            }
            log().ownership().take(this);
            try {
                loom.rebuildIndexes(next -> next.log().ownership().takeTurns(this));
            } catch (RuntimeException | Error e) {
                log().ownership().release();
                throw e;
            }
        } finally {
            turns.release();
        }
    }

    /** Whether the store is open; not, for good, once it was closed or could not be opened again. */
    public boolean isOpen() {
        return loom.session().isOpen();
    }

    private RecordLog log() {
        return loom.session().log();
    }

    /** The store. What only a writer may call is for the thread that has the turn. */
    public Loom loom() {
        return loom;
    }

    /** Waits for the turn that is under way, then closes the store. Idempotent. */
    @Override
    public void close() {
        turns.acquire(-1);
        try {
            if (!closed) {
                closed = true;
                closeStore();
            }
        } finally {
            turns.release();
        }
    }

    private void closeStore() {
        try {
            loom.close();
        } catch (SecondWriterException e) {
            closed = false; // the store is open
            throw e;
        }
    }
}
