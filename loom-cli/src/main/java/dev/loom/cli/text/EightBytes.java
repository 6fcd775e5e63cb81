package dev.loom.cli.text;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Eight bytes looked at in one step, as a long whose lowest byte is the first. What is found is told by the sign bits of bytes,
 * of which the lowest is certain, and those above it may be too many.
 */
public final class EightBytes {
    /** As many bytes. */
    public static final int COUNT = Long.BYTES;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long EACH = 0x0101_0101_0101_0101L;
    private static final long SIGNS = 0x8080_8080_8080_8080L;

    private EightBytes() {}

    /** The eight bytes from an offset on. */
    public static long at(byte[] bytes, int offset) {
        return (long) LONGS.get(bytes, offset);
    }

    /** Those that are not ASCII. */
    public static long notAscii(long eight) {
        return eight & SIGNS;
    }

    /** Those that are an ASCII character. */
    public static long equal(long eight, int ascii) {
        long differences = eight ^ (EACH * ascii);
        return (differences - EACH) & ~differences & SIGNS;
    }

    /** How many bytes lie before the first that was found. */
    public static int before(long found) {
        return Long.numberOfTrailingZeros(found) / Byte.SIZE;
    }
}
