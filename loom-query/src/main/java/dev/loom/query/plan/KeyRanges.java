package dev.loom.query.plan;

import dev.loom.read.BinListReader;
import java.util.Comparator;
import java.util.List;

/** Disjoint ranges of keys, ascending. Immutable. */
public final class KeyRanges {
    private final long[] lows;
    private final long[] highs;
    private final int count;
    private final KeyRange span;

    private KeyRanges(List<KeyRange> ascending) {
        lows = new long[ascending.size()];
        highs = new long[ascending.size()];
        int last = -1;
        for (KeyRange range : ascending) {
            boolean apart = last < 0 || range.low() > highs[last];
            // keys are whole numbers, so adjacent ranges merge
            if (apart && (last < 0 || range.low() != highs[last] + 1)) {
                last++;
                lows[last] = range.low();
                highs[last] = range.high();
            } else {
                highs[last] = Math.max(highs[last], range.high());
            }
        }
        count = last + 1;
        span = count == 0 ? KeyRange.NONE : new KeyRange(lows[0], highs[last]);
    }

    /** The union of these ranges. */
    public static KeyRanges of(List<KeyRange> ranges) {
        return new KeyRanges(ranges.stream()
                .filter(range -> !range.isEmpty())
                .sorted(Comparator.comparingLong(KeyRange::low))
                .toList());
    }

    public boolean contains(long key) {
        return touches(key, key);
    }

    /** Whether all keys from {@code minKey} to {@code maxKey} are in one range. */
    public boolean covers(long minKey, long maxKey) {
        int at = firstEndingFrom(minKey);
        return at < count && lows[at] <= minKey && highs[at] >= maxKey;
    }

    /** Whether any key from {@code minKey} to {@code maxKey} is in a range. */
    public boolean touches(long minKey, long maxKey) {
        int at = firstEndingFrom(minKey);
        return at < count && lows[at] <= maxKey;
    }

    /**
     * Whether a value of a list of bins may be in a range; where all values of a bin are kept, whether one is.
     *
     * @param bins before the first bin
     * @throws dev.loom.error.CorruptStoreException if the list is impossible
     */
    boolean touches(BinListReader bins) {
        bins.limit(span.low(), span.high());
        while (bins.next()) {
            if (touches(bins.minKey(), bins.maxKey()) && (!bins.isComplete() || containsOne(bins))) {
                return true;
            }
        }
        return false;
    }

    private boolean containsOne(BinListReader bin) {
        boolean any = contains(bin.minKey()) || contains(bin.maxKey());
        for (int i = 0; !any && i < bin.count(); i++) {
            any = contains(bin.key(i));
        }
        return any;
    }

    private int firstEndingFrom(long key) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (highs[middle] < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
