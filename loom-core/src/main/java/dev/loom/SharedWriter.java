package dev.loom;

import dev.loom.error.SecondWriterException;
import dev.loom.error.StoreReopenedException;
import dev.loom.record.RecordLog;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Lets several threads take turns as a store's writer: each has {@link #loom()} to itself between {@link #acquire} and
 * {@link #release()}. For threads that have many records at once, such as those of a server. A turn costs more than a
 * push, and a thread that waits for a full ring keeps the others waiting.
 *
 * <p>Usable from any thread. Turns are granted in the order of the requests. A thread that ends loses its turn, and its
 * claim is aborted.
 */
public final class SharedWriter implements AutoCloseable {
    private final Loom loom;
    private final Turns turns = new Turns();
    private boolean closed;

    /**
     * @param loom the store, which from now on takes records only from the thread whose turn it is; {@link #close()}
     *     closes it
     * @throws SecondWriterException when the store has another writer: a thread, a recorder, another shared writer
     */
    public SharedWriter(Loom loom) {
        this.loom = loom;
        loom.session().log().ownership().admit();
        log().ownership().takeTurns(this);
    }

    /**
     * Waits for a turn. An interrupt ends the wait; the interrupt status is kept.
     *
     * @return whether the caller is now the writer, and must {@link #release()}; false once the store is closed
     * @throws SecondWriterException while another thread closes the store by itself, and in an index function, a format or a clock on a
     *     thread of the store's own
     * @throws StoreReopenedException when another writer has taken the store
     */
    public boolean acquire(Duration longest) {
        log().ownership().refuseBarred();
        if (!turns.acquire(Math.max(0, TimeUnit.NANOSECONDS.convert(longest)))) {
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
        } catch (IllegalStateException e) { // closed by other means
            turns.release();
            return false;
        } catch (RuntimeException | Error e) { // what the store had the writer do before, as it was taken over
            try {
                if (turns.holds() == 1) {
                    log().ownership().endTurn();
                }
            } finally {
                turns.release();
            }
            throw e;
        }
        return true;
    }

    /**
     * Ends the caller's turn, and aborts its claim if one is open.
     *
     * @throws IllegalMonitorStateException when it is not the caller's turn
     */
    public void release() {
        if (turns.holds() == 1 && !closed) {
            log().ownership().endTurn();
        }
        turns.release();
    }

    /**
     * As {@link Loom#rebuildIndexes()}, after the current turn, while other threads wait for theirs.
     *
     * @throws IllegalStateException when the store is closed, or it is the caller's turn, which would end
     */
    public void rebuildIndexes() {
        log().ownership().refuseBarred();
        turns.acquire(-1);
        try {
            if (turns.holds() > 1) {
                throw new IllegalStateException("indexes can't be rebuilt within a turn: release it first");
            }
            if (closed) {
                throw new IllegalStateException("store is closed");
            }
            try {
                log().ownership().take(this);
                loom.rebuildIndexes(next -> next.log().ownership().takeTurns(this));
            } catch (SecondWriterException e) {
                throw e;
            } catch (RuntimeException | Error e) {
                log().ownership().release();
                throw e;
            }
        } finally {
            turns.release();
        }
    }

    /** Whether the store is open. False for good once it was closed or could not be opened again. */
    public boolean isOpen() {
        return loom.isOpen();
    }

    private RecordLog log() {
        return loom.session().log();
    }

    /** The store. Only the thread whose turn it is may call the writer's methods. */
    public Loom loom() {
        return loom;
    }

    /** Waits for the current turn to end, then closes the store. Idempotent. */
    @Override
    public void close() {
        log().ownership().refuseBarred();
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
            closed = false; // the store stays open
            throw e;
        }
    }
}
