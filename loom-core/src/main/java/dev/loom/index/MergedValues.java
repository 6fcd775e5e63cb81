package dev.loom.index;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The values of the bins of a run of chunks that have few, so that rare values are found without a look at the chunks. Holds at most
 * {@value #TOTAL_MAX} values: if there are more, the fullest bins go without. For one thread.
 */
final class MergedValues {
    private static final int BIN_MAX = 4_096;
    private static final int TOTAL_MAX = 1 << 15;
    private static final int CAPACITY_MIN = 8;

    /** One whose values are not all here. */
    private static final Values UNKNOWN = new Values();

    private final Int2ObjectHashMap<Values> bins = new Int2ObjectHashMap<>();
    private int binMax = BIN_MAX;
    private int total;

    private static final class Values {
        private long[] keys = new long[CAPACITY_MIN];
        private int count;
        private boolean chosen;

        int count() {
            return count;
        }
    }

    /** Adds a value of a bin. Returns whether the bin's values are still kept; once they aren't, they never will be. */
    boolean add(int bin, long key) {
        Values values = bins.get(bin);
        if (values == null) {
            values = new Values();
            bins.put(bin, values);
        }
        if (values == UNKNOWN) {
            return false;
        }
        if (values.count == binMax) {
            drop(bin);
            return false;
        }
        if (values.count == values.keys.length) {
            values.keys = Arrays.copyOf(values.keys, 2 * values.count);
        }
        values.keys[values.count++] = key;
        if (++total > TOTAL_MAX) {
            shrink();
            return bins.get(bin) != UNKNOWN;
        }
        return true;
    }

    /** Forgets the values of a bin, of which some are not known. */
    void drop(int bin) {
        Values before = bins.put(bin, UNKNOWN);
        total -= before == null ? 0 : before.count;
    }

    private void shrink() {
        while (total > TOTAL_MAX / 2) {
            binMax /= 2;
            for (int bin : bins.keySet().stream().mapToInt(Integer::intValue).toArray()) {
                if (bins.get(bin).count > binMax) {
                    drop(bin);
                }
            }
        }
    }

    /** Forgets everything. */
    void clear() {
        bins.clear();
        total = 0;
    }

    /**
     * Chooses the bins with the fewest values.
     *
     * @param max how many values all of them may have
     */
    void choose(int max) {
        List<Values> known = bins.values().stream()
                .filter(values -> values != UNKNOWN)
                .sorted(Comparator.comparingInt(Values::count))
                .toList();
        int sum = 0;
        for (Values each : known) {
            sum += each.count > 2 ? each.count : 0; // others are determined by their least and greatest
            each.chosen = sum <= max;
        }
        // of bins with as many values all are chosen, or none, so that the choice does not depend on their order
        for (int i = known.size() - 1; i > 0; i--) {
            known.get(i - 1).chosen &= known.get(i).chosen || known.get(i).count > known.get(i - 1).count;
        }
    }

    /** The values of a bin that was chosen, from the first on; else null. */
    long @Nullable [] chosen(int bin) {
        Values values = bins.get(bin);
        return values == null || !values.chosen ? null : values.keys;
    }

    /** The least number of trailing zero bits of all values of chosen bins. */
    int trailingZeros() {
        long bits = 0;
        for (Values values : bins.values()) {
            for (int i = 0; values.chosen && i < values.count; i++) {
                bits |= values.keys[i];
            }
        }
        return Math.min(Long.SIZE - 1, Long.numberOfTrailingZeros(bits));
    }
}
