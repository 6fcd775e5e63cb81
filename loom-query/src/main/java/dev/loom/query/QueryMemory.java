package dev.loom.query;

import dev.loom.error.LoomException;
import org.jspecify.annotations.Nullable;

/**
 * The memory that queries may hold together: each operator reserves what it states before it takes it, and gives it back when it
 * is closed. Usable from any thread.
 *
 * <pre>
 *     QueryMemory all = new QueryMemory(64 &lt;&lt; 20);
 *     try (QueryMemory one = all.part()) {
 *         Histogram.of(...).memory(one).count();
 *     }
 * </pre>
 */
public final class QueryMemory implements AutoCloseable {
    /** As much as is asked for. */
    public static final QueryMemory UNLIMITED = new QueryMemory(Long.MAX_VALUE);

    private static final int SHARE = 4;

    private final @Nullable QueryMemory whole;
    private final long bytesMax;
    private long reserved;

    /**
     * Begins with nothing reserved.
     *
     * @param bytesMax bytes that all queries may hold together
     */
    public QueryMemory(long bytesMax) {
        this(null, bytesMax);
    }

    private QueryMemory(@Nullable QueryMemory whole, long bytesMax) {
        this.whole = whole;
        this.bytesMax = bytesMax;
    }

    /** What one query reserves of it; closing that gives back all. */
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
     * @throws Exhausted when that is more than is left
     */
    public void reserve(long bytes) {
        if (whole != null) {
            whole.reserve(bytes, reserved() + bytes);
            count(bytes);
        } else {
            reserve(bytes, bytes);
        }
    }

    /** @param together with what the query has reserved before */
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
     * Reserves a share of what is left, so that others find room too.
     *
     * @param least bytes that there must be
     * @param most bytes that are of use
     * @return bytes reserved
     * @throws Exhausted when there is less than the least
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

    /** Reserves memory if others find room too after that: no more than a share of what is left. */
    boolean reserveIfAmple(long bytes) {
        QueryMemory from = whole == null ? this : whole;
        synchronized (from) {
            boolean ample = bytes <= (from.bytesMax - from.reserved) / SHARE;
            if (ample) {
                reserve(bytes);
            }
            return ample;
        }
    }

    /** Gives back what was reserved, or a part of it. */
    public void release(long bytes) {
        synchronized (this) {
            reserved -= bytes;
        }
        if (whole != null) {
            whole.release(bytes);
        }
    }

    /** Gives back what is left. */
    @Override
    public void close() {
        release(reserved());
    }

    /** Queries hold, or would hold, more memory than they may. */
    public static final class Exhausted extends LoomException {
        private static final long serialVersionUID = 1L;

        private final boolean mayPass;

        Exhausted(long bytes, long left, long bytesMax, boolean mayPass) {
            super("memory for queries is used up: needed=" + bytes + ", left=" + left + ", max=" + bytesMax);
            this.mayPass = mayPass;
        }

        /** Whether there is enough of it when no other query runs. */
        public boolean mayPass() {
            return mayPass;
        }
    }
}
