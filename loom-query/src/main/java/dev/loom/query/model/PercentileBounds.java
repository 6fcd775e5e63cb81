package dev.loom.query.model;

/**
 * What is known of a percentile: it is one of the values from the lower to the upper bound.
 *
 * @param lower at most the percentile
 * @param upper at least the percentile
 */
public record PercentileBounds(Value lower, Value upper) {
    /** Halfway between the bounds. */
    public double estimate() {
        double low = lower.doubleValue();
        return low + (upper.doubleValue() - low) / 2;
    }

    /** Whether the percentile is known exactly. */
    public boolean isExact() {
        return lower.equals(upper);
    }
}
