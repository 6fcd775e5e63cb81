package dev.loom.server.prometheus.promql;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Pattern;

/** Numbers as Prometheus writes them. */
public final class PromNumber {
    private static final double EXPONENT_BELOW = 1e-6;
    private static final double EXPONENT_FROM = 1e21;

    /** Octal digits of at most 63 bits behind a zero. */
    private static final Pattern OCTAL = Pattern.compile("0+[0-7]{1,21}");

    private PromNumber() {}

    /** A value in an answer: with an exponent, of two digits and more, only if it is very small or very large. */
    public static String value(double value) {
        return text(value, 2);
    }

    /** A number as the value of a label: as in an answer, but the exponent has no leading zero. */
    public static String label(double value) {
        return text(value, 1);
    }

    private static String text(double value, int exponentDigits) {
        double size = Math.abs(value);
        if (size == 0 || (size >= EXPONENT_BELOW && size < EXPONENT_FROM) || !Double.isFinite(value)) {
            return plain(value);
        }
        BigDecimal exact = BigDecimal.valueOf(size).stripTrailingZeros();
        String mantissa = exact.unscaledValue().toString();
        int exponent = exact.precision() - exact.scale() - 1;
        return (value < 0 ? "-" : "")
                + mantissa.charAt(0)
                + (mantissa.length() > 1 ? "." + mantissa.substring(1) : "")
                + (exponent < 0 ? "e-" : "e+")
                + (exponentDigits == 2 && Math.abs(exponent) < 10 ? "0" : "")
                + Math.abs(exponent);
    }

    /** Without an exponent, as in the bounds of buckets. */
    public static String plain(double value) {
        if (Double.isNaN(value)) {
            return "NaN";
        } else if (Double.isInfinite(value)) {
            return value > 0 ? "+Inf" : "-Inf";
        } else if (value == Math.rint(value) && Math.abs(value) < Long.MAX_VALUE && (value != 0 || 1 / value > 0)) {
            return Long.toString((long) value);
        } else if (value == 0) {
            return "-0";
        }
        String text = BigDecimal.valueOf(value).toPlainString();
        int end = text.length();
        if (text.indexOf('.') >= 0) {
            while (text.charAt(end - 1) == '0') {
                end--;
            }
            end -= text.charAt(end - 1) == '.' ? 1 : 0;
        }
        return text.substring(0, end);
    }

    /**
     * A number as expressions write it: with a leading zero octal, if that makes it a long.
     *
     * @throws NumberFormatException if it is none
     */
    static double literal(String text) {
        return OCTAL.matcher(text).matches() ? (double) Long.parseLong(text, 8) : parse(text);
    }

    /**
     * A number as parameters and labels have it: decimal, also with a leading zero.
     *
     * @throws NumberFormatException if it is none
     */
    public static double parse(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        return switch (lower) {
            case "inf", "+inf" -> Double.POSITIVE_INFINITY;
            case "-inf" -> Double.NEGATIVE_INFINITY;
            case "nan" -> Double.NaN;
            default -> {
                if (lower.startsWith("0x")) {
                    yield Long.parseUnsignedLong(lower.substring(2), 16);
                }
                char last = lower.isEmpty() ? 'x' : lower.charAt(lower.length() - 1);
                if (last == 'd'
                        || last == 'f'
                        || lower.startsWith("-0x")
                        || lower.strip().length() < lower.length()) {
                    throw new NumberFormatException("not a number: " + Quoted.of(text));
                }
                yield Double.parseDouble(lower);
            }
        };
    }
}
