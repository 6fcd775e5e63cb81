package dev.loom.otlp;

import org.agrona.MutableDirectBuffer;

/**
 * Memory for one message, filled from the front.
 *
 * <p>All bytes may move when room is requested. Not thread-safe.
 */
public class MessageBuffer {
    private final MutableDirectBuffer buffer;
    private int offset;
    private int capacity;
    private int length;

    /**
     * An empty buffer.
     *
     * @param buffer the memory that it is part of
     * @param offset of its first byte there
     * @param capacity in bytes
     */
    public MessageBuffer(MutableDirectBuffer buffer, int offset, int capacity) {
        this.buffer = buffer;
        this.offset = offset;
        this.capacity = capacity;
    }

    /** The memory that holds the bytes. */
    public final MutableDirectBuffer buffer() {
        return buffer;
    }

    /** The offset of the first byte, in {@link #buffer()}. */
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
        return capacity - length;
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
     * @param newOffset of the first byte; its own, or that of a part that does not overlap
     * @param newCapacity in bytes, at least those written
     */
    protected final void place(int newOffset, int newCapacity) {
        if (newOffset != offset) {
            buffer.putBytes(newOffset, buffer, offset, length);
        }
        offset = newOffset;
        capacity = newCapacity;
    }
}
