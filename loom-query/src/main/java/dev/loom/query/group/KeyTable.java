package dev.loom.query.group;

import dev.loom.text.TokenDigest;
import dev.loom.value.KeyEncoder;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Numbers distinct keys from 0 on in the order of their arrival. A key is a number of whole words of 8 bytes. Open addressing with
 * linear probing, at most half full; a seed that nobody outside knows keeps hostile keys apart.
 *
 * <p>Memory per key: its words and their header, an entry, and from 16 to 32 bytes of slots.
 *
 * <pre>
 *   slot:    0 place of the header + 1 (4 bytes, 0 if empty) | 4 upper half of the hash (4)
 *   header:  0 number (4) | 4 length in bytes (4); the words follow
 *   entry:   0 hash (8) | 8 place of the header, in words of all blocks (4) | 12 padding (4)
 * </pre>
 *
 * For one thread.
 */
final class KeyTable {
    static final int NONE = -1;

    /** The longest key. */
    static final int LENGTH_MAX = KeyEncoder.LENGTH_MAX;

    private static final int PLACE_OFFSET = 0;
    private static final int HASH_HALF_OFFSET = PLACE_OFFSET + Integer.BYTES;
    private static final int SLOT_LENGTH = HASH_HALF_OFFSET + Integer.BYTES;

    private static final int NUMBER_OFFSET = 0;
    private static final int LENGTH_OFFSET = NUMBER_OFFSET + Integer.BYTES;
    private static final int HEADER_LENGTH = LENGTH_OFFSET + Integer.BYTES;

    private static final int HASH_OFFSET = 0;
    private static final int HEADER_OFFSET = HASH_OFFSET + Long.BYTES;
    private static final int ENTRY_LENGTH = HEADER_OFFSET + Long.BYTES;

    private static final int WORD1 = Long.BYTES;
    private static final int WORD2 = WORD1 + Long.BYTES;
    private static final int WORD3 = WORD2 + Long.BYTES;

    private static final int SLOTS_MIN = 256;
    private static final int BLOCK_SHIFT = 11;
    private static final int BLOCK_WORDS = 1 << BLOCK_SHIFT;
    private static final int BLOCK_LENGTH = BLOCK_WORDS * Long.BYTES;
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
    long hash(UnsafeBuffer key, int length) {
        long state = seed + length;
        // most keys have few words; a loop over so few costs more than it does
        if (length > 0) {
            state = mix(state, key.getLong(0));
        }
        if (length > WORD1) {
            state = mix(state, key.getLong(WORD1));
        }
        if (length > WORD2) {
            state = mix(state, key.getLong(WORD2));
        }
        for (int i = WORD3; i < length; i += Long.BYTES) {
            state = mix(state, key.getLong(i));
        }
        return TokenDigest.finish(state);
    }

    private static long mix(long state, long word) {
        long product = (state ^ word) * MULTIPLIER;
        return product ^ product >>> 32;
    }

    /** The number of a key, or {@link #NONE}. */
    int find(UnsafeBuffer key, int length, long hash) {
        UnsafeBuffer in = slots;
        int last = mask;
        int half = (int) (hash >>> Integer.SIZE);
        for (int slot = (int) hash & last; ; slot = (slot + 1) & last) {
            int at = slot * SLOT_LENGTH;
            int place = in.getInt(at + PLACE_OFFSET) - 1;
            if (place < 0) {
                return NONE;
            } else if (in.getInt(at + HASH_HALF_OFFSET) == half) {
                UnsafeBuffer block = block(place);
                int header = header(place);
                if (block.getInt(header + LENGTH_OFFSET) == length && holds(block, header, key, length)) {
                    return block.getInt(header + NUMBER_OFFSET);
                }
            }
        }
    }

    private static boolean holds(UnsafeBuffer block, int header, UnsafeBuffer key, int length) {
        int at = header + HEADER_LENGTH;
        if ((length > 0 && block.getLong(at) != key.getLong(0))
                || (length > WORD1 && block.getLong(at + WORD1) != key.getLong(WORD1))
                || (length > WORD2 && block.getLong(at + WORD2) != key.getLong(WORD2))) {
            return false;
        }
        for (int i = WORD3; i < length; i += Long.BYTES) {
            if (block.getLong(at + i) != key.getLong(i)) {
                return false;
            }
        }
        return true;
    }

    private UnsafeBuffer block(int place) {
        return blocks[place >>> BLOCK_SHIFT];
    }

    private static int header(int place) {
        return (place & (BLOCK_WORDS - 1)) * Long.BYTES;
    }

    /** Adds a key that is not there yet, of at most {@link #LENGTH_MAX} bytes; returns its number. */
    int add(UnsafeBuffer key, int length, long hash) {
        if (2 * entries.size() > mask) {
            grow();
        }
        if (blockCount == 0 || blockUsed + HEADER_LENGTH + length > BLOCK_LENGTH) {
            if (blockCount == blocks.length) {
                blocks = Arrays.copyOf(blocks, Math.max(4, blockCount * 2));
            }
            blocks[blockCount] = memory.allocate(BLOCK_LENGTH);
            blockCount++;
            blockUsed = 0;
        }
        int number = entries.add();
        int place = (blockCount - 1) * BLOCK_WORDS + blockUsed / Long.BYTES;
        UnsafeBuffer block = block(place);
        block.putInt(blockUsed + NUMBER_OFFSET, number);
        block.putInt(blockUsed + LENGTH_OFFSET, length);
        block.putBytes(blockUsed + HEADER_LENGTH, key, 0, length);
        blockUsed += HEADER_LENGTH + length;
        UnsafeBuffer entry = entries.buffer(number);
        int at = entries.offset(number);
        entry.putLong(at + HASH_OFFSET, hash);
        entry.putInt(at + HEADER_OFFSET, place);
        put(place, hash);
        return number;
    }

    private void put(int place, long hash) {
        int slot = (int) hash & mask;
        while (slots.getInt(slot * SLOT_LENGTH + PLACE_OFFSET) != 0) {
            slot = (slot + 1) & mask;
        }
        slots.putInt(slot * SLOT_LENGTH + PLACE_OFFSET, place + 1);
        slots.putInt(slot * SLOT_LENGTH + HASH_HALF_OFFSET, (int) (hash >>> Integer.SIZE));
    }

    private void grow() {
        UnsafeBuffer old = slots;
        int count = 2 * (mask + 1);
        slots = memory.allocate(count * SLOT_LENGTH);
        mask = count - 1;
        memory.free(old);
        for (int number = 0; number < entries.size(); number++) {
            put(place(number), entries.buffer(number).getLong(entries.offset(number) + HASH_OFFSET));
        }
    }

    private int place(int number) {
        return entries.buffer(number).getInt(entries.offset(number) + HEADER_OFFSET);
    }

    /** The buffer that holds a key. */
    UnsafeBuffer buffer(int number) {
        return block(place(number));
    }

    /** Where a key begins in its buffer. */
    int offset(int number) {
        return header(place(number)) + HEADER_LENGTH;
    }

    /** The length of a key in bytes. */
    int length(int number) {
        return buffer(number).getInt(header(place(number)) + LENGTH_OFFSET);
    }
}
