package dev.loom.server.prometheus.store;

import dev.loom.server.prometheus.promql.Labels;
import dev.loom.server.prometheus.promql.PromNumber;

/**
 * The samples of a point: one for each number, several for a histogram with bounds or a summary, and one of native histograms for an
 * exponential one.
 */
final class PointParts {
    private PointParts() {}

    /** Takes samples, each of a series of its own. */
    interface Sink {
        /**
         * Takes a number.
         *
         * @param suffix of the metric's name
         * @param label besides the metric's; empty for none
         */
        void onNumber(String suffix, String label, String value, double sample);

        /** Takes the native histogram of a point, whose series has the metric's name and labels. */
        void onHistogram(PointFields point);
    }

    /**
     * Hands over the samples of a point that has a recorded value.
     *
     * @param kind of its metric; one that is not known has no samples
     */
    static void forEach(PointFields point, String kind, Sink each) {
        switch (kind) {
            case "gauge", "sum" -> {
                if (point.hasValue()) {
                    each.onNumber("", "", "", point.value());
                }
            }
            case "histogram" -> {
                totals(point, each);
                buckets(point, each);
            }
            case "exponential_histogram" -> each.onHistogram(point);
            case "summary" -> {
                for (OtlpBuckets.Quantile quantile : OtlpBuckets.quantiles(point.quantiles())) {
                    each.onNumber("", "quantile", PromNumber.plain(quantile.quantile()), quantile.value());
                }
                totals(point, each);
            }
            default -> {}
        }
    }

    private static void totals(PointFields point, Sink each) {
        each.onNumber("_count", "", "", point.count());
        if (!Double.isNaN(point.sum())) {
            each.onNumber("_sum", "", "", point.sum());
        }
    }

    private static void buckets(PointFields point, Sink each) {
        each.onNumber("_bucket", Labels.BUCKET, "+Inf", point.count());
        OtlpBuckets.Explicit buckets = OtlpBuckets.explicit(point.buckets());
        if (buckets == null) {
            return;
        }
        double count = 0;
        for (int i = 0; i < buckets.bounds().size(); i++) {
            count += buckets.counts().get(i);
            String bound = PromNumber.plain(buckets.bounds().get(i));
            if (!bound.equals("+Inf")) {
                each.onNumber("_bucket", Labels.BUCKET, bound, count);
            }
        }
    }
}
