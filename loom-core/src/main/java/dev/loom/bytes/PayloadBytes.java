package dev.loom.bytes;

import java.nio.ByteBuffer;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.ReadBytesMarshallable;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A payload as Chronicle Bytes, to be read in place: {@code payloadBytes.read(cursor.buffer(), cursor.offset(),
 * cursor.length(), order)}. A payload in an array, which no cursor returns, is copied first.
 *
 * <p>Reading beyond the payload's end never returns the memory that follows: most reads throw {@link
 * java.nio.BufferUnderflowException}; a stop bit reads as 0 and a text as empty, as in Chronicle. For one thread;
 * reused from payload to payload.
 */
@SuppressWarnings("exports") // callers of this class have Chronicle Bytes; others must not need it
public final class PayloadBytes {
    private static final int COPY_LENGTH_MIN = 256;

    private final BytesWindow window = new BytesWindow();
    private final UnsafeBuffer copy = new UnsafeBuffer(ByteBuffer.allocateDirect(0));

    /** Makes a view of no payload. The first one in a process is slow; see the package. */
    public PayloadBytes() {}

    /** Reads an object from the payload at {@code [offset, offset + length)}. */
    public void read(DirectBuffer buffer, int offset, int length, ReadBytesMarshallable into) {
        try {
            into.readMarshallable(wrap(buffer, offset, length));
        } finally {
            unwrap();
        }
    }

    /** Opens the payload for reading; valid as long as the buffer holds it, at most until the next call. */
    public BytesIn<?> wrap(DirectBuffer buffer, int offset, int length) {
        Bytes<?> bytes = buffer.byteArray() == null
                ? window.open(buffer, offset, length)
                : window.open(copied(buffer, offset, length), 0, length);
        bytes.writePosition(length);
        return bytes;
    }

    private UnsafeBuffer copied(DirectBuffer buffer, int offset, int length) {
        buffer.boundsCheck(offset, length);
        if (copy.capacity() < length) {
            copy.wrap(ByteBuffer.allocateDirect(Math.max(COPY_LENGTH_MIN, length)));
        }
        copy.putBytes(0, buffer, offset, length);
        return copy;
    }

    /** Ends the view: the bytes that it returned can't be read any more. */
    public void unwrap() {
        window.close();
    }
}
