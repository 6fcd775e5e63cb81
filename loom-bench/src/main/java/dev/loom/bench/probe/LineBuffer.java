package dev.loom.bench.probe;

import java.util.Arrays;

/** Text of ASCII that is written without garbage. */
final class LineBuffer {
    private static final int DIGITS_MAX = 20;

    private byte[] bytes;
    private int length;

    LineBuffer(int capacity) {
        bytes = new byte[capacity];
    }

    void text(String text) {
        ensure(text.length());
        for (int i = 0; i < text.length(); i++) {
            bytes[length++] = (byte) text.charAt(i);
        }
    }

    /** Writes a number in decimal digits. */
    void number(long number) {
        ensure(DIGITS_MAX);
        if (number < 0) {
            text(Long.toString(number));
            return;
        }
        int digits = 1;
        for (long rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        long rest = number;
        for (int i = digits - 1; i >= 0; i--) {
            bytes[length + i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += digits;
    }

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    void clear() {
        length = 0;
    }

    private void ensure(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * (length + more));
        }
    }
}
