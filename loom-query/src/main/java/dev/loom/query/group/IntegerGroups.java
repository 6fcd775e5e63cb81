package dev.loom.query.group;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Finds the groups of keys that are one integer each by that integer alone: what {@link KeyTable} finds by three places in memory is in
 * one here. Open addressing with linear probing, at most half full; a factor that nobody outside knows keeps hostile keys apart.
 *
 * <pre>
 *   slot:    0 integer (8 bytes) | 8 group (4, 0 if empty) | 12 padding (4)
 * </pre>
 *
 * Memory per integer: from 32 to 64 bytes. For one thread.
 */
final class IntegerGroups {
    private static final int GROUP_OFFSET = Long.BYTES;
    private static final int SLOT_SHIFT = 4;
    private static final int SLOTS_MIN = 256;

    private final GroupMemory memory;
    private final long factor;
    private UnsafeBuffer slots;
    private int mask = SLOTS_MIN - 1;
    private int size;

    IntegerGroups(GroupMemory memory, long seed) {
        this.memory = memory;
        factor = seed | 1;
        slots = memory.allocate(SLOTS_MIN << SLOT_SHIFT);
    }

    private static int slot(long value, long factor, int mask) {
        return (int) ((value * factor) >>> Integer.SIZE) & mask;
    }

    /** The group of an integer; 0 if it is not known. */
    int find(long value) {
        UnsafeBuffer in = slots;
        int last = mask;
        for (int slot = slot(value, factor, last); ; slot = (slot + 1) & last) {
            int at = slot << SLOT_SHIFT;
            int group = in.getInt(at + GROUP_OFFSET);
            if (group == 0 || in.getLong(at) == value) {
                return group;
            }
        }
    }

    /** Notes the group, not 0, of an integer that is not known yet. */
    void add(long value, int group) {
        if (2 * size > mask) {
            grow();
        }
        put(value, group);
        size++;
    }

    private void put(long value, int group) {
        int slot = slot(value, factor, mask);
        while (slots.getInt((slot << SLOT_SHIFT) + GROUP_OFFSET) != 0) {
            slot = (slot + 1) & mask;
        }
        slots.putLong(slot << SLOT_SHIFT, value);
        slots.putInt((slot << SLOT_SHIFT) + GROUP_OFFSET, group);
    }

    private void grow() {
        UnsafeBuffer old = slots;
        int count = 2 * (mask + 1);
        slots = memory.allocate(count << SLOT_SHIFT);
        mask = count - 1;
        for (int at = 0; at < old.capacity(); at += 1 << SLOT_SHIFT) {
            if (old.getInt(at + GROUP_OFFSET) != 0) {
                put(old.getLong(at), old.getInt(at + GROUP_OFFSET));
            }
        }
        memory.free(old);
    }
}
