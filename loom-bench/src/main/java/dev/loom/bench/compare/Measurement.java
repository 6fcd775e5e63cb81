package dev.loom.bench.compare;

import java.util.Arrays;

/**
 * The samples of one benchmark with one set of parameters, reduced to what an interval needs.
 *
 * @param mean mean of the samples
 * @param variance unbiased variance of the samples; 0 for fewer than two
 * @param count number of samples
 */
record Measurement(double mean, double variance, int count) {
    static Measurement of(double... samples) {
        final double mean = Arrays.stream(samples).average().orElse(Double.NaN);
        final double squares = Arrays.stream(samples)
                .map(sample -> (sample - mean) * (sample - mean))
                .sum();
        return new Measurement(mean, samples.length < 2 ? 0 : squares / (samples.length - 1), samples.length);
    }

    /** The confidence interval of the true mean, by Student's t; NaN for a single sample. */
    Interval interval(double confidence) {
        return Interval.around(mean, Math.sqrt(varianceOfMean()), count - 1.0, confidence);
    }

    /** The square of the standard error of the mean. */
    double varianceOfMean() {
        return variance / count;
    }
}
