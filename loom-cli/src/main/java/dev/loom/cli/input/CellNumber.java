package dev.loom.cli.input;

import java.nio.charset.StandardCharsets;

/** Parses numbers from the bytes of a cell, without garbage for plain numbers. Reused from cell to cell. For one thread. */
public final class CellNumber {
    /** Integers up to this one are exact in a double. */
    private static final long EXACT_MAX = 1L << 53;

    private static final double[] POWERS_OF_TEN = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22
    };

    private long longValue;
    private double doubleValue;

    public long longValue() {
        return longValue;
    }

    public double doubleValue() {
        return doubleValue;
    }

    /** Parses a decimal integer that fits in a signed long. */
    public boolean parseLong(byte[] bytes, int offset, int length) {
        boolean negative = length > 0 && bytes[offset] == '-';
        int at = negative ? offset + 1 : offset;
        if (!parseUnsigned(bytes, at, offset + length - at)) {
            return false;
        }
        long magnitude = longValue;
        longValue = negative ? -magnitude : magnitude;
        return magnitude >= 0 || (negative && magnitude == Long.MIN_VALUE);
    }

    /** Parses a decimal integer that fits in an unsigned long; {@link #longValue()} then holds its bits. */
    public boolean parseUnsigned(byte[] bytes, int offset, int length) {
        if (length == 0) {
            return false;
        }
        long value = 0;
        for (int at = offset; at < offset + length; at++) {
            int digit = bytes[at] - '0';
            boolean over = value < 0
                    || value > 1_844_674_407_370_955_161L
                    || (value == 1_844_674_407_370_955_161L && digit > 5);
            if (digit < 0 || digit > 9 || over) {
                return false;
            }
            value = value * 10 + digit;
        }
        longValue = value;
        return true;
    }

    /** Parses a decimal floating-point number, or {@code NaN}, {@code Infinity}, {@code inf} and their negatives. */
    public boolean parseDouble(byte[] bytes, int offset, int length) {
        return parsePlainDouble(bytes, offset, length) || parseAnyDouble(bytes, offset, length);
    }

    /**
     * Parses a number without exponent whose digits and power of ten are exact doubles, so that one division rounds it correctly.
     */
    private boolean parsePlainDouble(byte[] bytes, int offset, int length) {
        int end = offset + length;
        boolean negative = length > 0 && bytes[offset] == '-';
        long digits = 0;
        int digitCount = 0;
        int pointAt = -1;
        for (int at = negative ? offset + 1 : offset; at < end; at++) {
            int digit = bytes[at] - '0';
            if (digit >= 0 && digit <= 9) {
                digits = digits * 10 + digit;
                digitCount++;
                if (digits > EXACT_MAX) {
                    return false;
                }
            } else if (bytes[at] == '.' && pointAt < 0) {
                pointAt = at;
            } else {
                return false;
            }
        }
        int fractionDigits = pointAt < 0 ? 0 : end - 1 - pointAt;
        if (digitCount == 0 || fractionDigits >= POWERS_OF_TEN.length) {
            return false;
        }
        double magnitude = digits / POWERS_OF_TEN[fractionDigits];
        doubleValue = negative ? -magnitude : magnitude;
        return true;
    }

    private boolean parseAnyDouble(byte[] bytes, int offset, int length) {
        String text = new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
        switch (text) {
            case "NaN", "nan" -> doubleValue = Double.NaN;
            case "Infinity", "inf", "+Infinity", "+inf" -> doubleValue = Double.POSITIVE_INFINITY;
            case "-Infinity", "-inf" -> doubleValue = Double.NEGATIVE_INFINITY;
            default -> {
                return parseExponent(text);
            }
        }
        return true;
    }

    /** Accepts only digits that JSON allows, because the JDK's parser also takes hexadecimal numbers and suffixes. */
    private boolean parseExponent(String text) {
        for (int i = 0; i < text.length(); i++) {
            if ("0123456789.eE+-".indexOf(text.charAt(i)) < 0) {
                return false;
            }
        }
        try {
            doubleValue = Double.parseDouble(text);
            return !Double.isInfinite(doubleValue); // an infinity is written as a word
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
