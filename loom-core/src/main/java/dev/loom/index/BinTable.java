package dev.loom.index;

import dev.loom.api.DoubleSum;
import dev.loom.api.LongSum;
import dev.loom.api.ValueType;
import java.util.Arrays;

/**
 * Count, sum, minimum and maximum of the bins that a chunk's values fall into, in primitive arrays: a hash table from
 * bins to entries. A chunk costs only its own bins, however many the index has.
 *
 * <p>A chunk's entries are kept for the next chunk, which usually has the same bins, so that neither the entries nor
 * their order need to be found again. Adding allocates only when a chunk has more bins than any before. For one thread.
 */
final class BinTable {
    private static final int CAPACITY_MIN = 16;
    private static final int HASH = 0x9E3779B9; // 2^32 over the golden ratio: spreads bins at equal distances

    /** Entries are dropped once there are about this many times those in use. */
    private static final int UNUSED_MAX = 4;

    private static final int UNUSED_SPARE = 64;

    /** Layout of an entry in {@link #entries}. */
    private static final int COUNT = 0;
    /** The sum of the narrow keys and of the others' lower halves; if compensated, the bits of the sum. */
    private static final int SUM = COUNT + 1;
    /** The sum of the upper halves of keys that are not narrow; if compensated, the bits of the compensation. */
    private static final int SUM_REST = SUM + 1;

    private static final int MIN = SUM_REST + 1;
    private static final int MAX = MIN + 1;
    private static final int ENTRY_LENGTH = MAX + 1;

    private static final long HALF_MASK = 0xFFFF_FFFFL;

    /** The sum of a chunk's keys whose distance from 0 fits this many bits fits 63 bits. */
    private static final int NARROW_BITS = 49;

    private static final long NARROW_MAX = 1L << (NARROW_BITS - 1);

    /** Of a double. */
    private static final int FRACTION_BITS = 52;

    private static final long INFINITY = ValueType.F64.highestKey();

    private final boolean compensated;

    /** By slot, {@code bin + 1}; 0 if empty. */
    private int[] slots = new int[CAPACITY_MIN];

    /** By slot. */
    private long[] entries = new long[CAPACITY_MIN * ENTRY_LENGTH];

    private int hashShift = Integer.SIZE - Integer.numberOfTrailingZeros(CAPACITY_MIN);

    /** For each slot that is taken, its bin and, in the lower half, the slot; sorted by bin up to {@link #sorted}. */
    private long[] order = new long[CAPACITY_MIN / 2];

    /** By slot, where the next value of the bin goes while values are grouped. */
    private int[] starts = {};

    private int count;
    private int sorted;

    /** Those of {@link #order} that have values, as {@link #rewind} finds them after values were added. */
    private long[] used = new long[CAPACITY_MIN / 2];

    private int usedCount;
    private boolean usedKnown;

    private final LongSum keySum = new LongSum();
    /** Whether bins of a part are visited: those from {@link #first} on, numbered from there. */
    private boolean selected;

    private int first;
    private int begin;
    private int limit;
    private int next;
    private int current;
    private int bin;

    /** @param compensated whether sums are of doubles whose bins span several powers of two */
    BinTable(boolean compensated) {
        this.compensated = compensated;
    }

    /** Adds values with their bins. */
    void add(int[] bins, long[] keys, int length) {
        usedKnown = false;
        while (count + length > order.length) {
            grow(); // before the loops below, which keep the arrays in locals
        }
        if (compensated) {
            addDoubles(bins, keys, length);
        } else {
            addKeys(bins, keys, length);
        }
    }

    private void addKeys(int[] bins, long[] keys, int length) {
        int[] table = slots;
        long[] all = entries;
        int shift = hashShift;
        for (int i = 0; i < length; i++) {
            int at = slot(table, shift, bins[i]) * ENTRY_LENGTH;
            long key = keys[i];
            all[at + COUNT]++;
            if ((key + NARROW_MAX) >>> NARROW_BITS == 0) {
                all[at + SUM] += key;
            } else {
                all[at + SUM] += key & HALF_MASK;
                all[at + SUM_REST] += key >> Integer.SIZE;
            }
            extend(all, at, key);
        }
    }

    private void addDoubles(int[] bins, long[] keys, int length) {
        int[] table = slots;
        long[] all = entries;
        int shift = hashShift;
        for (int i = 0; i < length; i++) {
            int at = slot(table, shift, bins[i]) * ENTRY_LENGTH;
            double value = ValueType.doubleOf(keys[i]);
            double sum = Double.longBitsToDouble(all[at + SUM]);
            double total = sum + value;
            double rest = Double.longBitsToDouble(all[at + SUM_REST]) + DoubleSum.error(sum, value, total);
            all[at + COUNT]++;
            all[at + SUM] = Double.doubleToRawLongBits(total);
            all[at + SUM_REST] = Double.doubleToRawLongBits(rest);
            extend(all, at, keys[i]);
        }
    }

