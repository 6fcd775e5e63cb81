package dev.loom.bench.compare;

import org.apache.commons.math3.distribution.TDistribution;

/** A confidence interval; both ends are NaN if there are too few samples. */
public record Interval(double low, double high) {
    private static final Interval UNKNOWN = new Interval(Double.NaN, Double.NaN);

    /** The centre plus and minus the error times Student's t for these degrees of freedom. */
    public static Interval around(double centre, double standardError, double degreesOfFreedom, double confidence) {
        if (!(degreesOfFreedom > 0)) {
            return UNKNOWN;
        }
        final double t =
                new TDistribution(null, degreesOfFreedom).inverseCumulativeProbability(1 - (1 - confidence) / 2);
        return new Interval(centre - t * standardError, centre + t * standardError);
    }

    boolean contains(double value) {
        return low <= value && value <= high;
    }
}
