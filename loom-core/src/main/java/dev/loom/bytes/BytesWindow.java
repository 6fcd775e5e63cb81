package dev.loom.bytes;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.PointerBytesStore;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Chronicle Bytes over a range of memory off the heap, moved from range to range without allocating. The range is the
 * capacity, not only the limit: some of Chronicle's operations, such as appending a number, look at the capacity alone.
 */
final class BytesWindow {
    private final PointerBytesStore memory = new PointerBytesStore();
    private final Bytes<?> bytes = memory.bytesForWrite();
    /** Keeps the memory from being given back while the bytes point to it. */
    @SuppressWarnings("UnusedVariable")
    private @Nullable DirectBuffer held;

    BytesWindow() {
        // whoever owns a window may hand it to another thread, as the writer of a store may
        bytes.singleThreadedCheckDisabled(true);
        close();
    }

    /**
     * Opens a range of a buffer off the heap: nothing to read yet, room to write up to the range's end.
     *
     * @throws IndexOutOfBoundsException if the range is not within the buffer
     */
    Bytes<?> open(DirectBuffer buffer, int offset, int length) {
        close();
        buffer.boundsCheck(offset, length);
        if (buffer.byteArray() != null) {
            throw new IllegalArgumentException("buffer is on the heap: capacity=" + buffer.capacity());
        }
        memory.set(buffer.addressOffset() + offset, length);
        bytes.clear();
        held = buffer;
        return bytes;
    }

    /** How much was written since the range was opened. */
    int written() {
        return (int) bytes.writePosition();
    }

    /** Ends the view: from now on nothing can be read or written through it. */
    void close() {
        memory.set(memory.addressForRead(0), 0);
        bytes.clear();
        held = null;
    }
}
