package dev.loom.format;

import org.agrona.MutableDirectBuffer;

/** Writes UTF-8 without allocating. An unpaired surrogate becomes U+FFFD. */
final class Utf8 {
    static final int REPLACEMENT = 0xFFFD;

    private Utf8() {}

    /** The length in bytes of the text's UTF-8; it may exceed an int. */
    static long length(CharSequence text) {
        int ascii = 0;
        while (ascii < text.length() && text.charAt(ascii) < 0x80) {
            ascii++;
        }
        long length = ascii;
        for (int i = ascii; i < text.length(); ) {
            int codePoint = codePointAt(text, i);
            length += length(codePoint);
            i += Character.charCount(codePoint);
        }
        return length;
    }

    /** Writes the text's UTF-8, whose {@link #length(CharSequence)} is given. */
    static void put(CharSequence text, int length, MutableDirectBuffer buffer, int offset) {
        if (length == text.length()) { // as only ASCII is
            buffer.putStringWithoutLengthAscii(offset, text);
            return;
        }
        int position = offset;
        for (int i = 0; i < text.length(); ) {
            int codePoint = codePointAt(text, i);
            position += put(codePoint, buffer, position);
            i += Character.charCount(codePoint);
        }
    }

    /** Writes one code point, which is not a surrogate. Returns its length in bytes. */
    static int put(int codePoint, MutableDirectBuffer buffer, int offset) {
        if (codePoint < 0x80) {
            buffer.putByte(offset, (byte) codePoint);
            return 1;
        }
        int length = length(codePoint);
        int rest = codePoint;
        for (int i = length - 1; i > 0; i--) {
            buffer.putByte(offset + i, (byte) (0x80 | (rest & 0x3F)));
            rest >>>= 6;
        }
        buffer.putByte(offset, (byte) ((0xF0 << (4 - length)) | rest));
        return length;
    }

    private static int length(int codePoint) {
        if (codePoint < 0x80) {
            return 1;
        }
        if (codePoint < 0x800) {
            return 2;
        }
        return codePoint < 0x10000 ? 3 : 4;
    }

    private static int codePointAt(CharSequence text, int index) {
        int codePoint = Character.codePointAt(text, index);
        return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE ? REPLACEMENT : codePoint;
    }
}
