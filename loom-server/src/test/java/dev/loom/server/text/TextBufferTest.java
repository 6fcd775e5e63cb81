package dev.loom.server.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Base64;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TextBufferTest {
    private static final long[] EDGES = {0, 1, -1, 9, 10, -10, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 1};

    @Test
    void shouldWriteNumbersAsTheJdkDoes() {
        Random random = new Random(1);
        TextBuffer text = new TextBuffer(1);
        for (int i = 0; i < 100_000; i++) {
            long value = i < EDGES.length ? EDGES[i] : random.nextLong() >> random.nextInt(64);
            text.clear();
            text.putLong(value);
            text.put(' ');
            text.putUnsigned(value);
            assertEquals(value + " " + Long.toUnsignedString(value), text.toString());
        }
    }

    @Test
    void shouldWriteBase64AsTheJdkDoes() {
        Random random = new Random(2);
        TextBuffer text = new TextBuffer(1);
        for (int i = 0; i < 10_000; i++) {
            byte[] bytes = new byte[random.nextInt(70)];
            random.nextBytes(bytes);
            text.clear();
            text.putBase64(bytes, 0, bytes.length);
            assertEquals(Base64.getEncoder().encodeToString(bytes), text.toString());
        }
    }

    @Test
    void shouldPadWithZeros() {
        TextBuffer text = new TextBuffer(1);
        text.putPadded(42, 9);
        text.putPadded(0, 1);
        assertEquals("0000000420", text.toString());
    }

    @Test
    void shouldEscapeCodePointsOutsideTheBasicPlaneAsTwoUnits() {
        TextBuffer text = new TextBuffer(1);
        text.putUnicodeEscape(0x1B);
        text.putUnicodeEscape(0xE0001);
        assertEquals("\\u001b\\udb40\\udc01", text.toString());
    }
}
