package dev.loom.query.model;

import dev.loom.error.LoomException;
import org.jspecify.annotations.Nullable;

/**
 * The memory that queries may hold together: each operator reserves its stated memory before it allocates it, and releases
 * it when it is closed. Thread-safe.
 *
 * <pre>
 *     QueryMemory all = new QueryMemory(64 &lt;&lt; 20);
 *     try (QueryMemory one = all.part()) {
 *         Histogram.of(...).memory(one).run();
 *     }
 * </pre>
 */
public final class QueryMemory implements AutoCloseable {
    /** Grants every request. */
    public static final QueryMemory UNLIMITED = new QueryMemory(Long.MAX_VALUE);

    private static final int SHARE = 4;

    private final @Nullable QueryMemory whole;
    private final long bytesMax;
    private long reserved;

    /** @param bytesMax bytes that all queries may hold together */
    public QueryMemory(long bytesMax) {
        this(null, bytesMax);
    }

    private QueryMemory(@Nullable QueryMemory whole, long bytesMax) {
        this.whole = whole;
        this.bytesMax = bytesMax;
    }

    /** The part of one query; closing it releases everything it reserved. */
    public QueryMemory part() {
        return new QueryMemory(this, bytesMax);
    }

    /** Bytes that all queries may hold together. */
    public long bytesMax() {
        return bytesMax;
    }

    /** Bytes reserved now. */
    public synchronized long reserved() {
        return reserved;
    }

    /**
     * Reserves memory.
     *
     * @throws Exhausted if less is left
     */
    public void reserve(long bytes) {
        if (whole != null) {
            whole.reserve(bytes, reserved() + bytes);
            count(bytes);
        } else {
            reserve(bytes, bytes);
        }
    }

    /** @param together including what the query had reserved before */
    private synchronized void reserve(long bytes, long together) {
        if (bytes > bytesMax - reserved) {
            throw new Exhausted(bytes, bytesMax - reserved, bytesMax, together <= bytesMax);
        }
        reserved += bytes;
    }

    private synchronized void count(long bytes) {
        reserved += bytes;
    }

    /**
     * Reserves a share of what is left, so that other queries find room too.
     *
     * @param least the fewest bytes needed
     * @param most the most bytes of use
     * @return bytes reserved
     * @throws Exhausted if fewer than the least are left
     */
    public long reserveShare(long least, long most) {
        QueryMemory from = whole == null ? this : whole;
        long bytes;
        synchronized (from) {
            bytes = Math.min(most, Math.max(least, (from.bytesMax - from.reserved) / SHARE));
            reserve(bytes);
        }
        return bytes;
    }

    /** Reserves memory if it is at most a share of what is left, so that other queries find room too. */
    public boolean reserveIfAmple(long bytes) {
        QueryMemory from = whole == null ? this : whole;
        synchronized (from) {
            boolean ample = bytes <= (from.bytesMax - from.reserved) / SHARE;
            if (ample) {
                reserve(bytes);
            }
            return ample;
        }
    }

    /** Releases memory that was reserved but that the JVM could not allocate; returns what to throw. */
    public Exhausted releaseRefused(long bytes, OutOfMemoryError cause) {
        release(bytes);
        long others = whole == null ? 0 : whole.reserved() - reserved();
        return new Exhausted(
                "the JVM has no memory left for the query: needed=" + bytes + ", reserved=" + reserved() + ", others="
                        + others,
                others > 0,
                cause);
    }

    /** Releases what was reserved, or part of it. */
    public void release(long bytes) {
        synchronized (this) {
            reserved -= bytes;
        }
        if (whole != null) {
            whole.release(bytes);
        }
    }

    /** Releases what is still reserved. */
    @Override
    public void close() {
        release(reserved());
    }

    /** A query would hold more memory than it may, or than the JVM has. */
    public static final class Exhausted extends LoomException {
        private static final long serialVersionUID = 1L;

        private final boolean mayPass;

        Exhausted(long bytes, long left, long bytesMax, boolean mayPass) {
            super("query memory is exhausted: needed=" + bytes + ", left=" + left + ", max=" + bytesMax);
            this.mayPass = mayPass;
        }

        Exhausted(String message, boolean mayPass, OutOfMemoryError cause) {
            super(message, cause);
            this.mayPass = mayPass;
        }

        /** Whether the query would succeed if no other query ran. */
        public boolean mayPass() {
            return mayPass;
        }
    }
}
