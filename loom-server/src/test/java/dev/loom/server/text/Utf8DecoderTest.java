package dev.loom.server.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Utf8DecoderTest {
    @Test
    void shouldEncodeAndDecodeEveryCodePointAsTheJdkDoes() {
        TextBuffer text = new TextBuffer(4);
        for (int codePoint = 0; codePoint <= Character.MAX_CODE_POINT; codePoint++) {
            if (codePoint < Character.MIN_SURROGATE || codePoint > Character.MAX_SURROGATE) {
                text.clear();
                text.putCodePoint(codePoint);
                assertEquals(Character.toString(codePoint), text.toString());
                assertEquals(codePoint, Utf8Decoder.decode(text.array(), 0, text.length()));
                assertEquals(text.length(), Utf8Decoder.length(codePoint));
                assertEquals(
                        codePoint < 0x80 ? codePoint : Utf8Decoder.MALFORMED,
                        Utf8Decoder.decode(text.array(), 0, Math.max(1, text.length() - 1)));
            }
        }
    }

    @Test
    void shouldJudgeAnyBytesAsTheJdksDecoderDoes() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        byte[] leads = {
            0x41,
            (byte) 0x80,
            (byte) 0xBF,
            (byte) 0xC0,
            (byte) 0xC2,
            (byte) 0xE0,
            (byte) 0xED,
            (byte) 0xEF,
            (byte) 0xF0,
            (byte) 0xF4,
            (byte) 0xF5,
            (byte) 0xFF,
            (byte) 0x90,
            (byte) 0xA0
        };
        for (int round = 0; round < 200_000; round++) {
            byte[] bytes = new byte[random.nextInt(9)];
            random.nextBytes(bytes);
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = random.nextInt(3) > 0 ? leads[random.nextInt(leads.length)] : bytes[i];
            }
            assertEquals(
                    validForJdk(bytes), Utf8Decoder.valid(bytes, 0, bytes.length), "seed=" + seed + ", round=" + round);
        }
    }

    private static boolean validForJdk(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
