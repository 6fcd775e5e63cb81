package dev.loom.otlp.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import java.util.HexFormat;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Compares with protobuf's own check. */
class Utf8CheckTest {
    @Test
    void shouldAgreeOnEverySequenceOfUpToThreeBytes() {
        for (int sequence = 0; sequence < 1 << 24; sequence += sequence < 1 << 17 ? 1 : 7) {
            check((byte) (sequence >>> 16), (byte) (sequence >>> 8), (byte) sequence);
        }
        for (int pair = 0; pair < 1 << 16; pair++) {
            check((byte) (pair >>> 8), (byte) pair);
        }
        for (int single = 0; single < 256; single++) {
            check((byte) single);
        }
        check();
    }

    @Test
    void shouldAgreeOnSequencesOfFourBytes() {
        int[] interesting = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xF4, 0xFF};
        for (int first = 0xE0; first <= 0xFF; first++) {
            for (int second = 0; second <= 0xFF; second++) {
                for (int third : interesting) {
                    for (int fourth : interesting) {
                        check((byte) first, (byte) second, (byte) third, (byte) fourth);
                    }
                }
            }
        }
    }

    @Test
    void shouldAgreeOnTextsThatWereDamaged() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("Utf8CheckTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            int length = random.nextInt(40);
            for (int j = 0; j < length; j++) {
                int bits = 7 * (1 + random.nextInt(3));
                int codePoint = Math.min(random.nextInt(1 << bits), 0x10FFFF);
                text.appendCodePoint(Character.getType(codePoint) == Character.SURROGATE ? 'x' : codePoint);
            }
            byte[] bytes = ByteString.copyFromUtf8(text.toString()).toByteArray();
            check(bytes);
            if (bytes.length > 0) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                check(bytes);
            }
        }
    }

    private static void check(byte... bytes) {
        boolean expected = ByteString.copyFrom(bytes).isValidUtf8();
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        if (expected != Utf8Check.isValid(buffer, 0, bytes.length)) {
            assertEquals(expected, !expected, HexFormat.of().formatHex(bytes));
        }
    }
}
