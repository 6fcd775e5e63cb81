package dev.loom.otlp.server;

import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;

/**
 * Contiguous bytes of the {@link InFlightBudget}: filled from the front, growing as it is filled, given back once.
 *
 * <p>Not safe for use by several threads at once.
 */
public final class Region implements AutoCloseable {
    private final InFlightBudget budget;
    private int offset;
    private int capacity;
    private int length;
    private boolean closed;

    Region(InFlightBudget budget, int offset, int capacity) {
        this.budget = budget;
        this.offset = offset;
        this.capacity = capacity;
    }

    /** Holds the bytes, at {@link #offset()}. */
    public DirectBuffer buffer() {
        return budget.buffer();
    }

    /** Of the first byte in {@link #buffer()}; changes when the region grows. */
    public int offset() {
        return offset;
    }

    /** Bytes filled. */
    int length() {
        return length;
    }

    /** Bytes that it can hold without growing. */
    int capacity() {
        return capacity;
    }

    /** The bytes filled. */
    ByteBuffer filled() {
        return budget.view(offset, length);
    }

    /** The bytes that can be filled; {@link #fill} tells how many were. */
    public ByteBuffer unfilled() {
        return budget.view(offset + length, capacity - length);
    }

    /** Counts bytes that were stored at the front of {@link #unfilled}. */
    void fill(int count) {
        if (count < 0 || count > capacity - length) {
            throw new IllegalArgumentException(
                    "count is outside the region: count=" + count + ", room=" + (capacity - length));
        }
        length += count;
    }

    /**
     * Appends bytes.
     *
     * @param most what the region will hold in the end at most, as far as is known
     * @return false when there is no room for them; then nothing is appended
     */
    boolean append(ByteBuffer bytes, int most) {
        int count = bytes.remaining();
        if (!ensure(count, most)) {
            return false;
        }
        budget.buffer().putBytes(offset + length, bytes, bytes.position(), count);
        bytes.position(bytes.limit());
        length += count;
        return true;
    }

    /**
     * Makes room, as much again as there is if possible.
     *
     * @param count bytes that must fit after those filled
     * @param most what the region will hold in the end at most, as far as is known
     * @return whether there is room for {@code count} bytes
     */
    boolean ensure(int count, int most) {
        long needed = (long) length + count;
        if (needed <= capacity) {
            return true;
        }
        if (needed > budget.capacity()) {
            return false;
        }
        long desired = Math.max(needed, Math.min(2L * capacity, most));
        return budget.grow(this, (int) needed, (int) Math.min(desired, budget.capacity()));
    }

    void place(int newOffset, int newCapacity) {
        offset = newOffset;
        capacity = newCapacity;
    }

    /** Gives the bytes back. Idempotent. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            budget.release(offset, capacity);
        }
    }
}
