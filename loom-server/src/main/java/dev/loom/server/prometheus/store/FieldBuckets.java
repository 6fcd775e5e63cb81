package dev.loom.server.prometheus.store;

import dev.loom.api.Bins;
import dev.loom.api.ValueType;
import dev.loom.query.model.Value;
import dev.loom.server.prometheus.promql.BucketLayout;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;

/**
 * The bins of an index as buckets, with their exact edges. Those that hold values are added as they are met; each request has one layout
 * for the same bins. For one thread.
 */
final class FieldBuckets implements BucketLayout {
    private final Bins bins;
    private final Map<Integer, Edges> buckets = new HashMap<>();

    FieldBuckets(Bins bins) {
        this.bins = bins;
    }

    /** Where a bucket lies. */
    private record Edges(double low, double high, Ends ends) {}

    /** Adds a bin with the least and the greatest value that it can hold. */
    void add(int number, Value least, Value greatest) {
        if (!buckets.containsKey(number)) {
            boolean integer = least.type() != ValueType.F64;
            buckets.put(number, integer ? ofIntegers(least, greatest) : ofDoubles(least, greatest));
        }
    }

    private boolean isLogLinear() {
        return bins.form() == Bins.Form.LOG_LINEAR;
    }

    /** Bins hold their lower edges; the outermost ones have no end but in log-linear bins. */
    private Edges ofIntegers(Value least, Value greatest) {
        boolean lowest = !isLogLinear() && least.key() == Long.MIN_VALUE && least.type() == ValueType.I64;
        boolean highest = !isLogLinear() && greatest.key() == Long.MAX_VALUE;
        return new Edges(
                lowest ? Double.NEGATIVE_INFINITY : least.doubleValue(),
                highest
                        ? Double.POSITIVE_INFINITY
                        : greatest.toBigDecimal().add(BigDecimal.ONE).doubleValue(),
                Ends.LOW);
    }

    /** Log-linear bins of doubles hold the edges that are farther from zero. */
    private Edges ofDoubles(Value least, Value greatest) {
        double low = least.doubleValue();
        double high = greatest.doubleValue();
        if (isLogLinear() && low == high) {
            return new Edges(low, high, Ends.BOTH); // zero, and the infinities
        } else if (isLogLinear() && low > 0) {
            return new Edges(Math.nextDown(low), high, Ends.HIGH);
        }
        return new Edges(low, Math.nextUp(high), Ends.LOW);
    }

    private Edges edges(int bucket) {
        Edges edges = buckets.get(bucket);
        if (edges == null) {
            throw new IllegalStateException("bucket is unknown: number=" + bucket);
        }
        return edges;
    }

    @Override
    public double low(int bucket) {
        return edges(bucket).low();
    }

    @Override
    public double high(int bucket) {
        return edges(bucket).high();
    }

    @Override
    public Ends ends(int bucket) {
        return edges(bucket).ends();
    }

    @Override
    public boolean logarithmic() {
        return false;
    }
}
