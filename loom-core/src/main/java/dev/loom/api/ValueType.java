package dev.loom.api;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What the values of an index are. Every value has a 64-bit <i>key</i>, a signed long in the order of the values, by which
 * summaries and queries compare.
 *
 * <p>A value is passed as its 64 <i>bits</i>: those of a signed or an unsigned integer, or of a double as {@link
 * Double#doubleToRawLongBits} gives them.
 */
public enum ValueType {
    /** Signed 64-bit integers. The key is the value. */
    I64,
    /** Unsigned 64-bit integers. The key is the value less 2^63. */
    U64,
    /**
     * Doubles. Negative zero is zero; a NaN is no value and has no key. The keys of the finite values lie between those of
     * the infinities.
     */
    F64;

    private static final long SIGN = Long.MIN_VALUE;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** The name used in text forms: lower case. */
    public String text() {
        return text;
    }

    /**
     * Finds a type by its {@link #text()}.
     *
     * @throws IllegalArgumentException for an unknown one, naming those there are
     */
    public static ValueType parse(String text) {
        for (ValueType type : values()) {
            if (type.text.equals(text)) {
                return type;
            }
        }
        throw new IllegalArgumentException("unknown value type: type=" + text + ", known="
                + Arrays.stream(values()).map(ValueType::text).collect(Collectors.joining(" ")));
    }

    /** The key of a value. */
    public long key(long bits) {
        return switch (this) {
            case I64 -> bits;
            case U64 -> bits ^ SIGN;
            case F64 -> turned(bits);
        };
    }

    /** The value that has a key. */
    public long bits(long key) {
        return switch (this) {
            case I64 -> key;
            case U64 -> key ^ SIGN;
            case F64 -> turned(key);
        };
    }

    /** The key of a {@link #F64} value that is not NaN. */
    public static long doubleKey(double value) {
        return turned(Double.doubleToRawLongBits(value));
    }

    /** The {@link #F64} value that has a key. */
    public static double doubleOf(long key) {
        return Double.longBitsToDouble(turned(key));
    }

    /** Turns the negative half around: sign and magnitude to two's complement, and back. Both zeroes become 0. */
    private static long turned(long bits) {
        return bits < 0 ? SIGN - bits : bits;
    }

    /** The lowest key that a value can have. */
    public long lowestKey() {
        return this == F64 ? doubleKey(Double.NEGATIVE_INFINITY) : Long.MIN_VALUE;
    }

    /** The highest key that a value can have. */
    public long highestKey() {
        return this == F64 ? doubleKey(Double.POSITIVE_INFINITY) : Long.MAX_VALUE;
    }

    /** The value that has a key, as text. */
    public String format(long key) {
        return switch (this) {
            case I64 -> Long.toString(key);
            case U64 -> Long.toUnsignedString(key ^ SIGN);
            case F64 -> Double.toString(doubleOf(key));
        };
    }
}
