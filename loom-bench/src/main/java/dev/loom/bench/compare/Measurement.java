package dev.loom.bench.compare;

import java.util.Arrays;

/**
 * The samples of one benchmark with one set of parameters, reduced to what an interval needs.
 *
 * @param mean of the samples
 * @param variance of the samples, unbiased; 0 for fewer than two
 * @param count of the samples
 */
record Measurement(double mean, double variance, int count) {
    static Measurement of(double... samples) {
        final double mean = Arrays.stream(samples).average().orElse(Double.NaN);
        final double squares = Arrays.stream(samples)
                .map(sample -> (sample - mean) * (sample - mean))
                .sum();
        return new Measurement(mean, samples.length < 2 ? 0 : squares / (samples.length - 1), samples.length);
    }

    /** The interval in which the true mean lies, by Student's t; not a number for a single sample. */
    Interval interval(double confidence) {
        return Interval.around(mean, Math.sqrt(varianceOfMean()), count - 1.0, confidence);
    }

    /** The square of the standard error of the mean. */
    double varianceOfMean() {
        return variance / count;
    }
}
