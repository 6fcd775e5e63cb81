package dev.loom.query.model;

/**
 * A percentile as estimated from the buckets of histograms: the true value is one of those from the lower to the upper bound.
 *
 * @param estimate between the bounds, as if the values of each bucket were spread evenly over it; NaN if nothing is known
 * @param lower negative infinity if the value may be as low as any
 * @param upper infinity if the value may be as great as any
 */
public record PercentileEstimate(double estimate, double lower, double upper) {}
