package dev.loom.otlp.server;

import dev.loom.otlp.InPlaceBuffer;
import dev.loom.otlp.server.Refusal.Reason;
import java.nio.ByteBuffer;

/**
 * Contiguous bytes of the {@link InFlightBudget}: filled from the front, growing as they are filled, given back once.
 *
 * <p>Not safe for use by several threads at once.
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

    /** The room behind what was written; {@link #written} tells how much was used. */
    public ByteBuffer unfilled() {
        return budget.view(offset() + length(), room());
    }

    /**
     * The bytes behind what was written, though they hold bytes that are to be read: for who knows that he reads those first.
     *
     * @param count within the region
     */
    ByteBuffer unfilledOverUnread(int count) {
        return budget.view(offset() + length(), count);
    }

    /** The bytes to be read; {@link #readUntil} tells what is left. */
    ByteBuffer unreadBytes() {
        return budget.view(unreadOffset(), unread());
    }

    /** Counts as read what is before the position of {@link #unreadBytes}. */
    void readUntil(ByteBuffer bytes) {
        read(unread() - bytes.remaining());
    }

    /** Says how many bytes will be written in the end at most, as far as is known: it does not grow beyond without need. */
    void expect(int most) {
        expected = most;
    }

    /**
     * Writes bytes.
     *
     * @return false when there is no room for them; then nothing is written
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

    /** Makes room, as much again as it has if possible; not, where there is none in the budget. */
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
     * Makes room for another form of what it holds.
     *
     * @throws RefusalException when there is none
     */
    void require(int count) throws RefusalException {
        if (!ensure(count)) {
            throw noRoom();
        }
    }

    /** Why there was no room: for the sake of others, which is to be tried again, or because it could not do alone. */
    RefusalException noRoom() {
        if (lacking <= budget.capacity()) {
            return new RefusalException(InFlightBudget.NO_ROOM);
        }
        return new RefusalException(
                Reason.TOO_LARGE,
                "request is too large for its memory while it is decoded: decoded=" + length() + ", encoded=" + unread()
                        + ", memory=" + budget.capacity());
    }

    /** Gives back what was not filled. */
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

    /** Gives the bytes back. Idempotent. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            budget.release(offset(), capacity());
        }
    }
}
