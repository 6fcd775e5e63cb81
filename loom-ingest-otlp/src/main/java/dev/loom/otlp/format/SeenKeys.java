package dev.loom.otlp.format;

import java.util.Arrays;
import org.agrona.DirectBuffer;

/**
 * The keys that an object has so far, to detect duplicates, even among as many keys as a hostile client may send. The keys
 * stay in their buffer, the same for all. Once warm, allocates nothing. Reused; for one thread.
 */
final class SeenKeys {
    /** Up to this many are compared one by one. */
    private static final int FEW = 16;

    private static final int INTS_A_KEY = 3;
    private static final int MULTIPLIER = 0x85EB_CA6B;

    /** Per process, so that nobody can predict which keys collide. */
    private static final int SEED = (int) System.nanoTime();

    /** The offset, length and hash of each key. */
    private int[] keys = new int[INTS_A_KEY * FEW];
    /** The numbers of keys by hash, from 1, once there are more than {@link #FEW}. */
    private int[] table = new int[0];

    private int count;

    void clear() {
        count = 0;
    }

    /** Adds a key; returns false if it is already there. */
    boolean add(DirectBuffer buffer, int offset, int length) {
        int hash = hash(buffer, offset, length);
        int slot = -1;
        if (count < FEW) {
            for (int i = 0; i < count; i++) {
                if (isKey(i, buffer, offset, length, hash)) {
                    return false;
                }
            }
        } else {
            if (count == FEW || 2 * count > table.length) {
                fillTable();
            }
            slot = slot(buffer, offset, length, hash);
            if (table[slot] != 0) {
                return false;
            }
        }
        put(offset, length, hash);
        if (slot >= 0) {
            table[slot] = count;
        }
        return true;
    }

    private void put(int offset, int length, int hash) {
        int at = INTS_A_KEY * count;
        if (at == keys.length) {
            keys = Arrays.copyOf(keys, 2 * keys.length);
        }
        keys[at] = offset;
        keys[at + 1] = length;
        keys[at + 2] = hash;
        count++;
    }

    private void fillTable() {
        int wanted = Math.max(4 * FEW, Integer.highestOneBit(count) << 2);
        if (table.length < wanted) {
            table = new int[wanted];
        } else {
            Arrays.fill(table, 0);
        }
        for (int i = 0; i < count; i++) {
            int slot = first(keys[INTS_A_KEY * i + 2]);
            while (table[slot] != 0) {
                slot = next(slot);
            }
            table[slot] = i + 1;
        }
    }

    /** The slot of a key, or the empty slot where it belongs. */
    private int slot(DirectBuffer buffer, int offset, int length, int hash) {
        int slot = first(hash);
        while (table[slot] != 0 && !isKey(table[slot] - 1, buffer, offset, length, hash)) {
            slot = next(slot);
        }
        return slot;
    }

    private int first(int hash) {
        return (hash ^ hash >>> 16) & (table.length - 1);
    }

    private int next(int slot) {
        return (slot + 1) & (table.length - 1);
    }

    private boolean isKey(int number, DirectBuffer buffer, int offset, int length, int hash) {
        int at = INTS_A_KEY * number;
        if (keys[at + 2] != hash || keys[at + 1] != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (buffer.getByte(keys[at] + i) != buffer.getByte(offset + i)) {
                return false;
            }
        }
        return true;
    }

    private static int hash(DirectBuffer buffer, int offset, int length) {
        int hash = SEED;
        for (int i = 0; i < length; i++) {
            hash = MULTIPLIER * (hash ^ buffer.getByte(offset + i));
            hash ^= hash >>> 15;
        }
        return hash;
    }
}
