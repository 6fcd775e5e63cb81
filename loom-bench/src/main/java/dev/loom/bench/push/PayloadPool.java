package dev.loom.bench.push;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Different payloads of one length, back to back: record number {@code n} carries payload {@code n mod COUNT}.
 *
 * <p>They are not written while records are pushed, so no target waits for a payload's store before it can load and copy it, and
 * a record's number determines what was stored. Immutable.
 */
public final class PayloadPool {
    /** Payloads in the pool; also the records of a batch push. */
    public static final int COUNT = 64;

    private static final long MASK = COUNT - 1L;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final int length;
    private final ByteBuffer bytes;
    private final UnsafeBuffer buffer;
    private final long nativeAddress;

    /** Creates payloads of {@code length} bytes, a positive multiple of 8. */
    public PayloadPool(int length) {
        if (length <= 0 || length % Long.BYTES != 0) {
            throw new IllegalArgumentException("payload length is not a positive multiple of 8: length=" + length);
        }
        this.length = length;
        bytes = BufferUtil.allocateDirectAligned(COUNT * length, 64).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < COUNT * length; i += Long.BYTES) {
            bytes.putLong(i, (i + 1L) * GOLDEN);
        }
        buffer = new UnsafeBuffer(bytes);
        nativeAddress = buffer.addressOffset();
    }

    public int length() {
        return length;
    }

    /** A view of the payloads to copy from; the caller may change its position and limit. */
    ByteBuffer bytes() {
        return bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    public DirectBuffer buffer() {
        return buffer;
    }

    long nativeAddress() {
        return nativeAddress;
    }

    /** Offset of a record's payload in {@link #buffer()}. */
    public int offset(long recordNumber) {
        return (int) (recordNumber & MASK) * length;
    }

    /** The lowest record number whose payload starts with this word. */
    public long numberOf(long firstWord) {
        for (int number = 0; number < COUNT; number++) {
            if (buffer.getLong(offset(number), ByteOrder.LITTLE_ENDIAN) == firstWord) {
                return number;
            }
        }
        throw new IllegalArgumentException("no payload starts with this word: word=" + firstWord);
    }

    /** Whether the bytes at {@code offset} are this record's payload. */
    public boolean matches(long recordNumber, DirectBuffer stored, int offset, int storedLength) {
        if (storedLength != length) {
            return false;
        }
        final int expected = offset(recordNumber);
        for (int i = 0; i < length; i += Long.BYTES) {
            if (stored.getLong(offset + i, ByteOrder.LITTLE_ENDIAN)
                    != buffer.getLong(expected + i, ByteOrder.LITTLE_ENDIAN)) {
                return false;
            }
        }
        return true;
    }
}
