package dev.loom.server.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.agrona.ExpandableArrayBuffer;

/** A growing byte array of UTF-8 text. Appending integers and bytes allocates nothing else. For one thread. */
public final class TextBuffer {
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final ExpandableArrayBuffer bytes;
    private int length;
    private long replaced;

    public TextBuffer(int capacity) {
        bytes = new ExpandableArrayBuffer(capacity);
    }

    /** The array that holds the text at {@code [0, length())}; growing replaces it. */
    public byte[] array() {
        return bytes.byteArray();
    }

    /** A copy of the text. */
    public byte[] toByteArray() {
        return Arrays.copyOf(array(), length);
    }

    public int length() {
        return length;
    }

    public void clear() {
        length = 0;
    }

    public void put(byte value) {
        bytes.putByte(length++, value);
    }

    public void put(char ascii) {
        put((byte) ascii);
    }

    public void put(byte[] source, int offset, int count) {
        bytes.putBytes(length, source, offset, count);
        length += count;
    }

    public void put(byte[] source) {
        put(source, 0, source.length);
    }

    public void put(String text) {
        put(text.getBytes(StandardCharsets.UTF_8));
    }

    public void putLong(long value) {
        length += bytes.putLongAscii(length, value);
    }

    public void putUnsigned(long bits) {
        if (bits >= 0) {
            putLong(bits);
        } else {
            long tenth = (bits >>> 1) / 5;
            putLong(tenth);
            put((byte) ('0' + (bits - tenth * 10)));
        }
    }

    /** Appends the decimal digits of a non-negative number, zero-padded to {@code width}. */
    public void putPadded(int value, int width) {
        bytes.putNaturalPaddedIntAscii(length, width, value);
        length += width;
    }

    /** Appends a number as Java writes it, with the digits of a float if it is of single precision. */
    public void putDouble(double value, boolean singlePrecision) {
        put(singlePrecision ? Float.toString((float) value) : Double.toString(value));
    }

    /** Appends U+FFFD for a byte that is not UTF-8. */
    public void putReplacement() {
        putCodePoint(Utf8Decoder.REPLACEMENT);
        replaced++;
    }

    /** How many bytes have been replaced, in all that was appended. */
    public long replaced() {
        return replaced;
    }

    public void putCodePoint(int codePoint) {
        if (codePoint < 0x80) {
            put((byte) codePoint);
        } else if (codePoint < 0x800) {
            put((byte) (0xC0 | (codePoint >> 6)));
            putContinuation(codePoint);
        } else if (codePoint < 0x10000) {
            put((byte) (0xE0 | (codePoint >> 12)));
            putContinuation(codePoint >> 6);
            putContinuation(codePoint);
        } else {
            put((byte) (0xF0 | (codePoint >> 18)));
            putContinuation(codePoint >> 12);
            putContinuation(codePoint >> 6);
            putContinuation(codePoint);
        }
    }

    private void putContinuation(int bits) {
        put((byte) (0x80 | (bits & 0x3F)));
    }

    /** Appends {@code \}{@code u} and four hexadecimal digits, twice outside the basic plane. */
    public void putUnicodeEscape(int codePoint) {
        if (Character.isBmpCodePoint(codePoint)) {
            putUnitEscape(codePoint);
        } else {
            putUnitEscape(Character.highSurrogate(codePoint));
            putUnitEscape(Character.lowSurrogate(codePoint));
        }
    }

    private void putUnitEscape(int unit) {
        put('\\');
        put('u');
        putHexByte(unit >> 8);
        putHexByte(unit);
    }

    /** Appends the two hexadecimal digits of the low eight bits. */
    public void putHexByte(int value) {
        put(HEX[value >> 4 & 0xF]);
        put(HEX[value & 0xF]);
    }

    /** Appends base64 (RFC 4648, with padding). */
    public void putBase64(byte[] source, int offset, int count) {
        put(Base64.getEncoder().encode(Arrays.copyOfRange(source, offset, offset + count)));
    }

    @Override
    public String toString() {
        return new String(array(), 0, length, StandardCharsets.UTF_8);
    }
}
