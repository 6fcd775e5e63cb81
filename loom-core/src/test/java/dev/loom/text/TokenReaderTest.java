package dev.loom.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class TokenReaderTest {
    private static final String[] PIECES = {
        "a", "Z", "_", "9", " ", "-", ".", "é", "É", "ß", "ſ", "İ", "ı", "ǅ", "Σ", "ς", "σ", "\u0660", "中", "文", "𐐀",
        "𐐨", "🙂", "\u0301", "\u200d", "\0", "\u00ad", "K"
    };

    private static final Pattern RUN = Pattern.compile("[\\p{L}\\p{Nd}_]+");

    private final TokenReader reader = new TokenReader();

    private List<String> tokens(byte[] text) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[text.length + 6]);
        buffer.setMemory(0, buffer.capacity(), (byte) 'x'); // what is around it must not be looked at
        buffer.putBytes(3, text);
        reader.wrap(buffer, 3, text.length);
        List<String> tokens = new ArrayList<>();
        while (reader.next()) {
            StringBuilder token = new StringBuilder();
            for (int i = 0; i < Math.min(reader.length(), TokenReader.LENGTH_MAX); i++) {
                token.appendCodePoint(reader.codePoint(i));
            }
            tokens.add(token.toString());
        }
        assertFalse(reader.next());
        return tokens;
    }

    private List<String> tokens(String text) {
        return tokens(text.getBytes(StandardCharsets.UTF_8));
    }

    /** By the JDK's strings: what is no letter, digit or underscore separates. */
    private static List<String> split(String text) {
        List<String> tokens = new ArrayList<>();
        Matcher run = RUN.matcher(text);
        while (run.find()) {
            tokens.add(run.group());
        }
        return tokens;
    }

    @Test
    void shouldCutTextsIntoFoldedTokens() {
        assertEquals(List.of("get", "user", "42", "retry_later", "ok"), tokens("GET /user/42: Retry_Later... ok!"));
        assertEquals(List.of(), tokens(""));
        assertEquals(List.of(), tokens(" -- ()"));
        assertEquals(List.of("i", "i", "i", "i", "σσσ"), tokens("I i İ ı ΣςΣ"));
        assertEquals(List.of("cafe", "x"), tokens("cafe\u0301x"));
        assertEquals(List.of("𐐨𐐨"), tokens("𐐀𐐨"));
    }

    @Test
    void shouldEqualWhatStringsSay() {
        long seed = System.nanoTime();
        System.out.println("TokenReaderTest seed=" + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(20); i > 0; i--) {
                text.append(
                        random.nextInt(4) > 0
                                ? PIECES[random.nextInt(PIECES.length)]
                                : Character.toString(anyCodePoint(random)));
            }
            List<String> expected = split(text.toString());
            List<String> actual = tokens(text.toString());
            assertEquals(expected.size(), actual.size(), () -> "seed=" + seed + ", text=" + text);
            for (int i = 0; i < expected.size(); i++) {
                assertTrue(
                        expected.get(i).equalsIgnoreCase(actual.get(i)),
                        "seed=" + seed + ", expected=" + expected + ", actual=" + actual);
                assertEquals(List.of(actual.get(i)), tokens(expected.get(i)));
            }
        }
    }

    private static int anyCodePoint(Random random) {
        int codePoint = random.nextInt(Character.MAX_CODE_POINT + 1 - 2_048);
        return codePoint < Character.MIN_SURROGATE ? codePoint : codePoint + 2_048;
    }

    @Test
    void shouldFoldAFoldedTokenToItself() {
        for (int codePoint = 0; codePoint <= Character.MAX_CODE_POINT; codePoint++) {
            if (codePoint < Character.MIN_SURROGATE || codePoint > Character.MAX_SURROGATE) {
                List<String> once = tokens(Character.toString(codePoint));
                if (!once.isEmpty()) {
                    assertEquals(once, tokens(once.get(0)), "code point " + codePoint);
                }
            }
        }
    }

    /** The JDK's decoder says which bytes are characters. */
    @Test
    void shouldTakeBytesThatAreNotUtf8ForSeparators() throws Exception {
        long seed = System.nanoTime();
        System.out.println("TokenReaderTest seed=" + seed);
        Random random = new Random(seed);
        byte[] some = {
            'a',
            'B',
            ' ',
            (byte) 0xC3,
            (byte) 0xA9,
            (byte) 0xED,
            (byte) 0xA0,
            (byte) 0x80,
            (byte) 0xF0,
            (byte) 0x9F,
            (byte) 0xC0,
            (byte) 0xF4,
            (byte) 0x90,
            (byte) 0xE0,
            (byte) 0xFF,
            (byte) 0xE4,
            (byte) 0xB8,
            (byte) 0xAD
        };
        for (int round = 0; round < 50_000; round++) {
            byte[] text = new byte[random.nextInt(9)];
            for (int i = 0; i < text.length; i++) {
                text[i] = some[random.nextInt(some.length)];
            }
            CharBuffer decoded = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPLACE)
                    .replaceWith(" ")
                    .decode(ByteBuffer.wrap(text));
            assertEquals(
                    split(decoded.toString()).stream()
                            .map(token -> tokens(token).get(0))
                            .toList(),
                    tokens(text),
                    () -> "seed=" + seed + ", text=" + HexFormat.of().formatHex(text));
        }
    }

    @Test
    void shouldTellTheLengthOfATokenThatIsTooLongToKeep() {
        for (int length : new int[] {255, 256, 257, 10_000}) {
            byte[] text = "x".repeat(length).getBytes(StandardCharsets.UTF_8);
            reader.wrap(new UnsafeBuffer(text), 0, length);
            assertTrue(reader.next());
            assertEquals(length, reader.length());
            int[] kept = "x".repeat(256).codePoints().toArray();
            assertEquals(length == 256, reader.is(kept));
            assertEquals(length >= 256, reader.beginsWith(kept));
            assertFalse(reader.next());
        }
    }
}
