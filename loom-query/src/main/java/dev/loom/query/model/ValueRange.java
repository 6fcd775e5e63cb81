package dev.loom.query.model;

import dev.loom.api.ValueType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/**
 * A range of an index's values; each end is included, excluded or open. Immutable.
 *
 * <p>Bounds are exact: {@code above(9007199254740992)} starts with the next integer, or with the next double. A {@link
 * BigDecimal} that is not an integer stands for its nearest double when compared with doubles, as numbers in a {@link
 * dev.loom.query.where.Where} expression do.
 */
public final class ValueRange {
    /** Every value, including the infinities. */
    public static final ValueRange ALL = new ValueRange(null, null);

    private final @Nullable Bound low;
    private final @Nullable Bound high;

    private ValueRange(@Nullable Bound low, @Nullable Bound high) {
        this.low = low;
        this.high = high;
    }

    /** Values greater than or equal to this one. */
    public static ValueRange atLeast(BigDecimal value) {
        return new ValueRange(new Bound(value, 0, true), null);
    }

    /** As {@link #atLeast(BigDecimal)}. */
    public static ValueRange atLeast(long value) {
        return atLeast(BigDecimal.valueOf(value));
    }

    /** As {@link #atLeast(BigDecimal)}; may be infinite. */
    public static ValueRange atLeast(double value) {
        return new ValueRange(Bound.of(value, true), null);
    }

    /** Values greater than this one. */
    public static ValueRange above(BigDecimal value) {
        return new ValueRange(new Bound(value, 0, false), null);
    }

    /** As {@link #above(BigDecimal)}. */
    public static ValueRange above(long value) {
        return above(BigDecimal.valueOf(value));
    }

    /** As {@link #above(BigDecimal)}; may be infinite. */
    public static ValueRange above(double value) {
        return new ValueRange(Bound.of(value, false), null);
    }

    /** Values greater than one that a query returned. */
    public static ValueRange above(Value value) {
        return new ValueRange(Bound.of(value, false), null);
    }

    /** Values greater than or equal to one that a query returned. */
    public static ValueRange atLeast(Value value) {
        return new ValueRange(Bound.of(value, true), null);
    }

    /** Values less than or equal to this one. */
    public static ValueRange atMost(BigDecimal value) {
        return new ValueRange(null, new Bound(value, 0, true));
    }

    /** As {@link #atMost(BigDecimal)}. */
    public static ValueRange atMost(long value) {
        return atMost(BigDecimal.valueOf(value));
    }

    /** As {@link #atMost(BigDecimal)}; may be infinite. */
    public static ValueRange atMost(double value) {
        return new ValueRange(null, Bound.of(value, true));
    }

    /** Values less than or equal to one that a query returned. */
    public static ValueRange atMost(Value value) {
        return new ValueRange(null, Bound.of(value, true));
    }

    /** Values less than this one. */
    public static ValueRange below(BigDecimal value) {
        return new ValueRange(null, new Bound(value, 0, false));
    }

    /** As {@link #below(BigDecimal)}. */
    public static ValueRange below(long value) {
        return below(BigDecimal.valueOf(value));
    }

    /** As {@link #below(BigDecimal)}; may be infinite. */
    public static ValueRange below(double value) {
        return new ValueRange(null, Bound.of(value, false));
    }

    /** Values less than one that a query returned. */
    public static ValueRange below(Value value) {
        return new ValueRange(null, Bound.of(value, false));
    }

    /** This range with an upper end: {@code atLeast(10).to(below(20))}. */
    public ValueRange to(ValueRange upper) {
        if (upper.low != null || high != null) {
            throw new IllegalArgumentException("not a lower and an upper bound: lower=" + this + ", upper=" + upper);
        }
        return new ValueRange(low, upper.high);
    }

    /**
     * The lowest key ({@link ValueType}) of the values in the range; above {@link #highKey} if no value of the type is in it.
     */
    public long lowKey(ValueType type) {
        return isEmpty(type) ? 1 : begin(type).longValueExact();
    }

