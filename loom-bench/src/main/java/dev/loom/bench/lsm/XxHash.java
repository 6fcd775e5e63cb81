package dev.loom.bench.lsm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Yann Collet's XXH64, of keys whose length is a multiple of 8. */
final class XxHash {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long PRIME_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME_3 = 0x165667B19E3779F9L;
    private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME_5 = 0x27D4EB2F165667C5L;
    private static final int STRIPE = 4 * Long.BYTES;

    private XxHash() {}

    static long hash64(byte[] key, long seed) {
        int at = 0;
        long hash = seed + PRIME_5;
        if (key.length >= STRIPE) {
            long a = seed + PRIME_1 + PRIME_2;
            long b = seed + PRIME_2;
            long c = seed;
            long d = seed - PRIME_1;
            for (; at <= key.length - STRIPE; at += STRIPE) {
                a = round(a, word(key, at));
                b = round(b, word(key, at + Long.BYTES));
                c = round(c, word(key, at + 2 * Long.BYTES));
                d = round(d, word(key, at + 3 * Long.BYTES));
            }
            hash = Long.rotateLeft(a, 1) + Long.rotateLeft(b, 7) + Long.rotateLeft(c, 12) + Long.rotateLeft(d, 18);
            hash = merge(merge(merge(merge(hash, a), b), c), d);
        }
        hash += key.length;
        for (; at < key.length; at += Long.BYTES) {
            hash = Long.rotateLeft(hash ^ round(0, word(key, at)), 27) * PRIME_1 + PRIME_4;
        }
        hash = (hash ^ hash >>> 33) * PRIME_2;
        hash = (hash ^ hash >>> 29) * PRIME_3;
        return hash ^ hash >>> 32;
    }

    private static long word(byte[] key, int at) {
        return (long) LONGS.get(key, at);
    }

    private static long round(long lane, long word) {
        return Long.rotateLeft(lane + word * PRIME_2, 31) * PRIME_1;
    }

    private static long merge(long hash, long lane) {
        return (hash ^ round(0, lane)) * PRIME_1 + PRIME_4;
    }
}
