package dev.loom.server.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing byte array of UTF-8 text. Appending numbers and bytes allocates nothing else. For one thread. */
public final class TextBuffer {
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] BASE64 =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] LONG_MIN = Long.toString(Long.MIN_VALUE).getBytes(StandardCharsets.US_ASCII);
    private static final int LONG_DIGITS_MAX = 20;

    private final byte[] digits = new byte[LONG_DIGITS_MAX];
    private byte[] bytes;
    private int length;

    public TextBuffer(int capacity) {
        bytes = new byte[capacity];
    }

    /** The array that holds the text at {@code [0, length())}; growing replaces it. */
    public byte[] array() {
        return bytes;
    }

    public int length() {
        return length;
    }

    public void clear() {
        length = 0;
    }

    /** Cuts the text to {@code newLength} bytes. */
    public void truncate(int newLength) {
        length = Math.min(length, newLength);
    }

    public void put(byte value) {
        ensure(1);
        bytes[length++] = value;
    }

    public void put(char ascii) {
        put((byte) ascii);
    }

    public void put(byte[] source, int offset, int count) {
        ensure(count);
        System.arraycopy(source, offset, bytes, length, count);
        length += count;
    }

    public void put(byte[] source) {
        put(source, 0, source.length);
    }

    public void put(String text) {
        put(text.getBytes(StandardCharsets.UTF_8));
    }

    public void putLong(long value) {
        if (value == Long.MIN_VALUE) {
            put(LONG_MIN);
            return;
        }
        if (value < 0) {
            put('-');
        }
        long rest = Math.abs(value);
        int at = LONG_DIGITS_MAX;
        do {
            digits[--at] = (byte) ('0' + rest % 10);
            rest /= 10;
        } while (rest != 0);
        put(digits, at, LONG_DIGITS_MAX - at);
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
    public void putPadded(long value, int width) {
        ensure(width);
        long rest = value;
        for (int at = length + width - 1; at >= length; at--) {
            bytes[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += width;
    }

    public void putDouble(double value) {
        put(Double.toString(value));
    }

    public void putFloat(float value) {
        put(Float.toString(value));
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
        ensure((count + 2) / 3 * 4);
        int end = offset + count;
        for (int at = offset; at < end; at += 3) {
            int left = end - at;
            int group = (source[at] & 0xFF) << 16
                    | (left > 1 ? (source[at + 1] & 0xFF) << 8 : 0)
                    | (left > 2 ? source[at + 2] & 0xFF : 0);
            bytes[length++] = BASE64[group >> 18];
            bytes[length++] = BASE64[group >> 12 & 0x3F];
            bytes[length++] = left > 1 ? BASE64[group >> 6 & 0x3F] : (byte) '=';
            bytes[length++] = left > 2 ? BASE64[group & 0x3F] : (byte) '=';
        }
    }

    private void ensure(int count) {
        if (count > bytes.length - length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + count));
        }
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
}
