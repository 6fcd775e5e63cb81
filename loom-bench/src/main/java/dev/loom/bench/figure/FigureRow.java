package dev.loom.bench.figure;

import java.util.Arrays;
import java.util.List;

/**
 * One point or bar of a figure. Immutable.
 *
 * @param panel the name of its panel
 * @param series the system, or the variant of one
 * @param x the place on the horizontal axis; a number in a panel of lines
 * @param median the middle of the values, or the mean of the two in the middle
 * @param values one for each round, in the order in which they were measured
 */
public record FigureRow(
        String panel, String series, String x, double median, double min, double max, List<Double> values) {
    static FigureRow of(String panel, String series, String x, double... values) {
        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        if (sorted.length == 0 || !Arrays.stream(sorted).allMatch(Double::isFinite)) {
            throw new IllegalArgumentException("row has no values, or not a number: panel=" + panel + ", series="
                    + series + ", x=" + x + ", values=" + Arrays.toString(values));
        }
        final int middle = sorted.length / 2;
        final double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new FigureRow(
                panel,
                series,
                x,
                median,
                sorted[0],
                sorted[sorted.length - 1],
                Arrays.stream(values).boxed().toList());
    }
}
