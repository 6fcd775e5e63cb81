package dev.loom.format;

import org.agrona.DirectBuffer;

/**
 * Converts a JSON number that {@link JsonScanner#skipNumber} has skipped. A number without fraction and exponent is
 * exact from {@code Long.MIN_VALUE} to the greatest unsigned long. Any other becomes the nearest double, infinite if
 * out of range.
 */
final class JsonNumber {
    /** Powers of ten that a double holds exactly; a product or quotient of two exact doubles is correctly rounded. */
    private static final double[] EXACT_POWERS_OF_10 = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22
    };

    private static final long EXACT_MANTISSA_MAX = 1L << 53;
    private static final long UNSIGNED_MAX_TENTH = Long.divideUnsigned(-1, 10);
    /** Beyond this exponent every number is zero or infinite as a double, whatever its digits. */
    private static final int EXPONENT_MAX = 100_000_000;

    private JsonNumber() {}

    static void read(DirectBuffer buffer, int position, int end, FieldValue into) {
        boolean negative = buffer.getByte(position) == '-';
        int i = negative ? position + 1 : position;
        long mantissa = 0;
        boolean overflow = false;
        int fractionStart = -1;
        for (; i < end; i++) {
            byte c = buffer.getByte(i);
            if (c == '.') {
                fractionStart = i + 1;
            } else if (c >= '0' && c <= '9') {
                long next = mantissa * 10 + (c - '0');
                overflow |= Long.compareUnsigned(mantissa, UNSIGNED_MAX_TENTH) > 0
                        || Long.compareUnsigned(next, mantissa * 10) < 0;
                mantissa = next;
            } else {
                break;
            }
        }
        boolean integer = fractionStart < 0 && i == end;
        if (integer && !overflow && (!negative || mantissa >= 0 || mantissa == Long.MIN_VALUE)) {
            if (negative) {
                into.setInteger(-mantissa);
            } else {
                into.setUnsigned(mantissa);
            }
            return;
        }
        int exponent = i == end ? 0 : exponent(buffer, i + 1, end);
        int fractionLength = fractionStart < 0 ? 0 : i - fractionStart;
        double magnitude = overflow || Long.compareUnsigned(mantissa, EXACT_MANTISSA_MAX) > 0
                ? Double.NaN
                : scale(mantissa, exponent - fractionLength);
        if (Double.isNaN(magnitude)) {
            into.setDouble(parse(buffer, position, end));
        } else {
            into.setDouble(negative ? -magnitude : magnitude);
        }
    }

    private static int exponent(DirectBuffer buffer, int position, int end) {
        byte sign = buffer.getByte(position);
        int exponent = 0;
        for (int i = sign == '-' || sign == '+' ? position + 1 : position; i < end; i++) {
            exponent = Math.min(EXPONENT_MAX, exponent) * 10 + (buffer.getByte(i) - '0');
        }
        return sign == '-' ? -exponent : exponent;
    }

    /** The double nearest to {@code mantissa * 10^exponent}, or NaN if that takes more than one rounding. */
    private static double scale(long mantissa, int exponent) {
        if (mantissa == 0 || exponent == 0) {
            return mantissa;
        }
        int power = Math.abs(exponent);
        if (power >= EXACT_POWERS_OF_10.length) {
            return Double.NaN;
        }
        return exponent > 0 ? mantissa * EXACT_POWERS_OF_10[power] : mantissa / EXACT_POWERS_OF_10[power];
    }

    /** The only step that allocates, for numbers of more than 53 bits or with large exponents. */
    private static double parse(DirectBuffer buffer, int position, int end) {
        return Double.parseDouble(buffer.getStringWithoutLengthAscii(position, end - position));
    }
}
