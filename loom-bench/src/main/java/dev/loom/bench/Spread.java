package dev.loom.bench;

import java.util.Arrays;
import java.util.Locale;

/**
 * Median, minimum and maximum of some figures.
 *
 * @param median the middle figure, or the mean of the two in the middle
 */
record Spread(double median, double min, double max) {
    static Spread of(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("no values");
        }
        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        final int middle = sorted.length / 2;
        final double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }

    /** The three figures with this many decimals: {@code 26.1 [24.9, 27.0]}. */
    String text(int decimals) {
        final String number = "%." + decimals + "f";
        return String.format(Locale.ROOT, number + " [" + number + ", " + number + "]", median, min, max);
    }

    /** The median only. */
    String medianText(int decimals) {
        return String.format(Locale.ROOT, "%." + decimals + "f", median);
    }
}
