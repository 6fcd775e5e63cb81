package dev.loom.query.group;

import dev.loom.query.model.QueryMemory;
import dev.loom.value.KeyWords;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Finds the groups of keys by the few words that stand for them, in one place in memory each: {@link KeyTable}, which knows the keys
 * themselves, needs three. Open addressing with linear probing, at most half full.
 *
 * <pre>
 *   slot:    0 group (4 bytes, 0 if empty) | 4 hash (4) | 8 words (8 each)
 * </pre>
 *
 * Memory per key: two to four slots. For one thread.
 */
final class WordGroups {
    private static final int GROUP_OFFSET = 0;
    private static final int HASH_OFFSET = GROUP_OFFSET + Integer.BYTES;
    private static final int WORDS_OFFSET = HASH_OFFSET + Integer.BYTES;
    private static final int SLOTS_MIN = 256;

    private final GroupMemory memory;
    private final KeyWords keys;
    private final int width;
    private final int slotLength;
    private final int slotsMax;
    private UnsafeBuffer slots;
    private int mask = SLOTS_MIN - 1;
    private int size;
    /** Whether no more are noted. */
    private boolean full;

    WordGroups(GroupMemory memory, KeyWords keys) {
        this.memory = memory;
        this.keys = keys;
        width = keys.width();
        slotLength = WORDS_OFFSET + width * Long.BYTES;
        slotsMax = Integer.highestOneBit(Integer.MAX_VALUE / slotLength);
        slots = memory.allocate(SLOTS_MIN * slotLength);
    }

    /** The number of words noted that stand for a key. */
    int size() {
        return size;
    }

    /**
     * Finds the group of each of the keys read last, 0 if it is not known.
     *
     * @param known bit i if the i-th key has words
     */
    void find(long known, int count, int[] into) {
        if (width == 1) {
            findOne(known, count, into);
            return;
        }
        for (int i = 0; i < count; i++) {
            into[i] = (known >>> i & 1) == 0 ? 0 : slots.getInt(slotOf(i) * slotLength + GROUP_OFFSET);
        }
    }

    private void findOne(long known, int count, int[] into) {
        UnsafeBuffer in = slots;
        long[] words = keys.words();
        int last = mask;
        for (int i = 0; i < count; i++) {
            long word = words[i];
            int slot = keys.hash(i) & last;
            int at = slot * (2 * Long.BYTES);
            int group = in.getInt(at + GROUP_OFFSET);
            while (group != 0 && in.getLong(at + WORDS_OFFSET) != word) {
                slot = (slot + 1) & last;
                at = slot * (2 * Long.BYTES);
                group = in.getInt(at + GROUP_OFFSET);
            }
            into[i] = group & -(int) (known >>> i & 1);
        }
    }

    /** The slot of the i-th key, or the empty one where it belongs. */
    private int slotOf(int i) {
        int slot = keys.hash(i) & mask;
        while (!isEmpty(slots, slot) && !holds(slot, i)) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private boolean isEmpty(UnsafeBuffer in, int slot) {
        return in.getInt(slot * slotLength + GROUP_OFFSET) == 0;
    }

    private boolean holds(int slot, int i) {
        long[] words = keys.words();
        int at = slot * slotLength + WORDS_OFFSET;
        for (int from = i * width, to = from + width; from < to; from++, at += Long.BYTES) {
            if (slots.getLong(at) != words[from]) {
                return false;
            }
        }
        return true;
    }

    /** Notes the group, not 0, of the i-th key read last, if it is not known yet and there is room; else it is found as it was this time. */
    void add(int i, int group) {
        if (2 * size > mask && !grows()) {
            return;
        }
        int slot = slotOf(i);
        int at = slot * slotLength;
        size += isEmpty(slots, slot) ? 1 : 0;
        slots.putInt(at + GROUP_OFFSET, group);
        slots.putInt(at + HASH_OFFSET, keys.hash(i));
        for (int word = 0; word < width; word++) {
            slots.putLong(at + WORDS_OFFSET + word * Long.BYTES, keys.words()[i * width + word]);
        }
    }

    private boolean grows() {
        full = full || mask + 1 == slotsMax;
        if (!full) {
            try {
                grow();
            } catch (QueryMemory.Exhausted e) {
                full = true;
            }
        }
        return !full;
    }

    private void grow() {
        UnsafeBuffer old = slots;
        int count = 2 * (mask + 1);
        slots = memory.allocate(count * slotLength);
        mask = count - 1;
        for (int at = 0; at < old.capacity(); at += slotLength) {
            if (old.getInt(at + GROUP_OFFSET) != 0) {
                int slot = old.getInt(at + HASH_OFFSET) & mask;
                while (!isEmpty(slots, slot)) {
                    slot = (slot + 1) & mask;
                }
                slots.putBytes(slot * slotLength, old, at, slotLength);
            }
        }
        memory.free(old);
    }
}
