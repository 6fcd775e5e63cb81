package dev.loom.server.text;

/** Decodes UTF-8, one code point at a time, by the rules of RFC 3629: no overlong forms, no surrogates. */
public final class Utf8Decoder {
    /** Replaces bytes that are not UTF-8. */
    public static final int REPLACEMENT = 0xFFFD;

    /** Returned by {@link #decode} for bytes that are not UTF-8. */
    public static final int MALFORMED = -1;

    private Utf8Decoder() {}

    /** The code point that begins at {@code offset}, or {@link #MALFORMED}; reads nothing at or past {@code end}. */
    public static int decode(byte[] bytes, int offset, int end) {
        int first = bytes[offset];
        if (first >= 0) {
            return first;
        }
        int left = end - offset;
        if ((first & 0xE0) == 0xC0) {
            return left < 2 ? MALFORMED : ranged((first & 0x1F) << 6 | tail(bytes[offset + 1]), 0x80, 0x7FF);
        }
        if ((first & 0xF0) == 0xE0) {
            if (left < 3) {
                return MALFORMED;
            }
            int codePoint = (first & 0x0F) << 12 | tail(bytes[offset + 1]) << 6 | tail(bytes[offset + 2]);
            return codePoint >= 0xD800 && codePoint <= 0xDFFF ? MALFORMED : ranged(codePoint, 0x800, 0xFFFF);
        }
        if ((first & 0xF8) == 0xF0 && left >= 4) {
            int high = (first & 0x07) << 18 | tail(bytes[offset + 1]) << 12;
            return ranged(high | tail(bytes[offset + 2]) << 6 | tail(bytes[offset + 3]), 0x10000, 0x10FFFF);
        }
        return MALFORMED;
    }

    /** The number of bytes that a code point takes. */
    public static int length(int codePoint) {
        if (codePoint < 0x80) {
            return 1;
        } else if (codePoint < 0x800) {
            return 2;
        }
        return codePoint < 0x10000 ? 3 : 4;
    }

    /** Whether all of {@code [offset, end)} is UTF-8. */
    public static boolean valid(byte[] bytes, int offset, int end) {
        int at = offset;
        while (at < end) {
            if (end - at >= EightBytes.COUNT && EightBytes.notAscii(EightBytes.at(bytes, at)) == 0) {
                at += EightBytes.COUNT;
            } else if (bytes[at] >= 0) {
                at++;
            } else {
                int codePoint = decode(bytes, at, end);
                if (codePoint == MALFORMED) {
                    return false;
                }
                at += length(codePoint);
            }
        }
        return true;
    }

    /** The six bits of a continuation byte; -1 for any other byte, which makes the whole code point negative. */
    private static int tail(byte continuation) {
        return (continuation & 0xC0) == 0x80 ? continuation & 0x3F : -1;
    }

    private static int ranged(int codePoint, int min, int max) {
        return codePoint >= min && codePoint <= max ? codePoint : MALFORMED;
    }
}
