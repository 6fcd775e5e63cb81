package dev.loom.otlp.server;

import dev.loom.otlp.InPlaceBuffer;
import dev.loom.otlp.server.Refusal.Reason;
import java.nio.ByteBuffer;

/**
 * Contiguous bytes of the {@link InFlightBudget}: filled from the front, enlarged as needed, released once.
 *
 * <p>Not thread-safe.
 */
public final class Region extends InPlaceBuffer implements AutoCloseable {
    private final InFlightBudget budget;
    private int expected;
    private long lacking;
    private boolean closed;

    Region(InFlightBudget budget, int offset, int capacity) {
        super(budget.buffer(), offset, capacity);
        this.budget = budget;
        expected = budget.capacity();
    }

    /** The bytes written. */
    ByteBuffer filled() {
        return budget.view(offset(), length());
    }

    /** The room after the bytes written; {@link #written} counts what was used of it. */
    public ByteBuffer unfilled() {
        return budget.view(offset() + length(), room());
    }

    /**
     * The bytes after those written, even if they are still to be read: for a caller that is sure to read them first.
     *
     * @param count within the region
     */
    ByteBuffer unfilledOverUnread(int count) {
        return budget.view(offset() + length(), count);
    }

    /** The bytes to be read; {@link #readUntil} consumes them. */
    ByteBuffer unreadBytes() {
        return budget.view(unreadOffset(), unread());
    }

    /** Consumes the bytes before the position of {@link #unreadBytes}. */
    void readUntil(ByteBuffer bytes) {
        read(unread() - bytes.remaining());
    }

    /** Sets how many bytes will be written in the end, at most; the region does not grow beyond that without need. */
    void expect(int most) {
        expected = most;
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

    /** Makes room, if possible by doubling the capacity; false if the budget has none. */
    @Override
    public boolean ensure(int count) {
        long needed = (long) length() + unread() + count;
        if (needed <= capacity()) {
            return true;
        }
        long desired = Math.max(needed, Math.min(2L * capacity(), (long) expected + unread()));
        lacking = needed;
        return needed <= budget.capacity()
                && budget.grow(this, (int) needed, (int) Math.min(desired, budget.capacity()));
    }

    /**
     * Makes room for decoded bytes.
     *
     * @throws RefusalException if there is none
     */
    void require(int count) throws RefusalException {
        if (!ensure(count)) {
            throw noRoom();
        }
    }

    /** Why there was no room: other requests hold it, so a retry may succeed, or the whole budget is too small. */
    RefusalException noRoom() {
        if (lacking <= budget.capacity()) {
            return new RefusalException(InFlightBudget.NO_ROOM);
        }
        return new RefusalException(
                Reason.TOO_LARGE,
                "request is too large to decode in memory: decoded=" + length() + ", encoded=" + unread() + ", memory="
                        + budget.capacity());
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
