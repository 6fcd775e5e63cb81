package dev.loom.server.prometheus.store;

import dev.loom.api.Bins;
import dev.loom.api.ValueType;
import dev.loom.query.model.Value;
import dev.loom.server.prometheus.promql.BucketLayout;
import dev.loom.value.BinScale;
import java.math.BigDecimal;

/**
 * The bins of an index as buckets, with their exact edges.
 *
 * @param type of the values
 */
record FieldBuckets(Bins bins, ValueType type) implements BucketLayout {
    private BinScale scale() {
        return BinScale.of(bins, type);
    }

    private boolean isOutlier(int bucket) {
        boolean outer = bucket == 0 || bucket == scale().count() - 1;
        return outer && bins.form() != Bins.Form.LOG_LINEAR;
    }

    private boolean isInteger() {
        return type != ValueType.F64;
    }

    @Override
    public double low(int bucket) {
        if (isOutlier(bucket) && bucket == 0) {
            return Double.NEGATIVE_INFINITY;
        }
        double lowest = new Value(type, scale().lowKey(bucket)).doubleValue();
        return !isInteger() && ends(bucket) == Ends.HIGH ? Math.nextDown(lowest) : lowest;
    }

    @Override
    public double high(int bucket) {
        if (isOutlier(bucket) && bucket > 0) {
            return Double.POSITIVE_INFINITY;
        }
        Value highest = new Value(type, scale().highKey(bucket));
        if (isInteger()) {
            return highest.toBigDecimal().add(BigDecimal.ONE).doubleValue();
        }
        return ends(bucket) == Ends.LOW ? Math.nextUp(highest.doubleValue()) : highest.doubleValue();
    }

    /** Bins hold their lower edges; log-linear ones of doubles, those that are farther from zero. */
    @Override
    public Ends ends(int bucket) {
        if (isInteger() || bins.form() != Bins.Form.LOG_LINEAR) {
            return Ends.LOW;
        } else if (scale().lowKey(bucket) == scale().highKey(bucket)) {
            return Ends.BOTH; // zero, and the infinities
        }
        return new Value(type, scale().lowKey(bucket)).doubleValue() < 0 ? Ends.LOW : Ends.HIGH;
    }

    @Override
    public boolean logarithmic() {
        return false;
    }
}
