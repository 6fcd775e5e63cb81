package dev.loom.server.prometheus.promql;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;

/** The buckets on one side of zero that are not empty, by ascending numbers. Immutable. */
final class BucketSide {
    static final BucketSide NONE = new BucketSide(new int[0], new double[0]);

    private final int[] numbers;
    private final double[] counts;

    /** Takes ascending numbers and their counts. */
    BucketSide(int[] numbers, double[] counts) {
        this.numbers = numbers;
        this.counts = counts;
    }

    int size() {
        return numbers.length;
    }

    int number(int i) {
        return numbers[i];
    }

    double count(int i) {
        return counts[i];
    }

    double sum() {
        return Arrays.stream(counts).sum();
    }

    /** The count of a bucket, by its number. */
    double countOf(int number) {
        int i = Arrays.binarySearch(numbers, number);
        return i < 0 ? 0 : counts[i];
    }

    BucketSide map(DoubleUnaryOperator change) {
        return new BucketSide(numbers, Arrays.stream(counts).map(change).toArray());
    }

    /** The same in a layout with coarser buckets. */
    BucketSide in(BucketLayout from, BucketLayout into) {
        if (from.equals(into) || numbers.length == 0) {
            return this;
        }
        int[] merged = new int[numbers.length];
        double[] sums = new double[numbers.length];
        int size = 0;
        for (int i = 0; i < numbers.length; i++) {
            int number = from.bucketIn(into, numbers[i]);
            if (size == 0 || merged[size - 1] != number) {
                merged[size++] = number;
            }
            sums[size - 1] += counts[i];
        }
        return new BucketSide(Arrays.copyOf(merged, size), Arrays.copyOf(sums, size));
    }

    /** These, and those of another side times a factor; those that are 0 are left out. */
    BucketSide plus(BucketSide other, double factor) {
        int[] all = new int[numbers.length + other.numbers.length];
        double[] sums = new double[all.length];
        int size = 0;
        int i = 0;
        int j = 0;
        while (i < numbers.length || j < other.numbers.length) {
            // beyond all numbers, where there are no more
            long mine = i < numbers.length ? numbers[i] : Long.MAX_VALUE;
            long theirs = j < other.numbers.length ? other.numbers[j] : Long.MAX_VALUE;
            long number = Math.min(mine, theirs);
            double sum = (mine == number ? counts[i++] : 0) + (theirs == number ? factor * other.counts[j++] : 0);
            if (sum != 0) {
                all[size] = (int) number;
                sums[size++] = sum;
            }
        }
        return new BucketSide(Arrays.copyOf(all, size), Arrays.copyOf(sums, size));
    }
}
