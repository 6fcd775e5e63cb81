package dev.loom.otlp.ingest;

import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.Arrays;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A map from byte strings to non-negative longs, bounded in entries and bytes, which allocates all its memory up front. Keys
 * are compared byte by byte. The hash is randomly seeded, so no client can choose keys that collide. Not thread-safe.
 */
final class ByteKeys {
    /** The value of a missing key. */
    static final long MISSING = -1;

    private static final long SEED = new SecureRandom().nextLong();
    private static final long MULTIPLIER = new SecureRandom().nextLong() | 1;

    private final int entriesMax;
    private final UnsafeBuffer keys;
    private final long[] hashes;
    private final int[] offsets;
    private final int[] lengths;
    private final long[] values;
    private int entries;
    private int used;

    /** An empty map of up to {@code entriesMax} keys with {@code bytesMax} bytes in all. */
    ByteKeys(int entriesMax, int bytesMax) {
        int slots = 2 * BitUtil.findNextPositivePowerOfTwo(entriesMax);
        this.entriesMax = entriesMax;
        keys = new UnsafeBuffer(new byte[bytesMax]);
        hashes = new long[slots];
        offsets = new int[slots];
        lengths = new int[slots];
        values = new long[slots];
        Arrays.fill(values, MISSING);
    }

    static long hash(DirectBuffer buffer, int offset, int length) {
        long hash = SEED + length;
        int at = offset;
        for (int end = offset + length - Long.BYTES; at <= end; at += Long.BYTES) {
            hash = mix(hash ^ buffer.getLong(at, ByteOrder.LITTLE_ENDIAN));
        }
        long rest = 0;
        for (int end = offset + length; at < end; at++) {
            rest = rest << Byte.SIZE | (buffer.getByte(at) & 0xFF);
        }
        return mix(hash ^ rest);
    }

    private static long mix(long value) {
        return value * MULTIPLIER ^ Math.multiplyHigh(value, MULTIPLIER);
    }

    /** The value of a key, or {@link #MISSING}. */
    long get(long hash, DirectBuffer buffer, int offset, int length) {
        return values[slot(hash, buffer, offset, length)];
    }

    /** Sets the value of a key. Returns false if there is no room for a new key. */
    boolean put(long hash, DirectBuffer buffer, int offset, int length, long value) {
        int slot = slot(hash, buffer, offset, length);
        if (values[slot] == MISSING) {
            if (entries == entriesMax || length > keys.capacity() - used) {
                return false;
            }
            keys.putBytes(used, buffer, offset, length);
            hashes[slot] = hash;
            offsets[slot] = used;
            lengths[slot] = length;
            used += length;
            entries++;
        }
        values[slot] = value;
        return true;
    }

    /** The key's slot, or the free slot where it belongs; one exists, as at most half are taken. */
    private int slot(long hash, DirectBuffer buffer, int offset, int length) {
        int mask = values.length - 1;
        int slot = (int) hash & mask;
        while (values[slot] != MISSING && !holds(slot, hash, buffer, offset, length)) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private boolean holds(int slot, long hash, DirectBuffer buffer, int offset, int length) {
        return hashes[slot] == hash && lengths[slot] == length && equal(offsets[slot], buffer, offset, length);
    }

    private boolean equal(int key, DirectBuffer buffer, int offset, int length) {
        int i = 0;
        for (; i <= length - Long.BYTES; i += Long.BYTES) {
            if (keys.getLong(key + i) != buffer.getLong(offset + i)) {
                return false;
            }
        }
        for (; i < length; i++) {
            if (keys.getByte(key + i) != buffer.getByte(offset + i)) {
                return false;
            }
        }
        return true;
    }

    void clear() {
        if (entries > 0) {
            Arrays.fill(values, MISSING);
            entries = 0;
            used = 0;
        }
    }
}
