package dev.loom.otlp.server;

import dev.loom.otlp.MessageBuffer;
import java.nio.ByteBuffer;

/**
 * Contiguous bytes of the {@link InFlightBudget}: filled from the front, enlarged as needed, released once.
 *
 * <p>Not thread-safe.
 */
public final class Region extends MessageBuffer implements AutoCloseable {
    private final InFlightBudget budget;
    private final int left;
    private int limit = Integer.MAX_VALUE;
    private boolean beyondLimit;
    private boolean closed;

    /**
     * A region without capacity.
     *
     * @param left bytes of the budget that it leaves to others when it grows
     */
    Region(InFlightBudget budget, int left) {
        super(budget.buffer(), 0, 0);
        this.budget = budget;
        this.left = left;
    }

    /** Bytes of the budget that it leaves to others when it grows. */
    int left() {
        return left;
    }

    /** The bytes written. */
    ByteBuffer filled() {
        return budget.view(offset(), length());
    }

    /** The room after the bytes written; {@link #written} counts what was used of it. */
    public ByteBuffer unfilled() {
        return budget.view(offset() + length(), room());
    }

    /** Sets how many bytes may be written, at most; the region does not grow beyond that. */
    public void limit(int most) {
        limit = most;
    }

    /** Whether room was refused because of the limit, and not because the budget has none. */
    boolean isBeyondLimit() {
        return beyondLimit;
    }

    /**
     * Writes bytes.
     *
     * @return false if there is no room for them; then nothing is written
     */
    boolean append(ByteBuffer bytes) {
        int count = bytes.remaining();
        if (!ensure(count)) {
            return false;
        }
        buffer().putBytes(offset() + length(), bytes, bytes.position(), count);
        bytes.position(bytes.limit());
        written(count);
        return true;
    }

    /** Makes room, if possible by doubling the capacity; false if the budget or the limit has none. */
    @Override
    public boolean ensure(int count) {
        long needed = (long) length() + count;
        if (needed <= capacity()) {
            return true;
        }
        beyondLimit = needed > limit;
        return !beyondLimit
                && budget.grow(this, (int) needed, (int) Math.min(limit, Math.max(needed, 2L * capacity())));
    }

    /**
     * Makes room for decoded bytes.
     *
     * @throws RefusalException if there is none
     */
    void require(int count) throws RefusalException {
        if (!ensure(count)) {
            throw new RefusalException(InFlightBudget.NO_ROOM);
        }
    }

    /** Releases the part that is not filled. */
    void trim() {
        int capacity = InFlightBudget.granulesOf(length()) * InFlightBudget.GRANULE;
        int spare = capacity() - capacity;
        if (spare > 0) {
            move(offset(), capacity);
            budget.release(offset() + capacity, spare);
        }
    }

    void move(int newOffset, int newCapacity) {
        place(newOffset, newCapacity);
    }

    /** Releases the bytes. Idempotent. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            budget.release(offset(), capacity());
        }
    }
}
