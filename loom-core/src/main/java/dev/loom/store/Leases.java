package dev.loom.store;

/**
 * Counts who uses something that must not be freed under them, and frees it when it is closed and the last has gone.
 * Thread-safe.
 */
final class Leases implements AutoCloseable {
    private final Runnable free;
    private int users;
    private boolean closed;

    Leases(Runnable free) {
        this.free = free;
    }

    /** Takes a lease; false when it is closed already. */
    synchronized boolean acquire() {
        if (closed) {
            return false;
        }
        users++;
        return true;
    }

    /** Takes one more while others are out, even when it is closed already; false when none is out. */
    synchronized boolean acquireMore() {
        if (users == 0) {
            return false;
        }
        users++;
        return true;
    }

    void release() {
        boolean last;
        synchronized (this) {
            users--;
            last = closed && users == 0;
        }
        if (last) {
            free.run();
        }
    }

    /** No more leases; frees at once if there are none. Idempotent. */
    @Override
    public void close() {
        boolean last;
        synchronized (this) {
            last = !closed && users == 0;
            closed = true;
        }
        if (last) {
            free.run();
        }
    }
}
