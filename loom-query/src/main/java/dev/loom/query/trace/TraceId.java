package dev.loom.query.trace;

import java.util.HexFormat;
import java.util.Locale;

/**
 * The id of a trace: 16 bytes, not all zero.
 *
 * @param high the first 8 bytes
 * @param low the last 8 bytes
 */
public record TraceId(long high, long low) {
    /** Hexadecimal digits of a trace id, and of a span id. */
    public static final int DIGITS = 32;

    public static final int SPAN_DIGITS = 16;

    /**
     * Parses 32 hexadecimal digits, in upper or lower case.
     *
     * @throws IllegalArgumentException for any other text; the message says what is wrong, and where
     */
    public static TraceId parse(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!HexFormat.isHexDigit(text.charAt(i))) {
                throw new IllegalArgumentException(
                        "not a trace id: " + text + "; position " + i + " is no hexadecimal digit");
            }
        }
        if (text.length() != DIGITS) {
            String span = text.length() == SPAN_DIGITS ? "; a span id has that many" : "";
            throw new IllegalArgumentException(
                    "not a trace id: " + text + "; digits=" + text.length() + ", expected=" + DIGITS + span);
        }
        TraceId id = new TraceId(
                HexFormat.fromHexDigitsToLong(text, 0, SPAN_DIGITS),
                HexFormat.fromHexDigitsToLong(text, SPAN_DIGITS, DIGITS));
        if (id.isZero()) {
            throw new IllegalArgumentException("not a trace id: " + text + "; all digits are zero");
        }
        return id;
    }

    boolean isZero() {
        return (high | low) == 0;
    }

    /** 32 digits in lower case. */
    @Override
    public String toString() {
        return text(high) + text(low);
    }

    /** In upper case. */
    String toUpperCase() {
        return toString().toUpperCase(Locale.ROOT);
    }

    /** A span id as 16 digits in lower case. */
    public static String text(long spanId) {
        return HexFormat.of().toHexDigits(spanId);
    }
}
