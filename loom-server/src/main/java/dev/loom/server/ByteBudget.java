package dev.loom.server;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes that all requests may hold between them. Usable from any thread. */
final class ByteBudget {
    private final long max;
    private final AtomicLong held = new AtomicLong();

    ByteBudget(long max) {
        this.max = max;
    }

    /** Takes bytes, which are to be {@linkplain #release given back}; false if fewer are left. */
    boolean reserve(long bytes) {
        boolean fits = held.addAndGet(bytes) <= max;
        if (!fits) {
            release(bytes);
        }
        return fits;
    }

    void release(long bytes) {
        held.addAndGet(-bytes);
    }

    /** The bytes taken. */
    long held() {
        return held.get();
    }
}
