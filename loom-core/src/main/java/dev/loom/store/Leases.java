package dev.loom.store;

/** Counts the users of a resource, and frees it once it is closed and the last user is gone. Thread-safe. */
final class Leases implements AutoCloseable {
    private final Runnable free;
    private int users;
    private boolean closed;

    Leases(Runnable free) {
        this.free = free;
    }

    /** Takes a lease; false if closed. */
    synchronized boolean acquire() {
        if (closed) {
            return false;
        }
        users++;
        return true;
    }

    /** Takes a further lease while others are out, even if closed; false if none is out. */
    synchronized boolean acquireMore() {
        if (users == 0) {
            return false;
        }
        users++;
        return true;
    }

    /** How many leases are out. */
    synchronized int users() {
        return users;
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

    /** Grants no more leases; frees at once if none is out. Idempotent. */
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
