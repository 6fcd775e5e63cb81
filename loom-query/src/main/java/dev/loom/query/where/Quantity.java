package dev.loom.query.where;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Parses durations and sizes, which expressions, the command line and configurations write the same way. */
public final class Quantity {
    private Quantity() {}

    /**
     * A duration such as {@code 250us}, {@code 1.5s} or {@code 1h30m}; a fraction of a nanosecond is
     * dropped.
     *
     * @throws IllegalArgumentException if the text is no duration
     */
    public static Duration duration(String text) {
        int unitAt = endOfNumber(text, 0);
        Long ns = unitAt == text.length() ? null : whole(scaled(text, unitAt, Unit.Dimension.TIME));
        if (ns == null) {
            throw new IllegalArgumentException("not a duration: \"" + text + "\"; expected a number and a unit of "
                    + Unit.all(Unit.Dimension.TIME) + ", for example 250ms or 1h30m");
        }
        return Duration.ofNanos(ns);
    }

    /**
     * The bytes of a size such as {@code 65536}, {@code 64KiB} or {@code 1.5GiB}; a fraction of a byte is dropped.
     *
     * @throws IllegalArgumentException if the text is no size
     */
    public static long bytes(String text) {
        Long bytes = whole(scaled(text, endOfNumber(text, 0), Unit.Dimension.SIZE));
        if (bytes == null) {
            throw new IllegalArgumentException(
                    "not a size: \"" + text + "\"; expected a number and optionally a unit of "
                            + Unit.all(Unit.Dimension.SIZE) + ", for example 64MiB");
        }
        return bytes;
    }

    /**
     * A number times its unit, or a sum of several as in {@code 1h30m}; null if it is neither.
     *
     * @param unitAt where the first number ends
     * @param dimension the dimension of all units; null for any
     */
    static @Nullable BigDecimal scaled(String text, int unitAt, Unit.@Nullable Dimension dimension) {
        BigDecimal sum = number(text, 0, unitAt);
        if (sum == null || unitAt == text.length()) {
            return sum;
        }
        boolean negative = text.charAt(0) == '-';
        Unit.Dimension expected = dimension;
        int at = 0;
        for (int end = unitAt; at < text.length(); end = endOfNumber(text, at)) {
            BigDecimal number = number(text, at, end);
            int next = endOfUnit(text, end);
            Unit unit = Unit.of(text.substring(end, next));
            if (number == null || unit == null || (expected != null && unit.dimension() != expected)) {
                return null;
            }
            BigDecimal part = number.multiply(unit.factor());
            sum = at == 0 ? part : negative ? sum.subtract(part) : sum.add(part);
            expected = unit.dimension();
            at = next;
        }
        return sum;
    }

    private static @Nullable BigDecimal number(String text, int from, int to) {
        try {
            return new BigDecimal(text.substring(from, to));
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static @Nullable Long whole(@Nullable BigDecimal value) {
        BigInteger integer = value == null ? null : value.toBigInteger();
        return integer == null || integer.bitLength() >= Long.SIZE ? null : integer.longValue();
    }

    private static int endOfNumber(String text, int from) {
        int at = from;
        while (at < text.length() && ((text.charAt(at) >= '0' && text.charAt(at) <= '9') || text.charAt(at) == '.')) {
            at++;
        }
        return at;
    }

    private static int endOfUnit(String text, int from) {
        int at = from;
        while (at < text.length() && Character.isLetter(text.charAt(at))) {
            at++;
        }
        return at;
    }
}
