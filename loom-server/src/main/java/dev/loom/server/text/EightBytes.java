package dev.loom.server.text;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Examines eight bytes in one step, as a long whose lowest byte is the first. Results are marked in the sign bits of bytes: the
 * lowest mark is exact, those above it may be false.
 */
public final class EightBytes {
    public static final int COUNT = Long.BYTES;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long EACH = 0x0101_0101_0101_0101L;
    private static final long SIGNS = 0x8080_8080_8080_8080L;

    private EightBytes() {}

    /** Reads eight bytes at an offset. */
    public static long at(byte[] bytes, int offset) {
        return (long) LONGS.get(bytes, offset);
    }

    /** Marks the bytes that are not ASCII. */
    public static long notAscii(long eight) {
        return eight & SIGNS;
    }

    /** Marks the bytes equal to an ASCII character. */
    public static long equal(long eight, int ascii) {
        long differences = eight ^ (EACH * ascii);
        return (differences - EACH) & ~differences & SIGNS;
    }

    /** The number of bytes before the first marked one. */
    public static int before(long found) {
        return Long.numberOfTrailingZeros(found) / Byte.SIZE;
    }
}
