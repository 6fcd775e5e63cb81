package dev.loom.otlp;

import org.agrona.MutableDirectBuffer;

/**
 * Memory for converting bytes in place, without room for both forms: unread input lies at the end, output grows from the
 * front, and output takes the place of input that was read.
 *
 * <pre>
 *   offset                                                   offset + capacity
 *   | written: length    | room              | unread              |
 * </pre>
 *
 * <p>All bytes may move when room is requested. Not thread-safe.
 */
public class InPlaceBuffer {
    private final MutableDirectBuffer buffer;
    private int offset;
    private int capacity;
    private int length;
    private int unread;

    /**
     * An empty buffer.
     *
     * @param buffer the memory that it is part of
     * @param offset of its first byte there
     * @param capacity in bytes
     */
    public InPlaceBuffer(MutableDirectBuffer buffer, int offset, int capacity) {
        this.buffer = buffer;
        this.offset = offset;
        this.capacity = capacity;
    }

    /** The memory that holds the bytes. */
    public final MutableDirectBuffer buffer() {
        return buffer;
    }

    /** The offset of the first byte written, in {@link #buffer()}. */
    public final int offset() {
        return offset;
    }

    /** The bytes that it can hold without growing. */
    public final int capacity() {
        return capacity;
    }

    /** Bytes written. */
    public final int length() {
        return length;
    }

    /** Bytes still to be read. */
    public final int unread() {
        return unread;
    }

    /** The offset of the first byte to be read, in {@link #buffer()}. */
    public final int unreadOffset() {
        return offset + capacity - unread;
    }

    /** Turns what was written into what is to be read; nothing is written afterwards. */
    public final void turn() {
        if (unread != 0) {
            throw new IllegalStateException("unread bytes remain: unread=" + unread);
        }
        unread = length;
        length = 0;
        copy(offset, unreadOffset(), unread);
    }

    /**
     * Consumes the first bytes to be read; they may be overwritten.
     *
     * @param count at most {@link #unread}
     */
    public final void read(int count) {
        if (count < 0 || count > unread) {
            throw new IllegalArgumentException("count out of range: count=" + count + ", unread=" + unread);
        }
        unread -= count;
    }

    /**
     * Makes room to write.
     *
     * @param count bytes
     * @return whether there is enough room after the bytes written; a buffer of fixed size, as here, never grows
     */
    public boolean ensure(int count) {
        return count <= room();
    }

    /** Bytes that can be written without requesting room. */
    public final int room() {
        return capacity - length - unread;
    }

    /**
     * Counts bytes that were stored after those written.
     *
     * @param count at most {@link #room()}
     */
    public final void written(int count) {
        if (count < 0 || count > room()) {
            throw new IllegalArgumentException("count out of range: count=" + count + ", room=" + room());
        }
        length += count;
    }

    /**
     * Moves to another part of the memory, with all bytes.
     *
     * @param newOffset of the first byte
     * @param newCapacity in bytes, at least those written and unread; if it shrinks, nothing may be unread; if the places
     *     overlap, the new one must contain the old one or start where it does
     */
    protected final void place(int newOffset, int newCapacity) {
        int unreadFrom = unreadOffset();
        copy(offset, newOffset, length);
        offset = newOffset;
        capacity = newCapacity;
        copy(unreadFrom, unreadOffset(), unread);
    }

    /** The ranges may overlap: this ends in a call of the JDK that its own buffers use on overlapping ranges. */
    private void copy(int from, int to, int count) {
        if (from != to) {
            buffer.putBytes(to, buffer, from, count);
        }
    }
}
