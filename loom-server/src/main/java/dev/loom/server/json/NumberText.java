package dev.loom.server.json;

import dev.loom.api.IndexFunction;
import dev.loom.query.model.Value;
import java.math.BigInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Numbers in answers. */
final class NumberText {
    /** Doubles from here on don't fit in 64 bits. */
    private static final double WHOLE_MAX = 0x1p64;

    private static final Pattern DIGITS = Pattern.compile("-?\\d+");

    private NumberText() {}

    /**
     * A value as answers have it: integers in full, and also whole values of fields without a declared type.
     *
     * @param exact see {@link IndexFunction#isExact}
     */
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
}
