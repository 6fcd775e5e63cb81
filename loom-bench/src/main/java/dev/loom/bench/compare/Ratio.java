package dev.loom.bench.compare;

/**
 * The ratio of two means: the second divided by the first, with its interval.
 *
 * <p>The interval is computed for the difference of the logarithms (Welch's degrees of freedom; relative errors as the errors of
 * the logarithms), so that swapping the means gives the reciprocal.
 */
record Ratio(double value, Interval interval) {
    /** What the interval says, for scores where more is better or where less is. */
    enum Verdict {
        /** The interval contains 1. */
        SAME,
        BETTER,
        WORSE,
        /** Too few samples for an interval. */
        UNKNOWN
    }

    static Ratio of(Measurement first, Measurement second, double confidence) {
        final double value = second.mean() / first.mean();
        final double firstError = first.varianceOfMean() / (first.mean() * first.mean());
        final double secondError = second.varianceOfMean() / (second.mean() * second.mean());
        final double error = firstError + secondError;
        final Interval logarithm;
        if (first.count() < 2 || second.count() < 2 || !(value > 0)) {
            logarithm = Interval.around(0, 0, 0, confidence);
        } else if (error == 0) {
            logarithm = Interval.around(Math.log(value), 0, 1, confidence);
        } else {
            final double degrees = error
                    * error
                    / (firstError * firstError / (first.count() - 1)
                            + secondError * secondError / (second.count() - 1));
            logarithm = Interval.around(Math.log(value), Math.sqrt(error), degrees, confidence);
        }
        return new Ratio(value, new Interval(Math.exp(logarithm.low()), Math.exp(logarithm.high())));
    }

    Verdict verdict(boolean moreIsBetter) {
        if (Double.isNaN(interval.low())) {
            return Verdict.UNKNOWN;
        }
        if (interval.contains(1)) {
            return Verdict.SAME;
        }
        return value > 1 == moreIsBetter ? Verdict.BETTER : Verdict.WORSE;
    }
}
