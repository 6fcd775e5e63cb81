package dev.loom.query.group;

import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What the bins of a chunk, or of a run, add to the cells of a pass. It counts once all of them are known, so that they are walked over
 * once. For one thread.
 */
final class NotedValues {
    /** A run of 64 KiB has no more bins; a part with more has to be read. */
    private static final int COUNT_MAX = 1 << 15;

    private static final int CAPACITY_MIN = 64;

    /** Of each the cell, or the complement of the interval. */
    private int[] places = new int[CAPACITY_MIN];

    /** How many values the cell counts more, or the key that the interval collects. */
    private long[] numbers = new long[CAPACITY_MIN];

    private int count;

    void clear() {
        count = 0;
    }

    /** Notes that a cell counts more values; false if there is no room. */
    boolean addCount(int cell, long more) {
        if (count > 0 && places[count - 1] == cell) {
            numbers[count - 1] += more;
            return true;
        }
        return add(cell, more);
    }

    /** Notes that an interval collects a key; false if there is no room. */
    boolean addKey(int interval, long key) {
        return add(~interval, key);
    }

    private boolean add(int place, long number) {
        if (count == COUNT_MAX) {
            return false;
        }
        if (count == places.length) {
            places = Arrays.copyOf(places, 2 * count);
            numbers = Arrays.copyOf(numbers, 2 * count);
        }
        places[count] = place;
        numbers[count++] = number;
        return true;
    }

    /** Adds what was noted. */
    void addTo(UnsafeBuffer cells, RankIntervals intervals) {
        for (int i = 0; i < count; i++) {
            int place = places[i];
            if (place < 0) {
                intervals.collect(~place, numbers[i], cells);
            } else {
                cells.putLong(place * Long.BYTES, cells.getLong(place * Long.BYTES) + numbers[i]);
            }
        }
        clear();
    }
}
