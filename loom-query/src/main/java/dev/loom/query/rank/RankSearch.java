package dev.loom.query.rank;

import dev.loom.api.Bins;
import dev.loom.api.ValueType;
import dev.loom.query.model.PercentileBounds;
import dev.loom.query.model.Value;
import dev.loom.query.plan.Coverage;
import dev.loom.read.BinListReader;
import dev.loom.read.ChunkSummary;
import dev.loom.value.BinScale;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the values of ranks, exactly and in constant memory, by passes over the values (paper, section 4.3). Each rank lies
 * in a known interval of keys, at first the one from {@link RankBounds}. A pass counts the values of each interval by bin,
 * or within a bin by parts of equal width, which narrows the interval; once few enough values are left, a pass collects
 * them.
 *
 * <p>Memory: {@link #CELLS} values or counts of 8 bytes, which the intervals share equally. For one thread.
 */
public final class RankSearch implements KeyTally {
    /** The most values that a pass collects, or counters that it keeps. */
    public static final int CELLS = 1 << 15;

    /** The most ranks of one search. */
    public static final int RANKS_MAX = CELLS / 32;

    /** Up to this many intervals, testing each against a whole batch is faster than a lookup for each value. */
    private static final int LOOKED_THROUGH_MAX = 8;

    private final ValueType type;
    private final BinScale scale;
    private final long[] cells = new long[CELLS];
    private final boolean summarised;
    private final double within;
    private final @Nullable RankBounds bounds;
    /** For each rank searched: the rank within its interval (in the first pass, among all values), and the interval. */
    private long[] ranks = {};

    private @Nullable KeyInterval[] intervalOf = {};
    /** The intervals still to be narrowed, ascending. */
    private KeyInterval[] open = {};
    /** The highest key of each, to find an interval by key. */
    private long[] highKeys = {};

    /** Whether a pass counts the values below the intervals, as ranks are still among all values. */
    private boolean countsBelow;

    private long below;

    /**
     * @param known the bins that most summaries have; null if there are none
     * @param all whether all values count, not only those in a range
     * @param within how far the bounds of a rank's value may be apart, as a share of the value; 0 to find the value
     */
    public RankSearch(ValueType type, @Nullable BinScale known, boolean all, double within) {
        this.within = within;
        this.type = type;
        this.scale = known == null ? BinScale.of(Bins.logLinear(), type) : known;
        this.summarised = known != null;
        this.bounds = summarised && all ? new RankBounds(scale, cells) : null;
        this.countsBelow = bounds != null;
    }

    /** Must be given all groups of values before the search starts; null if not used. */
    @Nullable
    public RankBounds bounds() {
        return bounds;
    }

    /**
     * Starts the search.
     *
     * @param ascending the ranks, from 1 to the number of values
     * @param totals the totals of the values
     */
    public void start(long[] ascending, Totals totals) {
        ranks = ascending.clone();
        int first = 0;
        int last = ranks.length - 1;
        while (first <= last && ranks[first] == 1) {
            first++;
        }
        while (last >= first && ranks[last] == totals.count()) {
            last--;
        }
        long[] sorted = totals.sortedKeys();
        if (sorted != null) {
            intervalOf = LongStream.of(ranks)
                    .map(rank -> sorted[(int) rank - 1])
                    .mapToObj(key -> new KeyInterval(key, key, 1))
                    .toArray(KeyInterval[]::new);
            return;
        }
        KeyInterval least = new KeyInterval(totals.minKey(), totals.minKey(), 1);
        KeyInterval most = new KeyInterval(totals.maxKey(), totals.maxKey(), 1);
        intervalOf = new KeyInterval[ranks.length];
        Arrays.fill(intervalOf, 0, first, least);
        Arrays.fill(intervalOf, last + 1, ranks.length, most);
        if (first <= last) {
            startBetween(first, last, totals);
        }
    }

    /** Starts the search for ranks that are neither the lowest nor the highest. */
    private void startBetween(int first, int last, Totals totals) {
        long low = totals.minKey();
        long high = totals.maxKey();
        if (bounds != null) {
            low = Math.max(low, bounds.lowKey(ranks[first]));
            high = Math.min(high, bounds.highKey(ranks[last]));
        }
        KeyInterval all = new KeyInterval(low, high, totals.count());
        Arrays.fill(intervalOf, first, last + 1, all);
        open = isNarrow(all) ? open : new KeyInterval[] {all};
    }

    private boolean isNarrow(KeyInterval interval) {
        return interval.isOne() || (within > 0 && interval.isWithin(type, within));
    }

    /** Whether the value of every rank is found, or can't be. */
    public boolean isDone() {
        return open.length == 0;
    }

    /** Prepares a pass. */
    public void begin() {
        Arrays.fill(cells, 0);
        highKeys = Arrays.stream(open).mapToLong(interval -> interval.high).toArray();
        int share = CELLS / Math.max(1, open.length);
        int begin = 0;
        for (KeyInterval interval : open) {
            boolean byBins = summarised && (countsBelow || scale.bin(interval.low) != scale.bin(interval.high));
            interval.begin = begin;
            interval.used = 0;
            interval.collects = !byBins && interval.count <= share;
            if (!interval.collects) {
                interval.divide(scale, byBins, share);
            }
            begin += share;
        }
    }

    @Override
    public long lowKey() {
        return open[0].low;
    }

    @Override
    public long highKey() {
        return open[open.length - 1].high;
    }

    @Override
    public boolean countsBins(BinScale bins) {
        // the same bins, and every value in them counts
        return countsBelow && bins == scale;
    }

    @Override
    public void addBin(int bin, int values) {
        KeyInterval interval = open[0];
        cells[interval.begin + interval.slotOfBin(bin)] += values;
    }

    @Override
    public Coverage cover(long minKey, long maxKey) {
        if (maxKey < open[0].low) {
            return countsBelow ? Coverage.ALL : Coverage.NONE;
        }
        KeyInterval interval = firstEndingFrom(minKey);
        if (interval == null || interval.low > maxKey) {
            return Coverage.NONE;
        }
        return interval.treatsAlike(scale, minKey, maxKey) ? Coverage.ALL : Coverage.SOME;
    }

    @Override
    public void add(ChunkSummary totals) {
        add(totals.minKey(), totals.count());
    }

    @Override
    public void add(BinListReader bin) {
        add(bin.minKey(), bin.count());
    }

    @Override
    public void add(long key) {
        add(key, 1);
    }

    @Override
    public void add(long[] keys, int length) {
        if (open.length > LOOKED_THROUGH_MAX) {
            for (int i = 0; i < length; i++) {
                add(keys[i], 1);
            }
            return;
        }
        for (KeyInterval interval : open) {
            for (int i = 0; i < length; i++) {
                if (interval.contains(keys[i])) {
                    add(interval, keys[i], 1);
                }
            }
        }
        long low = lowKey();
        for (int i = 0; countsBelow && i < length; i++) {
            below += keys[i] < low ? 1 : 0;
        }
    }

    @Override
    public void addBelow(long values) {
        below += values;
    }

    private void add(long key, long times) {
        KeyInterval interval = firstEndingFrom(key);
        if (interval != null && key >= interval.low) {
            add(interval, key, times);
        }
        below += key < lowKey() ? times : 0;
    }

    private @Nullable KeyInterval firstEndingFrom(long key) {
        int at = Arrays.binarySearch(highKeys, key);
        at = at < 0 ? ~at : at;
        return at < open.length ? open[at] : null;
    }

    private void add(KeyInterval interval, long key, long times) {
        if (!interval.collects) {
            cells[interval.begin + interval.slot(scale, key)] += times;
            return;
        }
        // never more than were counted, whatever the disk returns now
        int to = (int) Math.min(interval.used + times, interval.count);
        Arrays.fill(cells, interval.begin + interval.used, interval.begin + to, key);
        interval.used = to;
    }

    /** Ends a pass: narrows the intervals. */
    public void end() {
        KeyInterval[] next = new KeyInterval[ranks.length];
        int count = 0;
        for (int i = 0; i < ranks.length; i++) {
            // at least 1, whatever the disk returns now
            ranks[i] = countsBelow ? Math.max(1, ranks[i] - below) : ranks[i];
            KeyInterval interval = intervalOf[i];
            if (interval == null || isNarrow(interval)) {
                continue;
            }
            KeyInterval smaller = interval.collects ? select(interval, i) : narrow(interval, i);
            boolean shared = count > 0 && smaller != null && smaller.isSame(next[count - 1]);
            intervalOf[i] = shared ? next[count - 1] : smaller;
            if (smaller != null && !isNarrow(smaller) && !shared) {
                next[count++] = smaller;
            }
        }
        open = Arrays.copyOf(next, count);
        countsBelow = false;
    }

    private @Nullable KeyInterval select(KeyInterval interval, int i) {
        if (interval.used == 0) {
            return null;
        }
        int rank = (int) Math.min(ranks[i], interval.used);
        long key = Selection.select(cells, interval.begin, interval.begin + interval.used, rank - 1);
        return new KeyInterval(key, key, 1);
    }

    private @Nullable KeyInterval narrow(KeyInterval interval, int i) {
        int found = -1;
        for (int slot = 0; slot < interval.slots; slot++) {
            long here = cells[interval.begin + slot];
            if (here > 0) {
                found = slot;
                if (ranks[i] <= here) {
                    break;
                }
                ranks[i] -= here;
            }
        }
        return found < 0 ? null : interval.part(scale, found, cells[interval.begin + found]);
    }

    /** The bounds of the value of the i-th rank, which are the value if nothing else was asked for; null if they were not found. */
    @Nullable
    public PercentileBounds bounds(int i) {
        KeyInterval interval = intervalOf[i];
        return interval == null || !isNarrow(interval)
                ? null
                : new PercentileBounds(new Value(type, interval.low), new Value(type, interval.high));
    }
}