    /** Adds values of one bin, of integers or of doubles that are summed by their keys. */
    void merge(int valueBin, int values, long min, long max, LongSum keys) {
        int at = merge(valueBin, values, min, max);
        entries[at + SUM] += keys.low() & HALF_MASK;
        entries[at + SUM_REST] += keys.high() << Integer.SIZE | keys.low() >>> Integer.SIZE;
    }

    /** Adds values of one bin, whose sums are compensated. */
    void merge(int valueBin, int values, long min, long max, double valueSum) {
        int at = merge(valueBin, values, min, max);
        double sum = Double.longBitsToDouble(entries[at + SUM]);
        double total = sum + valueSum;
        double rest = Double.longBitsToDouble(entries[at + SUM_REST]) + DoubleSum.error(sum, valueSum, total);
        entries[at + SUM] = Double.doubleToRawLongBits(total);
        entries[at + SUM_REST] = Double.doubleToRawLongBits(rest);
    }

    private int merge(int valueBin, int values, long min, long max) {
        usedKnown = false;
        if (count == order.length) {
            grow();
        }
        int at = slot(slots, hashShift, valueBin) * ENTRY_LENGTH;
        entries[at + COUNT] += values;
        extend(entries, at, min);
        extend(entries, at, max);
        return at;
    }

    /** Uses branches, which are predicted well; without them each value would wait for the one before. */
    private static void extend(long[] all, int at, long key) {
        if (key < all[at + MIN]) {
            all[at + MIN] = key;
        }
        if (key > all[at + MAX]) {
            all[at + MAX] = key;
        }
    }

    /** Adds one value. */
    void add(int valueBin, long key) {
        usedKnown = false;
        if (count == order.length) {
            grow();
        }
        int at = slot(slots, hashShift, valueBin) * ENTRY_LENGTH;
        long[] all = entries;
        all[at + COUNT]++;
        if (compensated) {
            double value = ValueType.doubleOf(key);
            double sum = Double.longBitsToDouble(all[at + SUM]);
            double total = sum + value;
            double rest = Double.longBitsToDouble(all[at + SUM_REST]) + DoubleSum.error(sum, value, total);
            all[at + SUM] = Double.doubleToRawLongBits(total);
            all[at + SUM_REST] = Double.doubleToRawLongBits(rest);
        } else if ((key + NARROW_MAX) >>> NARROW_BITS == 0) {
            all[at + SUM] += key;
        } else {
            all[at + SUM] += key & HALF_MASK;
            all[at + SUM_REST] += key >> Integer.SIZE;
        }
        extend(all, at, key);
    }

    private int slot(int[] table, int shift, int valueBin) {
        int slot = (valueBin * HASH) >>> shift;
        return table[slot] == valueBin + 1 ? slot : probe(valueBin, slot);
    }

    private int probe(int valueBin, int start) {
        int slot = start;
        while (slots[slot] != 0) {
            if (slots[slot] == valueBin + 1) {
                return slot;
            }
            slot = (slot + 1) & (slots.length - 1);
        }
        slots[slot] = valueBin + 1;
        clear(slot * ENTRY_LENGTH);
        order[count++] = (long) valueBin << Integer.SIZE | slot;
        return slot;
    }

    private void clear(int at) {
        entries[at + COUNT] = 0;
        entries[at + SUM] = 0;
        entries[at + SUM_REST] = 0;
        entries[at + MIN] = Long.MAX_VALUE;
        entries[at + MAX] = Long.MIN_VALUE;
    }

    private void grow() {
        long[] before = entries;
        int taken = count;
        // allocates everything before anything changes
        int[] largerSlots = new int[slots.length * 2];
        long[] largerEntries = new long[before.length * 2];
        long[] largerOrder = Arrays.copyOf(order, order.length * 2);
        long[] largerUsed = new long[largerOrder.length];
        slots = largerSlots;
        entries = largerEntries;
        order = largerOrder;
        used = largerUsed;
        hashShift--;
        count = 0;
        for (int i = 0; i < taken; i++) {
            int valueBin = (int) (order[i] >>> Integer.SIZE);
            int from = (int) order[i] * ENTRY_LENGTH;
            int to =
                    slot(slots, hashShift, valueBin) * ENTRY_LENGTH; // inserts it again, at the same place in the order
            System.arraycopy(before, from, entries, to, ENTRY_LENGTH);
        }
    }

