package dev.loom.query;

import dev.loom.api.ValueType;
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

    /** What the values are. */
    public ValueType type() {
        return type;
    }

    /** How many records have a value that counts. */
    public long count() {
        return count;
    }

    /** The least value; none of no value. */
    public Optional<Value> min() {
        return count == 0 ? Optional.empty() : Optional.of(min);
    }

    /** The greatest value; none of no value. */
    public Optional<Value> max() {
        return count == 0 ? Optional.empty() : Optional.of(max);
    }

    /** Whether there are {@link #sum()} and {@link #mean()}: not over event time. */
    public boolean hasSum() {
        return sums;
    }

    /**
     * The sum: of integers all digits of it, of doubles as {@link Double#toString} gives it. That of a field without a declared
     * type is one of integers if all its values are whole.
     *
     * @throws IllegalStateException when there is none
     */
    public String sum() {
        checkSum();
        if (numbers != null) {
            return numbers.isWhole() ? numbers.toBigInteger().toString() : Double.toString(numbers.doubleValue());
        }
        return type == ValueType.F64 ? Double.toString(doubleSum) : integerSum.toString();
    }

    /** The sum, or of integers the double nearest to it; as {@link #sum()}. */
    public double doubleSum() {
        checkSum();
        if (numbers != null) {
            return numbers.doubleValue();
        }
        return type == ValueType.F64 ? doubleSum : integerSum.doubleValue();
    }

    /** The double nearest to the mean, of doubles that of their {@link #doubleSum()}; NaN of no value. */
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
     * The percentiles asked for, in that order. One is missing when there is no value, when the query was ended early, or
     * when pages that hold it are damaged.
     */
    public Map<BigDecimal, Value> percentiles() {
        return percentiles;
    }

    /** One of the {@link #percentiles()}. */
    public Optional<Value> percentile(double p) {
        return Optional.ofNullable(percentiles.get(BigDecimal.valueOf(p)));
    }

    /** The work done, in all passes. */
    public QueryStatistics statistics() {
        return statistics;
    }

    /** What the result lacks. */
    public Completeness completeness() {
        return completeness;
    }
}
