package dev.loom.query.group;

import dev.loom.format.FieldValue;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A value of a group's key as the oracle knows it: one of a class of values, which are equal and in order as the documentation says.
 *
 * @param kind missing, boolean, number, text, bytes, JSON: from 0 on
 * @param number the number if it is finite; otherwise null
 * @param special infinity or NaN
 * @param text ISO 8859-1, so that characters are in the order of bytes
 */
record KeyValue(int kind, BigDecimal number, double special, String text) implements Comparable<KeyValue> {
    static final KeyValue ABSENT = new KeyValue(0, BigDecimal.ZERO, 0, "");

    static KeyValue of(boolean value) {
        return new KeyValue(1, BigDecimal.valueOf(value ? 1 : 0), 0, "");
    }

    static KeyValue of(BigDecimal value) {
        return new KeyValue(2, value.signum() == 0 ? BigDecimal.ZERO : value.stripTrailingZeros(), 0, "");
    }

    static KeyValue of(long value) {
        return of(BigDecimal.valueOf(value));
    }

    static KeyValue of(double value) {
        return Double.isFinite(value)
                ? of(new BigDecimal(value))
                : new KeyValue(2, BigDecimal.ZERO, Double.isNaN(value) ? Double.NaN : value, "");
    }

    static KeyValue text(String value) {
        return bytes(3, value.getBytes(StandardCharsets.UTF_8));
    }

    static KeyValue bytes(byte[] value) {
        return bytes(4, value);
    }

    static KeyValue json(String printed) {
        return bytes(5, printed.getBytes(StandardCharsets.UTF_8));
    }

    private static KeyValue bytes(int kind, byte[] value) {
        return new KeyValue(kind, BigDecimal.ZERO, 0, new String(value, StandardCharsets.ISO_8859_1));
    }

    /** What an answer says. */
    static KeyValue of(FieldValue value) {
        return switch (value.kind()) {
            case ABSENT -> ABSENT;
            case INTEGER -> of(value.longValue());
            case UNSIGNED -> of(new BigDecimal(Long.toUnsignedString(value.longValue())));
            case DOUBLE -> of(value.doubleValue());
            case BOOLEAN -> of(value.longValue() != 0);
            case TEXT -> bytes(3, copy(value));
            case BYTES -> bytes(4, copy(value));
            case JSON -> bytes(5, copy(value));
        };
    }

    private static byte[] copy(FieldValue value) {
        byte[] bytes = new byte[value.length()];
        value.bytes().getBytes(value.offset(), bytes);
        return bytes;
    }

    @Override
    public int compareTo(KeyValue other) {
        if (kind != other.kind) {
            return Integer.compare(kind, other.kind);
        } else if (kind < 3) {
            // the special ones lie outside all numbers: on one side, or last
            int bySpecial = Double.compare(special, other.special);
            return bySpecial != 0 ? bySpecial : number.compareTo(other.number);
        }
        return Arrays.compareUnsigned(
                text.getBytes(StandardCharsets.ISO_8859_1), other.text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