    /**
     * Puts values that were added in the order of their bins.
     *
     * @param valueBins the bin of each
     * @param into takes them; those of a bin stay in their order
     */
    void group(int[] valueBins, long[] keys, int length, long[] into) {
        if (starts.length < slots.length) {
            starts = new int[slots.length];
        }
        int[] places = starts;
        int place = 0;
        rewind();
        while (next()) {
            places[current / ENTRY_LENGTH] = place;
            place += count();
        }
        int[] table = slots;
        int shift = hashShift;
        for (int i = 0; i < length; i++) {
            into[places[slot(table, shift, valueBins[i])]++] = keys[i];
        }
    }

    /** Forgets the values, and also the bins if few of them were used. */
    void reset() {
        rewind();
        selectAll();
        for (int i = 0; i < usedCount; i++) {
            clear((int) used[i] * ENTRY_LENGTH);
        }
        if (count > UNUSED_MAX * usedCount + UNUSED_SPARE) {
            clear();
        }
        usedCount = 0;
    }

    /** Forgets the values and the bins. */
    void clear() {
        Arrays.fill(slots, 0);
        count = 0;
        sorted = 0;
        usedCount = 0;
    }

    /** The number of entries, at least the number of bins with values. */
    int entryCount() {
        return count;
    }

    /** Whether no bin has values. */
    boolean isEmpty() {
        rewind();
        return !next();
    }

    /** Moves before the first bin with values. Nothing may be added until the last was visited. */
    void rewind() {
        if (!usedKnown) {
            findUsed();
        }
        next = begin;
        limit = selected ? limit : usedCount;
    }

    private void findUsed() {
        sort();
        int found = 0;
        for (int i = 0; i < count; i++) {
            used[found] = order[i];
            found += entries[(int) order[i] * ENTRY_LENGTH + COUNT] > 0 ? 1 : 0;
        }
        usedCount = found;
        usedKnown = true;
    }

    /** Sorts what was added, and merges it with the rest: to sort all would allocate, if that is much. */
    private void sort() {
        if (sorted == count) {
            return;
        }
        Arrays.sort(order, sorted, count);
        System.arraycopy(order, 0, used, 0, sorted);
        int left = 0;
        int right = sorted;
        for (int i = 0; left < sorted; i++) {
            order[i] = right == count || used[left] < order[right] ? used[left++] : order[right++];
        }
        sorted = count;
    }

    /** Visits only some bins from now on, numbered from the first of them. Nothing may be added until all are visited again. */
    void select(int firstBin, int bins) {
        selectAll();
        rewind();
        begin = lowerBound(firstBin);
        limit = lowerBound(firstBin + bins);
        first = firstBin;
        selected = true;
        next = begin;
    }

    /** Visits all bins from now on. */
    void selectAll() {
        selected = false;
        first = 0;
        begin = 0;
    }

    private int lowerBound(int valueBin) {
        int low = 0;
        int high = usedCount;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (used[middle] >>> Integer.SIZE < valueBin) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Moves to the next bin with values; false after the last. */
    boolean next() {
        if (next >= limit) {
            return false;
        }
        long place = used[next++];
        current = (int) place * ENTRY_LENGTH;
        bin = (int) (place >>> Integer.SIZE) - first;
        return true;
    }

    int bin() {
        return bin;
    }

    int count() {
        return (int) entries[current + COUNT];
    }

    long minKey() {
        return entries[current + MIN];
    }

    long maxKey() {
        return entries[current + MAX];
    }

    /** The sum of the bin's doubles, rounded once. */
    double doubleSum() {
        if (compensated) {
            return DoubleSum.value(
                    Double.longBitsToDouble(entries[current + SUM]),
                    Double.longBitsToDouble(entries[current + SUM_REST]));
        }
        keySum.clear();
        addKeysTo(keySum);
        return sum(count(), minKey(), maxKey(), keySum);
    }

    /**
     * The sum of doubles in one log-linear bin, from the sum of their keys. In each power of two, and so in a bin, the
     * values grow by one unit per key.
     */
    private static double sum(int count, long minKey, long maxKey, LongSum keys) {
        if (minKey == -INFINITY || maxKey == INFINITY) {
            return ValueType.doubleOf(minKey);
        }
        boolean negative = maxKey < 0;
        long least = negative ? -maxKey : minKey;
        long exponent = Math.max(1, least >>> FRACTION_BITS);
        long base = (exponent - 1) << FRACTION_BITS;
        keys.addProduct(negative ? base : -base, count);
        return Math.scalb(keys.doubleValue(), (int) exponent - Double.MAX_EXPONENT - FRACTION_BITS);
    }

    /** The lower 64 bits of the sum of the bin's keys. */
    long keySumLow() {
        return entries[current + SUM] + (entries[current + SUM_REST] << Integer.SIZE);
    }

    /** Adds the keys of the bin, unless they are compensated doubles. */
    void addKeysTo(LongSum sum) {
        sum.add(entries[current + SUM]);
        sum.addProduct(entries[current + SUM_REST], 1L << Integer.SIZE);
    }
}
