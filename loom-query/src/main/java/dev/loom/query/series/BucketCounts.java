package dev.loom.query.series;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The counts of consecutive buckets, the first of which has a number. Immutable, except for {@link #add}. */
final class BucketCounts {
    static final BucketCounts NONE = new BucketCounts(0, new long[0]);

    private final int first;
    private final long[] counts;

    /** @param first the number of the first bucket */
    BucketCounts(int first, long[] counts) {
        this.first = first;
        this.counts = counts;
    }

    int size() {
        return counts.length;
    }

    /** The number of a bucket, which may be more than an int. */
    long number(int i) {
        return (long) first + i;
    }

    long count(int i) {
        return counts[i];
    }

    /** As many as a long can say, if there are more. */
    long sum() {
        return Arrays.stream(counts).reduce(0, BucketCounts::plus);
    }

    static long plus(long a, long b) {
        long sum = a + b;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    BucketCounts copy() {
        return new BucketCounts(first, counts.clone());
    }

    /** Adds the counts of as many buckets with the same numbers to these. */
    void add(BucketCounts more) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = plus(counts[i], more.counts[i]);
        }
    }

    /** These without earlier ones; null if a bucket has fewer than earlier. */
    @Nullable
    BucketCounts minus(BucketCounts earlier) {
        long[] left = counts.clone();
        for (int i = 0; i < earlier.counts.length; i++) {
            long at = earlier.number(i) - first;
            if (earlier.counts[i] == 0) {
                continue;
            } else if (at < 0 || at >= left.length || left[(int) at] < earlier.counts[i]) {
                return null;
            }
            left[(int) at] -= earlier.counts[i];
        }
        return new BucketCounts(first, left);
    }

    /** The same counts in wider buckets, each of 2 to the power of the shift of these. */
    BucketCounts merged(int shift) {
        if (counts.length == 0 || shift <= 0) {
            return this;
        }
        int begin = first >> shift;
        long[] merged = new long[(int) ((number(counts.length - 1) >> shift) - begin) + 1];
        for (int i = 0; i < counts.length; i++) {
            int at = (int) ((number(i) >> shift) - begin);
            merged[at] = plus(merged[at], counts[i]);
        }
        return new BucketCounts(begin, merged);
    }

    /** The counts of both, and of the buckets between them. */
    BucketCounts plus(BucketCounts other) {
        if (counts.length == 0 || other.counts.length == 0) {
            return counts.length == 0 ? other : this;
        }
        int begin = Math.min(first, other.first);
        long end = Math.max(number(counts.length), other.number(other.counts.length));
        long[] sum = new long[Math.toIntExact(end - begin)];
        for (int i = 0; i < counts.length; i++) {
            sum[first - begin + i] += counts[i];
        }
        for (int i = 0; i < other.counts.length; i++) {
            int at = other.first - begin + i;
            sum[at] = plus(sum[at], other.counts[i]);
        }
        return new BucketCounts(begin, sum);
    }

    /** From the first to the last bucket of both, if each is merged with its own shift. */
    static long width(BucketCounts a, int shiftA, BucketCounts b, int shiftB) {
        if (a.counts.length == 0 && b.counts.length == 0) {
            return 0;
        } else if (a.counts.length == 0) {
            return width(b, shiftB, b, shiftB);
        } else if (b.counts.length == 0) {
            return width(a, shiftA, a, shiftA);
        }
        long begin = Math.min(a.number(0) >> shiftA, b.number(0) >> shiftB);
        long end = Math.max(a.number(a.counts.length - 1) >> shiftA, b.number(b.counts.length - 1) >> shiftB);
        return end - begin + 1;
    }
}
