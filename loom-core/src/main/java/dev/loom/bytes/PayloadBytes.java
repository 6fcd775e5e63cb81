package dev.loom.bytes;

import java.nio.ByteBuffer;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.ReadBytesMarshallable;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A payload as Chronicle Bytes, to be read in place: {@code payloadBytes.read(cursor.buffer(), cursor.offset(),
 * cursor.length(), order)}. One in an array, where no cursor of a store has it, is copied first.
 *
 * <p>What is read beyond the payload's end is never what is there in memory: most reads throw {@link
 * java.nio.BufferUnderflowException}, a stop bit and a text are 0 and empty, as Chronicle has it. For one thread; reused
 * from payload to payload.
 */
@SuppressWarnings("exports") // who uses it has Chronicle Bytes, who does not must not need it
public final class PayloadBytes {
    private static final int COPY_LENGTH_MIN = 256;

    private final BytesWindow window = new BytesWindow();
    private final UnsafeBuffer copy = new UnsafeBuffer(ByteBuffer.allocateDirect(0));

    /** Makes a view of no payload. The first one of a process takes long, as the package says. */
    public PayloadBytes() {}

    /** Fills an object from the payload at {@code [offset, offset + length)}. */
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

    /** Ends the view, so that the bytes it gave can't be read any more. */
    public void unwrap() {
        window.close();
    }
}
