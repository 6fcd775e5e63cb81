package dev.loom.otlp.wire;

import org.agrona.DirectBuffer;

/** Checks UTF-8 by the rules of RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
public final class Utf8Check {
    private static final long NON_ASCII = 0x8080_8080_8080_8080L;
    private static final int INVALID = -1;

    private Utf8Check() {}

    /** Whether {@code [offset, offset + length)} of the buffer is UTF-8. */
    public static boolean isValid(DirectBuffer buffer, int offset, int length) {
        return isAscii(buffer, offset, length) || isValidBySequence(buffer, offset, offset + length);
    }

    /** Whether {@code [offset, offset + length)} of the buffer is ASCII. */
    public static boolean isAscii(DirectBuffer buffer, int offset, int length) {
        // words of 8 or 4 bytes, the last of which overlaps the one before
        int end = offset + length;
        long bits = 0;
        if (length >= Long.BYTES) {
            for (int at = offset; at < end - Long.BYTES; at += Long.BYTES) {
                bits |= buffer.getLong(at);
            }
            bits |= buffer.getLong(end - Long.BYTES);
        } else if (length >= Integer.BYTES) {
            bits = buffer.getInt(offset) | buffer.getInt(end - Integer.BYTES);
        } else {
            for (int at = offset; at < end; at++) {
                bits |= buffer.getByte(at);
            }
        }
        return (bits & NON_ASCII) == 0;
    }

    private static boolean isValidBySequence(DirectBuffer buffer, int offset, int end) {
        int at = offset;
        while (at >= 0 && at < end) {
            int first = buffer.getByte(at);
            at = first >= 0 ? at + 1 : skipSequence(buffer, at, end, first & 0xFF);
        }
        return at == end;
    }

    /** The offset after a sequence of two to four bytes, or {@link #INVALID}. */
    private static int skipSequence(DirectBuffer buffer, int at, int end, int first) {
        int length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
        if (first < 0xC2 || first > 0xF4 || end - at < length) {
            return INVALID;
        }
        int second = buffer.getByte(at + 1) & 0xFF;
        int lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        int highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        if (second < lowest || second > highest) {
            return INVALID;
        }
        for (int i = 2; i < length; i++) {
            if ((buffer.getByte(at + i) & 0xC0) != 0x80) {
                return INVALID;
            }
        }
        return at + length;
    }
}
