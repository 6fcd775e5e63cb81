package dev.loom.query.group;

import dev.loom.text.TokenDigest;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Numbers distinct keys from 0 on in the order of their arrival. A key is a number of whole words of 8 bytes. Open addressing with
 * linear probing, at most half full; a seed that nobody outside knows keeps hostile keys apart.
 *
 * <p>Memory per key: its words, an entry, and from 16 to 32 bytes of slots.
 *
 * <pre>
 *   slot:    0 number + 1 (4 bytes, 0 if empty) | 4 upper half of the hash (4)
 *   entry:   0 hash (8) | 8 block of the words (4) | 12 offset in it (4) | 16 length in bytes (4) | 20 padding (4)
 * </pre>
 *
 * For one thread.
 */
final class KeyTable {
    static final int NONE = -1;

    /** The longest key. */
    static final int LENGTH_MAX = 1 << 12;

    private static final int NUMBER_OFFSET = 0;
    private static final int HASH_HALF_OFFSET = NUMBER_OFFSET + Integer.BYTES;
    private static final int SLOT_LENGTH = HASH_HALF_OFFSET + Integer.BYTES;

    private static final int HASH_OFFSET = 0;
    private static final int BLOCK_OFFSET = HASH_OFFSET + Long.BYTES;
    private static final int PLACE_OFFSET = BLOCK_OFFSET + Integer.BYTES;
    private static final int LENGTH_OFFSET = PLACE_OFFSET + Integer.BYTES;
    private static final int ENTRY_LENGTH = LENGTH_OFFSET + Long.BYTES;

    private static final int SLOTS_MIN = 256;
    private static final int BLOCK_LENGTH = 1 << 14;
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private final GroupMemory memory;
    private final long seed;
    private final RecordTable entries;
    private UnsafeBuffer slots;
    private int mask;
    private UnsafeBuffer[] blocks = new UnsafeBuffer[0];
    private int blockCount;
    private int blockUsed = BLOCK_LENGTH;

    KeyTable(GroupMemory memory, long seed) {
        this.memory = memory;
        this.seed = seed;
        entries = new RecordTable(memory, ENTRY_LENGTH);
        slots = memory.allocate(SLOTS_MIN * SLOT_LENGTH);
        mask = SLOTS_MIN - 1;
    }

    /** The number of keys. */
    int size() {
        return entries.size();
    }

    /** The hash of a key of whole words at the beginning of a buffer. */
    long hash(DirectBuffer key, int length) {
        long state = seed + length;
        for (int i = 0; i < length; i += Long.BYTES) {
            long product = (state ^ key.getLong(i)) * MULTIPLIER;
            state = product ^ product >>> 32;
        }
        return TokenDigest.finish(state);
    }

    /** The number of a key, or {@link #NONE}. */
    int find(DirectBuffer key, int length, long hash) {
        int half = (int) (hash >>> Integer.SIZE);
        for (int slot = (int) hash & mask; ; slot = (slot + 1) & mask) {
            int at = slot * SLOT_LENGTH;
            int number = slots.getInt(at + NUMBER_OFFSET) - 1;
            if (number == NONE) {
                return NONE;
            } else if (slots.getInt(at + HASH_HALF_OFFSET) == half && holds(number, key, length)) {
                return number;
            }
        }
    }

    private boolean holds(int number, DirectBuffer key, int length) {
        UnsafeBuffer entry = entries.buffer(number);
        int at = entries.offset(number);
        if (entry.getInt(at + LENGTH_OFFSET) != length) {
            return false;
        }
        UnsafeBuffer block = blocks[entry.getInt(at + BLOCK_OFFSET)];
        int place = entry.getInt(at + PLACE_OFFSET);
        for (int i = 0; i < length; i += Long.BYTES) {
            if (block.getLong(place + i) != key.getLong(i)) {
                return false;
            }
        }
        return true;
    }

    /** Adds a key that is not there yet, of at most {@link #LENGTH_MAX} bytes; returns its number. */
    int add(DirectBuffer key, int length, long hash) {
        if (2 * entries.size() > mask) {
            grow();
        }
        if (blockCount == 0 || blockUsed + length > BLOCK_LENGTH) {
            if (blockCount == blocks.length) {
                blocks = Arrays.copyOf(blocks, Math.max(4, blockCount * 2));
            }
            blocks[blockCount] = memory.allocate(BLOCK_LENGTH);
            blockCount++;
            blockUsed = 0;
        }
        int number = entries.add();
        UnsafeBuffer entry = entries.buffer(number);
        int at = entries.offset(number);
        entry.putLong(at + HASH_OFFSET, hash);
        entry.putInt(at + BLOCK_OFFSET, blockCount - 1);
        entry.putInt(at + PLACE_OFFSET, blockUsed);
        entry.putInt(at + LENGTH_OFFSET, length);
        blocks[blockCount - 1].putBytes(blockUsed, key, 0, length);
        blockUsed += length;
        put(number, hash);
        return number;
    }

    private void put(int number, long hash) {
        int slot = (int) hash & mask;
        while (slots.getInt(slot * SLOT_LENGTH + NUMBER_OFFSET) != 0) {
            slot = (slot + 1) & mask;
        }
        slots.putInt(slot * SLOT_LENGTH + NUMBER_OFFSET, number + 1);
        slots.putInt(slot * SLOT_LENGTH + HASH_HALF_OFFSET, (int) (hash >>> Integer.SIZE));
    }

    private void grow() {
        UnsafeBuffer old = slots;
        int count = 2 * (mask + 1);
        slots = memory.allocate(count * SLOT_LENGTH);
        mask = count - 1;
        memory.free(old);
        for (int number = 0; number < entries.size(); number++) {
            put(number, entries.buffer(number).getLong(entries.offset(number) + HASH_OFFSET));
        }
    }

    /** The buffer that holds a key. */
    UnsafeBuffer buffer(int number) {
        return blocks[entries.buffer(number).getInt(entries.offset(number) + BLOCK_OFFSET)];
    }

    /** Where a key begins in its buffer. */
    int offset(int number) {
        return entries.buffer(number).getInt(entries.offset(number) + PLACE_OFFSET);
    }

    /** The length of a key in bytes. */
    int length(int number) {
        return entries.buffer(number).getInt(entries.offset(number) + LENGTH_OFFSET);
    }
}
