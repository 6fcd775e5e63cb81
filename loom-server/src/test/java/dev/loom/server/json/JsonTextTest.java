package dev.loom.server.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.loom.server.text.HiddenCharacters;
import dev.loom.server.text.TextBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JsonTextTest {
    private static final int[] SPECIAL = {
        0, 7, '\n', '\r', '\t', 0x1B, ' ', '"', '\\', '/', 0x7F, 0x85, 0x9B, 0xAD, 0x61C, 0x200B, 0x200E, 0x2028,
        0x2029, 0x202E, 0x2066, 0xFEFF, 0xFFFD, 0xE0041, 0x1F600, 'a', 'é', '中'
    };

    @Test
    void shouldWriteStringsThatReadBackAndHideNothing() throws IOException {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        TextBuffer json = new TextBuffer(16);
        for (int round = 0; round < 20_000; round++) {
            String text = randomText(random);
            json.clear();
            JsonText.putString(json, text);
            assertEquals(List.of(text), strings(json.toString()), "seed=" + seed + ", round=" + round);
            assertHidesNothing(json.toString());
        }
    }

    private static String randomText(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            text.appendCodePoint(SPECIAL[random.nextInt(SPECIAL.length)]);
        }
        return text.toString();
    }

    private static void assertHidesNothing(String text) {
        assertFalse(text.codePoints().anyMatch(HiddenCharacters::hides), text);
    }

    private static List<String> strings(String json) throws IOException {
        List<String> strings = new ArrayList<>();
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                strings.add(token == JsonToken.VALUE_STRING ? parser.getText() : token + " " + parser.getText());
            }
            assertNull(parser.nextToken());
        }
        return strings;
    }

    @Test
    void shouldReplaceWhatIsNotUtf8AsTheJdkDoes() throws IOException {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        TextBuffer json = new TextBuffer(16);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = new byte[random.nextInt(10)];
            random.nextBytes(bytes);
            json.clear();
            JsonText.putString(json, bytes, 0, bytes.length);
            // How many replacement characters stand for a bad sequence is not agreed on; what is good is kept.
            String expected = new String(bytes, StandardCharsets.UTF_8).replaceAll("\uFFFD+", "\uFFFD");
            String actual = strings(json.toString()).get(0).replaceAll("\uFFFD+", "\uFFFD");
            assertEquals(expected, actual, "seed=" + seed + ", round=" + round);
        }
    }

    @Test
    void shouldCompactJsonWithoutChangingIt() throws IOException {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 5_000; round++) {
            StringBuilder document = new StringBuilder();
            randomValue(random, document, 4);
            byte[] bytes = document.toString().getBytes(StandardCharsets.UTF_8);
            TextBuffer compact = new TextBuffer(16);
            JsonText.putCompact(compact, bytes, 0, bytes.length);
            String text = compact.toString();
            assertEquals(strings(document.toString()), strings(text), "seed=" + seed + ", document=" + document);
            assertHidesNothing(text);
        }
    }

    private static void randomValue(Random random, StringBuilder into, int depth) {
        space(random, into);
        switch (random.nextInt(depth == 0 ? 4 : 6)) {
            case 0 -> into.append(random.nextInt()).append(random.nextBoolean() ? ".50e-3" : "");
            case 1 -> into.append(random.nextBoolean());
            case 2 -> into.append("null");
            case 3 -> string(random, into);
            case 4 -> {
                into.append('[');
                for (int i = random.nextInt(4); i > 0; i--) {
                    randomValue(random, into, depth - 1);
                    into.append(i > 1 ? "," : "");
                }
                into.append(']');
            }
            default -> {
                into.append('{');
                for (int i = random.nextInt(4); i > 0; i--) {
                    space(random, into);
                    string(random, into);
                    space(random, into);
                    into.append(':');
                    randomValue(random, into, depth - 1);
                    into.append(i > 1 ? "," : "");
                }
                into.append('}');
            }
        }
        space(random, into);
    }

    private static void space(Random random, StringBuilder into) {
        into.append(new String[] {"", "", " ", "\n", "\t", "\r\n  "}[random.nextInt(6)]);
    }

    private static void string(Random random, StringBuilder into) {
        into.append('"');
        for (int codePoint : randomText(random).codePoints().toArray()) {
            if (codePoint == '"' || codePoint == '\\' || codePoint < 0x20) {
                into.append(String.format("\\u%04x", codePoint));
            } else {
                into.appendCodePoint(codePoint);
            }
        }
        into.append(random.nextInt(5) == 0 ? "\\\"" : "").append('"');
    }
}
