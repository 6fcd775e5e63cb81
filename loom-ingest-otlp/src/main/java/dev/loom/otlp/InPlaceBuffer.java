package dev.loom.otlp;

import org.agrona.MutableDirectBuffer;

/**
 * Memory in which bytes are turned from one form into another without room for both: what is still to be read lies at its end,
 * what is written begins at its front, and what was read gives its place to what is written.
 *
 * <pre>
 *   offset                                                   offset + capacity
 *   | written: length    | room              | unread              |
 * </pre>
 *
 * <p>All bytes may move when room is asked for. Not safe for use by several threads at once.
 */
public class InPlaceBuffer {
    private final MutableDirectBuffer buffer;
    private int offset;
    private int capacity;
    private int length;
    private int unread;

    /**
     * One that holds nothing.
     *
     * @param buffer it is part of
     * @param offset of its first byte there
     * @param capacity bytes
     */
    public InPlaceBuffer(MutableDirectBuffer buffer, int offset, int capacity) {
        this.buffer = buffer;
        this.offset = offset;
        this.capacity = capacity;
    }

    /** Holds the bytes. */
    public final MutableDirectBuffer buffer() {
        return buffer;
    }

    /** Of the first byte written in {@link #buffer()}. */
    public final int offset() {
        return offset;
    }

    /** Bytes that it can hold as it is. */
    public final int capacity() {
        return capacity;
    }

    /** Bytes written. */
    public final int length() {
        return length;
    }

    /** Bytes that are still to be read. */
    public final int unread() {
        return unread;
    }

    /** Of the first byte to be read in {@link #buffer()}. */
    public final int unreadOffset() {
        return offset + capacity - unread;
    }

    /** Makes what was written into what is to be read: nothing is written afterwards. */
    public final void turn() {
        if (unread != 0) {
            throw new IllegalStateException("not all was read: unread=" + unread);
        }
        unread = length;
        length = 0;
        copy(offset, unreadOffset(), unread);
    }

    /**
     * Counts the first bytes to be read as read; what they held may be overwritten.
     *
     * @param count at most {@link #unread}
     */
    public final void read(int count) {
        if (count < 0 || count > unread) {
            throw new IllegalArgumentException(
                    "count is outside of what is to be read: count=" + count + ", unread=" + unread);
        }
        unread -= count;
    }

    /**
     * Makes room to write.
     *
     * @param count bytes
     * @return whether there is as much behind what was written; here, where the memory is fixed, only if there was before
     */
    public boolean ensure(int count) {
        return count <= room();
    }

    /** Bytes that can be written without asking for more. */
    public final int room() {
        return capacity - length - unread;
    }

    /**
     * Counts bytes that were stored behind those written.
     *
     * @param count there was room for
     */
    public final void written(int count) {
        if (count < 0 || count > room()) {
            throw new IllegalArgumentException("count is outside of the room: count=" + count + ", room=" + room());
        }
        length += count;
    }

    /**
     * Lets it be another part of the buffer, and moves all bytes there.
     *
     * @param newOffset of the first byte
     * @param newCapacity bytes, at least those written and to be read; when less than before, nothing may be left to be read;
     *     when the places overlap, the new one has to contain the old one, or begin where it does
     */
    protected final void place(int newOffset, int newCapacity) {
        int unreadFrom = unreadOffset();
        copy(offset, newOffset, length);
        offset = newOffset;
        capacity = newCapacity;
        copy(unreadFrom, unreadOffset(), unread);
    }

    /** The places may overlap: the JDK's own buffers rely on that in the call that this ends in. */
    private void copy(int from, int to, int count) {
        if (from != to) {
            buffer.putBytes(to, buffer, from, count);
        }
    }
}
