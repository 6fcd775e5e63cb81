package dev.loom.cli.query;

import dev.loom.api.IndexFunction;
import dev.loom.query.Value;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Numbers in answers and options. */
final class NumberText {
    /** Doubles from here on don't fit in 64 bits. */
    private static final double WHOLE_MAX = 0x1p64;

    private static final Pattern DIGITS = Pattern.compile("-?\\d+");
    private static final Pattern PERCENTILE = Pattern.compile("p?(\\d{1,3}(?:\\.\\d{1,9})?)");

    private NumberText() {}

    /** A value as listings print it: integers in full, and also whole values of fields without a declared type. */
    static @Nullable Number number(@Nullable Value value, IndexFunction function) {
        return number(value, function.isExact());
    }

    /** @param exact see {@link IndexFunction#isExact} */
    static @Nullable Number number(@Nullable Value value, boolean exact) {
        if (value == null) {
            return null;
        } else if (exact && isWhole(value)) {
            return value.toBigDecimal().toBigIntegerExact();
        }
        return switch (value.type()) {
            case I64 -> (Number) value.longValue();
            case U64 -> new BigInteger(value.toString());
            case F64 -> (Number) value.doubleValue();
        };
    }

    private static boolean isWhole(Value value) {
        double number = value.doubleValue();
        return value.remainder() != 0 || (number == Math.rint(number) && Math.abs(number) < WHOLE_MAX);
    }

    /** Parses the text of a sum. */
    static Number sum(String text) {
        return DIGITS.matcher(text).matches() ? new BigInteger(text) : (Number) Double.valueOf(text);
    }

    /**
     * Parses {@code 99.99} or {@code p99.99}.
     *
     * @throws IllegalArgumentException if it is not a percentile
     */
    static BigDecimal percentile(String text) {
        Matcher matcher = PERCENTILE.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not a percentile: " + text + "; as 99.99 or p99.99");
        }
        return new BigDecimal(matcher.group(1));
    }
}
