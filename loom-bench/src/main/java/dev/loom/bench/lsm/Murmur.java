package dev.loom.bench.lsm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Austin Appleby's MurmurHash2 of 32 bits and MurmurHash64A, of keys whose length is a multiple of 8. */
final class Murmur {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long MULTIPLIER_64 = 0xC6A4A7935BD1E995L;
    private static final int MULTIPLIER_32 = 0x5BD1E995;

    private Murmur() {}

    static long hash64(byte[] key, long seed) {
        long hash = seed ^ key.length * MULTIPLIER_64;
        for (int i = 0; i < key.length; i += Long.BYTES) {
            long word = (long) LONGS.get(key, i) * MULTIPLIER_64;
            word = (word ^ word >>> 47) * MULTIPLIER_64;
            hash = (hash ^ word) * MULTIPLIER_64;
        }
        hash = (hash ^ hash >>> 47) * MULTIPLIER_64;
        return hash ^ hash >>> 47;
    }

    static int hash32(byte[] key, int seed) {
        int hash = seed ^ key.length;
        for (int i = 0; i < key.length; i += Integer.BYTES) {
            int word = (int) INTS.get(key, i) * MULTIPLIER_32;
            word = (word ^ word >>> 24) * MULTIPLIER_32;
            hash = hash * MULTIPLIER_32 ^ word;
        }
        hash = (hash ^ hash >>> 13) * MULTIPLIER_32;
        return hash ^ hash >>> 15;
    }
}
