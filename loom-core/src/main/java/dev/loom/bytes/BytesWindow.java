package dev.loom.bytes;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.PointerBytesStore;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Chronicle Bytes over a range of off-heap memory, moved from range to range without allocating. The range sets the
 * capacity, not only the limit, because some of Chronicle's operations, such as appending a number, check only the
 * capacity.
 */
final class BytesWindow {
    private final PointerBytesStore memory = new PointerBytesStore();
    private final Bytes<?> bytes = memory.bytesForWrite();
    /** Keeps the memory from being freed while the bytes point to it. */
    @SuppressWarnings("UnusedVariable")
    private @Nullable DirectBuffer held;

    BytesWindow() {
        // a window may move from one thread to another, as the role of a store's writer may
        bytes.singleThreadedCheckDisabled(true);
        close();
    }

    /**
     * Opens a range of an off-heap buffer, with nothing to read yet and room to write up to the range's end.
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

    /** The number of bytes written since the range was opened. */
    int written() {
        return (int) bytes.writePosition();
    }

    /** Ends the view: nothing can be read or written through it any more. */
    void close() {
        memory.set(memory.addressForRead(0), 0);
        bytes.clear();
        held = null;
    }
}
