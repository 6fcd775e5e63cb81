package dev.loom.otlp.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;

/** Numbers by the rules of protobuf's JSON form: JSON numbers, or strings that hold a number. */
final class JsonNumbers {
    private static final int INTEGER_LENGTH_MAX = 20;
    private static final int DOUBLE_LENGTH_MAX = 400;

    private JsonNumbers() {}

    /** A double; infinities and NaN are strings, and a number that is too large is rejected. */
    static double doubleValue(JsonParser parser) throws IOException, BadValueException {
        double value;
        if (parser.currentToken() == JsonToken.VALUE_STRING) {
            String text = parser.getText();
            if (text.equals("NaN")) {
                return Double.NaN;
            }
            if (text.equals("Infinity") || text.equals("-Infinity")) {
                return Double.parseDouble(text);
            }
            value = parseDouble(text);
        } else if (parser.currentToken().isNumeric()) {
            value = parser.getDoubleValue();
        } else {
            throw new BadValueException("is not a number");
        }
        if (Double.isInfinite(value)) {
            throw new BadValueException("is out of the range of a double");
        }
        return value;
    }

    private static double parseDouble(String text) throws BadValueException {
        boolean plain = !text.isEmpty()
                && text.length() <= DOUBLE_LENGTH_MAX
                && text.chars().allMatch(c -> (c >= '0' && c <= '9') || "+-.eE".indexOf(c) >= 0);
        try {
            if (plain) {
                return Double.parseDouble(text);
            }
        } catch (NumberFormatException e) {
            // rejected like any other text
        }
        throw new BadValueException("is not a number");
    }

    /** An integer within a range; a number whose fraction is 0 counts as an integer. */
    static long signed(JsonParser parser, long min, long max) throws IOException, BadValueException {
        BigInteger value = integer(parser);
        if (value.bitLength() >= Long.SIZE || value.longValue() < min || value.longValue() > max) {
            throw new BadValueException("is out of range");
        }
        return value.longValue();
    }

    /** A non-negative integer of at most this many bits. */
    static long unsigned(JsonParser parser, int bits) throws IOException, BadValueException {
        BigInteger value = integer(parser);
        if (value.signum() < 0 || value.bitLength() > bits) {
            throw new BadValueException("is out of range");
        }
        return value.longValue();
    }

    private static BigInteger integer(JsonParser parser) throws IOException, BadValueException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.VALUE_STRING) {
            return integer(parser.getText());
        }
        if (token == JsonToken.VALUE_NUMBER_INT) {
            return parser.getTextLength() > INTEGER_LENGTH_MAX
                    ? integer(parser.getText())
                    : new BigInteger(parser.getText());
        }
        if (token == JsonToken.VALUE_NUMBER_FLOAT && parser.getTextLength() <= DOUBLE_LENGTH_MAX) {
            BigDecimal value = parser.getDecimalValue();
            if (value.signum() == 0) {
                return BigInteger.ZERO;
            }
            // a few digits, whatever the exponent: near the greatest one, zeros can't be stripped
            if ((long) value.precision() - value.scale() <= INTEGER_LENGTH_MAX) {
                BigDecimal stripped = value.stripTrailingZeros();
                if (stripped.scale() <= 0) {
                    return stripped.toBigIntegerExact();
                }
            }
        }
        throw new BadValueException("is not an integer");
    }

    private static BigInteger integer(String text) throws BadValueException {
        int digits = text.startsWith("-") ? 1 : 0;
        boolean plain = text.length() > digits
                && text.length() <= INTEGER_LENGTH_MAX
                && text.chars().skip(digits).allMatch(c -> c >= '0' && c <= '9');
        if (!plain) {
            throw new BadValueException("is not a 64-bit integer");
        }
        return new BigInteger(text);
    }
}
