package dev.loom.query;

import dev.loom.api.ValueType;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.Value;
import dev.loom.query.rank.NumberSum;
import dev.loom.query.rank.Totals;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The result of an {@link IndexedAggregate}. Immutable. */
public final class Aggregate {
    private final ValueType type;
    private final long count;
    private final boolean sums;
    private final Value min;
    private final Value max;
    private final @Nullable NumberSum numbers;
    private final BigInteger integerSum;
    private final double doubleSum;
    private final Map<BigDecimal, Value> percentiles;
    private final QueryStatistics statistics;
    private final Completeness completeness;

    Aggregate(
            ValueType type,
            Totals totals,
            boolean sums,
            Map<BigDecimal, Value> percentiles,
            QueryStatistics statistics,
            Completeness completeness) {
        this.type = type;
        this.count = totals.count();
        this.sums = sums;
        this.min = totals.min();
        this.max = totals.max();
        this.numbers = totals.numbers();
        this.integerSum = totals.sum().toBigInteger();
        this.doubleSum = totals.doubleSum();
        this.percentiles = Collections.unmodifiableMap(percentiles);
        this.statistics = statistics;
        this.completeness = completeness;
    }

    /** The type of the values. */
    public ValueType type() {
        return type;
    }

    /** The number of values. */
    public long count() {
        return count;
    }

    /** The least value; empty if there are no values. */
    public Optional<Value> min() {
        return count == 0 ? Optional.empty() : Optional.of(min);
    }

    /** The greatest value; empty if there are no values. */
    public Optional<Value> max() {
        return count == 0 ? Optional.empty() : Optional.of(max);
    }

    /** Whether {@link #sum()} and {@link #mean()} exist; an index over event time has neither. */
    public boolean hasSum() {
        return sums;
    }

    /**
     * The sum: integers in full, doubles as {@link Double#toString} prints them. For a field without a declared type it is
     * an integer if all values are whole.
     *
     * @throws IllegalStateException if there is no sum
     */
    public String sum() {
        checkSum();
        if (numbers != null) {
            return numbers.isWhole() ? numbers.toBigInteger().toString() : Double.toString(numbers.doubleValue());
        }
        return type == ValueType.F64 ? Double.toString(doubleSum) : integerSum.toString();
    }

    /** The sum as the nearest double; see {@link #sum()}. */
    public double doubleSum() {
        checkSum();
        if (numbers != null) {
            return numbers.doubleValue();
        }
        return type == ValueType.F64 ? doubleSum : integerSum.doubleValue();
    }

    /**
     * The mean as the nearest double; for doubles, {@link #doubleSum()} divided by the count. NaN if there are no values.
     */
    public double mean() {
        checkSum();
        if (count == 0) {
            return Double.NaN;
        }
        if (numbers != null) {
            return numbers.mean(count);
        }
        return type == ValueType.F64
                ? doubleSum / count
                : new BigDecimal(integerSum)
                        .divide(BigDecimal.valueOf(count), MathContext.DECIMAL128)
                        .doubleValue();
    }

    private void checkSum() {
        if (!sums) {
            throw new IllegalStateException("an index over event time has no sum: type=" + type.text());
        }
    }

    /**
     * The requested percentiles, in the order requested. A percentile is missing if there are no values, if the query ended
     * early, or if the pages that hold it are damaged.
     */
    public Map<BigDecimal, Value> percentiles() {
        return percentiles;
    }

    /** One of the {@link #percentiles()}. */
    public Optional<Value> percentile(double p) {
        return Optional.ofNullable(percentiles.get(BigDecimal.valueOf(p)));
    }

    /** The work done, over all passes. */
    public QueryStatistics statistics() {
        return statistics;
    }

    /** What the result lacks. */
    public Completeness completeness() {
        return completeness;
    }
}
