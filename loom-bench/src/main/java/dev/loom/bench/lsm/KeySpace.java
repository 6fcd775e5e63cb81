package dev.loom.bench.lsm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The keys of a tree, each of them a function of a level and an index. A level's keys ascend with the index and are spread over
 * the whole range, one at random in each of as many equal parts. So a tree of any size is written in one pass, without sorting,
 * and its first levels are a tree of their own. A key's number has its level in its last four bits, so that no two levels have
 * the same key; numbers that end in 15 are in none.
 */
public final class KeySpace {
    private static final VarHandle BIG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LITTLE = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int LEVEL_BITS = 4;
    private static final long RANGE = 1L << (Long.SIZE - 1 - LEVEL_BITS);
    private static final int ABSENT = TreeShape.LEVELS_MAX;
    private static final long STEP = 0x9E3779B97F4A7C15L;

    private final TreeShape shape;

    public KeySpace(TreeShape shape) {
        this.shape = shape;
    }

    /** The number of a key that is in the tree. */
    long number(int level, long index) {
        final long part = RANGE / shape.entries(level);
        final long inPart = Long.remainderUnsigned(mix(index * STEP + level), part);
        return ((index * part + inPart) << LEVEL_BITS) | level;
    }

    /** The number of a key that is not in the tree. */
    static long absent(long random) {
        return ((mix(random) & (RANGE - 1)) << LEVEL_BITS) | ABSENT;
    }

    /** Writes a key: its number, so that keys are ordered as numbers are, and pseudo-random bytes up to its length. */
    static void write(long number, byte[] key) {
        BIG.set(key, 0, number);
        long state = number;
        for (int i = Long.BYTES; i < key.length; i += Long.BYTES) {
            state += STEP;
            LITTLE.set(key, i, mix(state));
        }
    }

    /** The first 8 bytes of a key, which compare without sign as keys do. */
    static long prefix(byte[] key) {
        return (long) BIG.get(key, 0);
    }

    /** The finish of SplitMix64. */
    static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }
}