    /** The highest key of the values in the range. */
    public long highKey(ValueType type) {
        return isEmpty(type) ? 0 : end(type).subtract(BigInteger.ONE).longValueExact();
    }

    private boolean isEmpty(ValueType type) {
        return begin(type).compareTo(end(type)) >= 0;
    }

    private BigInteger begin(ValueType type) {
        return low == null ? BigInteger.valueOf(type.lowestKey()) : low.cut(type, !low.included);
    }

    /** One above the highest key. */
    private BigInteger end(ValueType type) {
        return high == null ? endOfKeys(type) : high.cut(type, high.included);
    }

    /** Whether a number is in the range. */
    public boolean contains(BigDecimal number) {
        return (low == null || low.compareTo(number) < (low.included ? 1 : 0))
                && (high == null || high.compareTo(number) > (high.included ? -1 : 0));
    }

    private static BigInteger endOfKeys(ValueType type) {
        return BigInteger.valueOf(type.highestKey()).add(BigInteger.ONE);
    }

    @Override
    public String toString() {
        return (low == null ? "(.." : (low.included ? "[" : "(") + low) + ", "
                + (high == null ? "..)" : high + (high.included ? "]" : ")"));
    }

    /**
     * One end.
     *
     * @param number 0 if the bound is infinite
     * @param infinity positive or negative for the infinities, otherwise 0
     */
    private record Bound(BigDecimal number, int infinity, boolean included) {
        static Bound of(double value, boolean included) {
            if (Double.isNaN(value)) {
                throw new IllegalArgumentException("bound is not a number: value=" + value);
            }
            return Double.isInfinite(value)
                    ? new Bound(BigDecimal.ZERO, value > 0 ? 1 : -1, included)
                    : new Bound(new BigDecimal(value), 0, included);
        }

        static Bound of(Value value, boolean included) {
            return value.type() == ValueType.F64 && value.remainder() == 0
                    ? of(value.doubleValue(), included)
                    : new Bound(value.toBigDecimal(), 0, included);
        }

        int compareTo(BigDecimal other) {
            return infinity == 0 ? number.compareTo(other) : infinity;
        }

        /**
         * The least key whose value is at least the bound or, with {@code greater}, above it; one above the highest key if
         * there is none.
         */
        BigInteger cut(ValueType type, boolean greater) {
            BigInteger lowest = BigInteger.valueOf(type.lowestKey());
            if (infinity != 0 && type != ValueType.F64) {
                return infinity > 0 ? endOfKeys(type) : lowest;
            }
            BigInteger cut = type == ValueType.F64 ? doubleCut(greater) : integerCut(type, greater);
            return cut.max(lowest).min(endOfKeys(type));
        }

        private BigInteger integerCut(ValueType type, boolean greater) {
            BigInteger value = greater
                    ? number.setScale(0, RoundingMode.FLOOR).toBigInteger().add(BigInteger.ONE)
                    : number.setScale(0, RoundingMode.CEILING).toBigInteger();
            return type == ValueType.U64 ? value.add(BigInteger.valueOf(Long.MIN_VALUE)) : value;
        }

        private BigInteger doubleCut(boolean greater) {
            double nearest = infinity == 0 ? number.doubleValue() : infinity * Double.POSITIVE_INFINITY;
            BigInteger key = BigInteger.valueOf(ValueType.doubleKey(nearest));
            int difference = 0;
            if (infinity == 0 && Double.isInfinite(nearest)) {
                difference = nearest > 0 ? 1 : -1;
            } else if (infinity == 0 && isInteger()) {
                difference = new BigDecimal(nearest).compareTo(number);
            }
            return difference < 0 || (difference == 0 && greater) ? key.add(BigInteger.ONE) : key;
        }

        private boolean isInteger() {
            return number.signum() == 0 || number.stripTrailingZeros().scale() <= 0;
        }

        @Override
        public String toString() {
            return infinity == 0 ? number.toString() : infinity > 0 ? "infinity" : "-infinity";
        }
    }
}
