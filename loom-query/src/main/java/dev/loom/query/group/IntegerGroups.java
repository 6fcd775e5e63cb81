package dev.loom.query.group;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Finds the groups of keys of a few integers by these alone: what {@link KeyTable} finds by three places in memory is in one here. Open
 * addressing with linear probing, at most half full; a factor that nobody outside knows keeps hostile keys apart.
 *
 * <pre>
 *   slot:    0 group (8 bytes, 0 if empty) | 8 integers (8 each)
 * </pre>
 *
 * Memory per key: two to four slots. For one thread.
 */
final class IntegerGroups {
    private static final int VALUES_OFFSET = Long.BYTES;
    private static final int SLOTS_MIN = 256;

    private final GroupMemory memory;
    private final long factor;
    private final int slotLength;
    private final int slotsMax;
    private UnsafeBuffer slots;
    private int mask = SLOTS_MIN - 1;
    private int size;

    /** @param width the integers of each key */
    IntegerGroups(GroupMemory memory, long seed, int width) {
        this.memory = memory;
        factor = seed | 1;
        slotLength = VALUES_OFFSET + width * Long.BYTES;
        slotsMax = Integer.highestOneBit(Integer.MAX_VALUE / slotLength);
        slots = memory.allocate(SLOTS_MIN * slotLength);
    }

    /**
     * Finds the group of each of some keys, 0 if it is not known.
     *
     * @param keys the integers, which {@link #add} takes again
     */
    void find(IntegerKeys keys, int count, int[] into) {
        if (keys.width() == 1) {
            findOne(keys.values(0), count, into);
            return;
        }
        for (int i = 0; i < count; i++) {
            into[i] = (int) slots.getLong(slotOf(keys, i) * slotLength);
        }
    }

    private void findOne(long[] values, int count, int[] into) {
        UnsafeBuffer in = slots;
        int last = mask;
        for (int i = 0; i < count; i++) {
            long value = values[i];
            int slot = slot(value * factor, last);
            int at = slot * (2 * Long.BYTES);
            long group = in.getLong(at);
            while (group != 0 && in.getLong(at + VALUES_OFFSET) != value) {
                slot = (slot + 1) & last;
                at = slot * (2 * Long.BYTES);
                group = in.getLong(at);
            }
            into[i] = (int) group;
        }
    }

    private static int slot(long hash, int mask) {
        return (int) (hash >>> Integer.SIZE) & mask;
    }

    /** The slot of a key, or the empty one where it belongs. */
    private int slotOf(IntegerKeys keys, int i) {
        long hash = 0;
        for (int field = 0; field < keys.width(); field++) {
            hash = (hash ^ (hash >>> Integer.SIZE) ^ keys.values(field)[i]) * factor;
        }
        int slot = slot(hash, mask);
        while (!isEmpty(slots, slot) && !holds(slot, keys, i)) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private boolean isEmpty(UnsafeBuffer in, int slot) {
        return in.getLong(slot * slotLength) == 0;
    }

    private boolean holds(int slot, IntegerKeys keys, int i) {
        int at = slot * slotLength + VALUES_OFFSET;
        for (int field = 0; field < keys.width(); field++) {
            if (slots.getLong(at + field * Long.BYTES) != keys.values(field)[i]) {
                return false;
            }
        }
        return true;
    }

    /** Notes the group, not 0, of a key if it is not known yet. */
    void add(IntegerKeys keys, int i, int group) {
        if (2 * size > mask) {
            if (mask + 1 == slotsMax) {
                return; // the others are found as they were this time
            }
            grow(keys.width());
        }
        int slot = slotOf(keys, i);
        size += isEmpty(slots, slot) ? 1 : 0;
        slots.putLong(slot * slotLength, group);
        for (int field = 0; field < keys.width(); field++) {
            slots.putLong(slot * slotLength + VALUES_OFFSET + field * Long.BYTES, keys.values(field)[i]);
        }
    }

    private void grow(int width) {
        UnsafeBuffer old = slots;
        int count = 2 * (mask + 1);
        slots = memory.allocate(count * slotLength);
        mask = count - 1;
        for (int at = 0; at < old.capacity(); at += slotLength) {
            if (old.getLong(at) != 0) {
                long hash = 0;
                for (int field = 0; field < width; field++) {
                    hash = (hash ^ (hash >>> Integer.SIZE) ^ old.getLong(at + VALUES_OFFSET + field * Long.BYTES))
                            * factor;
                }
                int slot = slot(hash, mask);
                while (!isEmpty(slots, slot)) {
                    slot = (slot + 1) & mask;
                }
                slots.putBytes(slot * slotLength, old, at, slotLength);
            }
        }
        memory.free(old);
    }
}
