package dev.loom.format;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** Decodes the escapes of a JSON string that {@link JsonScanner#skipString} has skipped. */
final class JsonString {
    private JsonString() {}

    /**
     * Writes the string between {@code position} and {@code end}, which are within its quotes, as UTF-8. The result is
     * never longer than the source. An unpaired surrogate becomes U+FFFD.
     *
     * @return the length in bytes
     */
    static int decode(DirectBuffer source, int position, int end, MutableDirectBuffer into) {
        return decode(source, position, end, into, 0);
    }

    /** As {@link #decode(DirectBuffer, int, int, MutableDirectBuffer)}, at an offset. */
    static int decode(DirectBuffer source, int position, int end, MutableDirectBuffer into, int offset) {
        int length = offset;
        int i = position;
        while (i < end) {
            byte c = source.getByte(i);
            if (c != '\\') {
                into.putByte(length++, c);
                i++;
            } else if (source.getByte(i + 1) != 'u') {
                into.putByte(length++, simple(source.getByte(i + 1)));
                i += 2;
            } else {
                int codePoint = hex(source, i + 2);
                i += 6;
                if (Character.isHighSurrogate((char) codePoint) && isLowSurrogate(source, i)) {
                    codePoint = Character.toCodePoint((char) codePoint, (char) hex(source, i + 2));
                    i += 6;
                } else if (Character.isSurrogate((char) codePoint)) {
                    codePoint = Utf8.REPLACEMENT;
                }
                length += Utf8.put(codePoint, into, length);
            }
        }
        return length - offset;
    }

    private static byte simple(byte escape) {
        return switch (escape) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            default -> escape;
        };
    }

    /**
     * Whether the escape of a low surrogate follows. The string's escapes are whole, and a quote follows the string.
     */
    private static boolean isLowSurrogate(DirectBuffer source, int position) {
        return source.getByte(position) == '\\'
                && source.getByte(position + 1) == 'u'
                && Character.isLowSurrogate((char) hex(source, position + 2));
    }

    private static int hex(DirectBuffer source, int position) {
        int value = 0;
        for (int i = 0; i < 4; i++) {
            value = value << 4 | Character.digit(source.getByte(position + i), 16);
        }
        return value;
    }
}
