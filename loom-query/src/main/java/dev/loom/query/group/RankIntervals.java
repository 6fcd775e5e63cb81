package dev.loom.query.group;

import dev.loom.api.Bins;
import dev.loom.api.ValueType;
import dev.loom.read.BinListReader;
import dev.loom.value.BinScale;
import java.util.Objects;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Intervals of keys that hold the values of ranks of groups, and what a pass keeps for each: values or counts in cells. For one
 * thread.
 *
 * <pre>
 *    0 lowest key (8) | 8 highest key (8) | 16 values in it, at most (8)
 *   24 first cell (4) | 28 cells used, or slots (4) | 32 shift, or the first bin (4) | 36 mode (4)
 * </pre>
 */
final class RankIntervals {
    /** It waits for a pass that has room. */
    static final int WAITS = 0;
    /** The pass keeps its values. */
    static final int COLLECTS = 1;
    /** The pass counts its values by slots of equal width, a power of two. */
    static final int COUNTS = 2;
    /** It is one key: the pass counts its values by what they have more than the key. */
    static final int REMAINDERS = 3;
    /** The pass counts its values by bins: of an index, which may have counted them, or log-linear ones. */
    static final int BINS = 4;

    /**
     * The fewest log-linear bins by which integers are counted without an index: those of five powers of two. Of such a span, slots of equal
     * width would leave most values in one.
     */
    private static final int FINE_BINS_MIN = 5 << Bins.SCALE_MAX;

    private static final int LOW_OFFSET = 0;
    private static final int HIGH_OFFSET = LOW_OFFSET + Long.BYTES;
    private static final int COUNT_OFFSET = HIGH_OFFSET + Long.BYTES;
    private static final int BEGIN_OFFSET = COUNT_OFFSET + Long.BYTES;
    private static final int USED_OFFSET = BEGIN_OFFSET + Integer.BYTES;
    private static final int SHIFT_OFFSET = USED_OFFSET + Integer.BYTES;
    private static final int MODE_OFFSET = SHIFT_OFFSET + Integer.BYTES;
    private static final int LENGTH = MODE_OFFSET + Integer.BYTES;

    private final RecordTable table;
    private final boolean indexed;
    /** Null for doubles without an index, whose keys are by powers of two themselves. */
    private final @Nullable BinScale scale;

    /** @param ofIndex the bins of an index that may answer; null if there is none */
    RankIntervals(GroupMemory memory, ValueType type, @Nullable BinScale ofIndex) {
        table = new RecordTable(memory, LENGTH);
        indexed = ofIndex != null;
        scale = indexed || type == ValueType.F64 ? ofIndex : BinScale.of(Bins.logLinear(Bins.SCALE_MAX), type);
    }

    int size() {
        return table.size();
    }

    void clear() {
        table.clear();
    }

    int add(long low, long high, long count) {
        int interval = table.add();
        UnsafeBuffer buffer = table.buffer(interval);
        int at = table.offset(interval);
        buffer.putLong(at + LOW_OFFSET, low);
        buffer.putLong(at + HIGH_OFFSET, high);
        buffer.putLong(at + COUNT_OFFSET, count);
        return interval;
    }

    long low(int interval) {
        return table.buffer(interval).getLong(table.offset(interval) + LOW_OFFSET);
    }

    long high(int interval) {
        return table.buffer(interval).getLong(table.offset(interval) + HIGH_OFFSET);
    }

    long count(int interval) {
        return table.buffer(interval).getLong(table.offset(interval) + COUNT_OFFSET);
    }

    int begin(int interval) {
        return table.buffer(interval).getInt(table.offset(interval) + BEGIN_OFFSET);
    }

    int used(int interval) {
        return table.buffer(interval).getInt(table.offset(interval) + USED_OFFSET);
    }

    void used(int interval, int cells) {
        table.buffer(interval).putInt(table.offset(interval) + USED_OFFSET, cells);
    }

    int mode(int interval) {
        return table.buffer(interval).getInt(table.offset(interval) + MODE_OFFSET);
    }

    boolean isOne(int interval) {
        return low(interval) == high(interval);
    }

    /** Whether a pass with {@code cellsMax} cells for it counts its values by bins. */
    boolean isForBins(int interval, int cellsMax) {
        int bins = bins(interval);
        return bins <= cellsMax && (indexed ? bins > 1 : bins >= FINE_BINS_MIN && count(interval) > cellsMax);
    }

    /** The number of bins that it spans; 0 if there are none. */
    int bins(int interval) {
        BinScale bins = scale;
        return bins == null ? 0 : bins.bin(high(interval)) - bins.bin(low(interval)) + 1;
    }

    /** Whether the pass has a slot for each bin of a scale. */
    boolean countsBins(int interval, BinScale bins) {
        return bins == scale && mode(interval) == BINS;
    }

    /** Whether the pass counts all values of a bin in one slot. */
    boolean isInSlot(int interval, BinListReader bin) {
        int mode = mode(interval);
        return (mode == COUNTS || mode == BINS)
                && bin.minKey() >= low(interval)
                && bin.maxKey() <= high(interval)
                && slot(interval, bin.minKey()) == slot(interval, bin.maxKey());
    }

    /** Keeps a key, in cells of the pass. */
    void collect(int interval, long key, UnsafeBuffer cells) {
        int used = used(interval);
        // never more than were counted, whatever the disk returns now
        if (used < count(interval)) {
            cells.putLong((begin(interval) + used) * Long.BYTES, key);
            used(interval, used + 1);
        }
    }

    /** Prepares a pass. */
    void prepare(int interval, int mode, int begin, int cells) {
        UnsafeBuffer buffer = table.buffer(interval);
        int at = table.offset(interval);
        buffer.putInt(at + MODE_OFFSET, mode);
        buffer.putInt(at + BEGIN_OFFSET, begin);
        buffer.putInt(at + USED_OFFSET, 0);
        if (mode == COUNTS) {
            long last = high(interval) - low(interval);
            int shift = 0;
            while (Long.compareUnsigned(last >>> shift, cells) >= 0) {
                shift++;
            }
            buffer.putInt(at + SHIFT_OFFSET, shift);
            buffer.putInt(at + USED_OFFSET, (int) (last >>> shift) + 1);
        } else if (mode == REMAINDERS) {
            buffer.putInt(at + USED_OFFSET, cells);
        } else if (mode == BINS) {
            buffer.putInt(at + SHIFT_OFFSET, scale().bin(low(interval)));
            buffer.putInt(at + USED_OFFSET, cells);
        }
    }

    private BinScale scale() {
        return Objects.requireNonNull(scale, "no bins");
    }

    /** The slot of a key. */
    int slot(int interval, long key) {
        return mode(interval) == BINS
                ? scale().bin(key) - shift(interval)
                : (int) ((key - low(interval)) >>> shift(interval));
    }

    private int shift(int interval) {
        return table.buffer(interval).getInt(table.offset(interval) + SHIFT_OFFSET);
    }

    /** The lowest key of a slot. */
    long low(int interval, int slot) {
        if (mode(interval) == BINS) {
            return Math.max(low(interval), scale().lowKey(shift(interval) + slot));
        }
        return low(interval) + ((long) slot << shift(interval));
    }

    /** The highest key of a slot. */
    long high(int interval, int slot) {
        if (mode(interval) == BINS) {
            return Math.min(high(interval), scale().highKey(shift(interval) + slot));
        }
        long from = low(interval, slot);
        long width = (1L << shift(interval)) - 1;
        return Long.compareUnsigned(width, high(interval) - from) < 0 ? from + width : high(interval);
    }
}
