package dev.loom.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class TokenReaderTest {
    private static final String[] PIECES = {
        "a", "Z", "_", "9", " ", "-", ".", "é", "É", "ß", "ſ", "İ", "ı", "ǅ", "Σ", "ς", "σ", "\u0660", "中", "文", "𐐀",
        "𐐨", "🙂", "\u0301", "\u200d", "\0", "\u00ad", "K", "\u0307", "\u0323", "\u1100", "\u1161", "\u11A8", "가",
        "\u212B", "\u0958", "\u093C", "\u0915", "\uF900", "\uFE0F", "\u1F71", "="
    };

    /** One mark, U+0345, is a letter once folded, iota, and so begins a token. */
    private static final Pattern RUN = Pattern.compile("[\\p{L}\\p{Nd}_\\x{345}][\\p{L}\\p{Nd}_\\p{M}]*");

    private final TokenReader reader = new TokenReader();

    private List<String> tokens(byte[] text) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[text.length + 6]);
        buffer.setMemory(0, buffer.capacity(), (byte) 'x'); // what is around it must not be looked at
        buffer.putBytes(3, text);
        reader.wrap(buffer, 3, text.length);
        List<String> tokens = new ArrayList<>();
        while (reader.next()) {
            StringBuilder token = new StringBuilder();
            long state = TokenDigest.EMPTY;
            for (int i = 0; i < Math.min(reader.length(), TokenReader.LENGTH_MAX); i++) {
                token.appendCodePoint(reader.codePoint(i));
                state = TokenDigest.add(state, reader.codePoint(i));
            }
            if (reader.length() > TokenReader.LENGTH_MAX) {
                state = TokenDigest.add(state, reader.length());
            }
            assertEquals(state, reader.state(), () -> "the state goes along: " + token);
            tokens.add(token.toString());
        }
        assertFalse(reader.next());
        return tokens;
    }

    private List<String> tokens(String text) {
        return tokens(text.getBytes(StandardCharsets.UTF_8));
    }

    /** By the JDK's strings: what is no letter, digit or underscore, and no mark of one, separates. */
    private static List<String> split(String text) {
        List<String> tokens = new ArrayList<>();
        Matcher run = RUN.matcher(text);
        while (run.find()) {
            tokens.add(run.group());
        }
        return tokens;
    }

    /** What a token becomes, by strings. */
    private static String folded(String token) {
        String selected = token.replaceAll("[\\x{FE00}-\\x{FE0F}\\x{E0100}-\\x{E01EF}]", "");
        String once = fold(Normalizer.normalize(selected, Normalizer.Form.NFC));
        // U+0345 alone begins a token without a letter, and the normal form has other marks before it, which then
        // belong to none
        return fold(Normalizer.normalize(once, Normalizer.Form.NFC)).replaceFirst("^\\p{M}+", "");
    }

    private static String fold(String text) {
        StringBuilder folded = new StringBuilder();
        text.codePoints()
                .map(c -> Character.toLowerCase(Character.toUpperCase(c)))
                .forEach(folded::appendCodePoint);
        return folded.toString();
    }

    @Test
    void shouldReadComposedAndDecomposedTextAlike() {
        for (String word : List.of("café", "Ångström", "한국어", "हिन्दी", "Việt", "ὰ́", "が", "İstanbul", "Ṩ")) {
            String composed = Normalizer.normalize(word, Normalizer.Form.NFC);
            String decomposed = Normalizer.normalize(word, Normalizer.Form.NFD);
            assertEquals(tokens(composed), tokens(decomposed), word);
            assertEquals(1, tokens(decomposed).size(), word);
        }
        assertEquals(List.of("1", "葛城"), tokens("1\uFE0F 葛\uDB40\uDD00城"));
        assertEquals(tokens("q\u0323\u0307"), tokens("q\u0307\u0323"));
        assertEquals(List.of(), tokens("\uFE0F".repeat(100_000)));
        assertEquals(1, tokens("a" + "\u0301".repeat(100_000)).size());
    }

    /** What the reader takes for composed is, by the tables of the JDK that runs it. */
    @Test
    void shouldKnowWhichCharactersCompose() {
        for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
            if ((c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) || !AssignedCharacters.contains(c)) {
                continue;
            }
            String text = Character.toString(c);
            if (FoldedReader.isComposed(c)) {
                assertTrue(Normalizer.isNormalized(text, Normalizer.Form.NFC), "code point " + c);
            }
            int[] parts =
                    Normalizer.normalize(text, Normalizer.Form.NFD).codePoints().toArray();
            for (int i = 1; i < parts.length; i++) {
                assertTrue(FoldedReader.isJoining(parts[i]), "code point " + parts[i]);
            }
        }
    }

    /** What JDK 17 indexes, later ones find. */
    @Test
    void shouldReadTheSameTokensOnEveryJdk() {
        CRC32C kinds = new CRC32C();
        for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
            if (!AssignedCharacters.contains(c)) {
                continue;
            }
            int kind = (Character.isLetter(c) ? 1 : 0)
                    | (Character.isDigit(c) ? 2 : 0)
                    | (FoldedReader.isMark(c) ? 4 : 0)
                    | FoldedReader.fold(c) << 3;
            for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
                kinds.update(kind >> shift);
            }
            if (Runtime.version().feature() == 17) {
                boolean isNone = (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF) || c >= 0xE0000;
                assertTrue(isNone || Character.isDefined(c), "code point " + c);
            }
        }
        if (Runtime.version().feature() == 17) {
            for (int c = 0; c < 0xE0000; c++) {
                assertTrue(AssignedCharacters.contains(c) || !Character.isDefined(c), "code point " + c);
            }
        }
        assertEquals(507_766_974L, kinds.getValue());
        // letters and marks of Unicode 14, 15, 15.1 and 16 separate, alone and beside those that are older
        for (String later : List.of(
                "\u0870", "\uD869\uDEDE", "\uD839\uDCD0", "\uD888\uDF50", "\uD87A\uDFF0", "\uA7CB", "\uD81B\uDD43")) {
            assertEquals(List.of("a", "b"), tokens("a" + later + "b"), later);
            assertEquals(List.of(), tokens(later + "\u0301"), later);
        }
    }

    @Test
    void shouldCutTextsIntoFoldedTokens() {
        assertEquals(List.of("get", "user", "42", "retry_later", "ok"), tokens("GET /user/42: Retry_Later... ok!"));
        assertEquals(List.of(), tokens(""));
        assertEquals(List.of(), tokens(" -- ()"));
        assertEquals(List.of("a", "\u03b9"), tokens("a -\u0301\u0301-\u0345"));
        assertEquals(List.of("\u03b9\u03c3"), tokens("\u0345\u0307\u03c3"));
        assertEquals(
                tokens("\u0345\u0307\u03c3"), tokens("\u0307\u0345\u03c3"), "the same text, in another order of marks");
        assertEquals(List.of("i", "i", "i", "i", "σσσ"), tokens("I i İ ı ΣςΣ"));
        assertEquals(List.of("caf\u00e9x"), tokens("cafe\u0301x"));
        assertEquals(List.of("𐐨𐐨"), tokens("𐐀𐐨"));
    }

    @Test
    void shouldEqualWhatStringsSay() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("TokenReaderTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            StringBuilder text = new StringBuilder();
            if (random.nextInt(10) == 0) { // a text that is longer than what is looked at in one go
                text.append(random.nextBoolean() ? " " : "x").append("-".repeat(1_000 + random.nextInt(30)));
            }
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
                assertEquals(folded(expected.get(i)), actual.get(i), () -> "seed=" + seed + ", text=" + text);
                assertEquals(List.of(actual.get(i)), tokens(expected.get(i)));
            }
        }
    }

    private static int anyCodePoint(Random random) {
        int any = random.nextInt(Character.MAX_CODE_POINT + 1 - 2_048);
        int codePoint = any < Character.MIN_SURROGATE ? any : any + 2_048;
        // the strings of a newer JDK have letters that tokens have not
        return AssignedCharacters.contains(codePoint) || !Character.isDefined(codePoint) ? codePoint : '-';
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
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("TokenReaderTest: -Dloom.test.seed=" + seed);
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
