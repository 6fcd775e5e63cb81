package dev.loom.api;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The type of an index's values. Every value has a 64-bit <i>key</i>, a signed long that sorts as the values do;
 * summaries and queries compare keys.
 *
 * <p>A value is passed as its 64 <i>bits</i>: those of a signed or unsigned integer, or of a double as in {@link
 * Double#doubleToRawLongBits}.
 */
public enum ValueType {
    /** Signed 64-bit integers. The key is the value. */
    I64,
    /** Unsigned 64-bit integers. The key is the value minus 2^63. */
    U64,
    /**
     * Doubles. Negative zero equals zero; NaN is no value and has no key. Keys of finite values lie between those of
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
     * @throws IllegalArgumentException for an unknown one; the message names the known ones
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

    /** The value with this key. */
    public long bits(long key) {
        return switch (this) {
            case I64 -> key;
            case U64 -> key ^ SIGN;
            case F64 -> turned(key);
        };
    }

    /** The key of an {@link #F64} value that is not NaN. */
    public static long doubleKey(double value) {
        return turned(Double.doubleToRawLongBits(value));
    }

    /** The {@link #F64} value with this key. */
    public static double doubleOf(long key) {
        return Double.longBitsToDouble(turned(key));
    }

    /** Reverses the negative half: sign and magnitude to two's complement, and back. Both zeros become 0. */
    private static long turned(long bits) {
        return bits < 0 ? SIGN - bits : bits;
    }

    /** The lowest key of any value. */
    public long lowestKey() {
        return this == F64 ? doubleKey(Double.NEGATIVE_INFINITY) : Long.MIN_VALUE;
    }

    /** The highest key of any value. */
    public long highestKey() {
        return this == F64 ? doubleKey(Double.POSITIVE_INFINITY) : Long.MAX_VALUE;
    }

    /** The value with this key, as text. */
    public String format(long key) {
        return switch (this) {
            case I64 -> Long.toString(key);
            case U64 -> Long.toUnsignedString(key ^ SIGN);
            case F64 -> Double.toString(doubleOf(key));
        };
    }
}
