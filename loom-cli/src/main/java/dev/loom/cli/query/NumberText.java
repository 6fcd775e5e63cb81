package dev.loom.cli.query;

import dev.loom.api.ValueType;
import dev.loom.query.Value;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Numbers of answers and of options. */
final class NumberText {
    private static final Pattern PERCENTILE = Pattern.compile("p?(\\d{1,3}(?:\\.\\d{1,9})?)");

    private NumberText() {}

    /** A value as listings print it: integers in full. */
    static @Nullable Number number(@Nullable Value value) {
        if (value == null) {
            return null;
        }
        return switch (value.type()) {
            case I64 -> (Number) value.longValue();
            case U64 -> new BigInteger(value.toString());
            case F64 -> (Number) value.doubleValue();
        };
    }

    /** A sum as its text says it. */
    static Number sum(String text, ValueType type) {
        return type == ValueType.F64 ? (Number) Double.valueOf(text) : new BigInteger(text);
    }

    /**
     * {@code 99.99} or {@code p99.99}.
     *
     * @throws IllegalArgumentException when it is none
     */
    static BigDecimal percentile(String text) {
        Matcher matcher = PERCENTILE.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not a percentile: " + text + "; as 99.99 or p99.99");
        }
        return new BigDecimal(matcher.group(1));
    }
}
