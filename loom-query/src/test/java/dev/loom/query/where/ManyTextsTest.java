package dev.loom.query.where;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.format.Formats;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Expressions that ask whether any of many texts is within a field, which one pass finds. */
class ManyTextsTest {
    private static final String[] LETTERS = {"a", "b", "A", "é", "É", "\uD83D\uDE00", "\"", "\\", "/"};

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    private static Where.Predicate any(List<String> texts, boolean folded) {
        List<Where> terms = new ArrayList<>();
        for (String text : texts) {
            terms.add(folded ? new Where.ContainsIgnoringCase("line", text) : new Where.Contains("line", text));
        }
        return new Where.Or(terms).bind(Formats.parse("text"));
    }

    private static boolean test(Where.Predicate predicate, String line) {
        byte[] bytes = ("  " + line + "  ").getBytes(StandardCharsets.UTF_8);
        return predicate.test(new UnsafeBuffer(bytes), 2, bytes.length - 4);
    }

    private String text(int lengthMax) {
        StringBuilder text = new StringBuilder();
        int letters = 1 + random.nextInt(LETTERS.length);
        for (int i = random.nextInt(lengthMax + 1); i > 0; i--) {
            text.append(LETTERS[random.nextInt(letters)]);
        }
        return text.toString();
    }

    @Test
    void shouldFindAnyOfThem() {
        System.out.println("ManyTextsTest: -Dloom.test.seed=" + seed);
        int found = 0;
        for (int i = 0; i < 2_000; i++) {
            boolean folded = random.nextBoolean();
            List<String> texts = new ArrayList<>();
            for (int j = 2 + random.nextInt(20); j > 0; j--) {
                texts.add(text(6) + (random.nextInt(50) == 0 ? "" : LETTERS[random.nextInt(LETTERS.length)]));
            }
            Where.Predicate predicate = any(texts, folded);
            for (int j = 0; j < 10; j++) {
                String line = text(30);
                boolean expected = texts.stream()
                        .anyMatch(text -> folded
                                ? line.toLowerCase(Locale.ROOT).contains(text.toLowerCase(Locale.ROOT))
                                : line.contains(text));
                found += expected ? 1 : 0;
                assertEquals(expected, test(predicate, line), () -> "seed=" + seed + " " + texts + " in " + line);
            }
        }
        assertTrue(found > 1_000 && found < 19_000, "found=" + found);
    }

    @Test
    void shouldFindTextsWithinJsonAsPeopleSeeThem() {
        String any =
                "v contains \"one\" or v contains \"two\" or v contains \"three\" or v contains \"a/b\" or v contains"
                        + " \"é\" or v contains \"é two\"";
        Where.Predicate predicate = Where.parse(any).bind(Formats.json());
        for (String found : new String[] {"[\"a one\"]", "{\"x\":\"a\\/b\"}", "[\"\\u00e9\"]"}) {
            assertTrue(json(predicate, found), found);
        }
        assertFalse(json(predicate, "[\"on\",\"e\"]"));
        assertFalse(json(predicate, "12"));
    }

    private static boolean json(Where.Predicate predicate, String value) {
        byte[] bytes = ("{\"v\":" + value + "}").getBytes(StandardCharsets.UTF_8);
        return predicate.test(new UnsafeBuffer(bytes), 0, bytes.length);
    }

    @Test
    void shouldFindOneOfAThousandThatBeginAlike() {
        List<String> texts =
                IntStream.range(0, 1_000).mapToObj(i -> "a".repeat(i % 50) + i).toList();
        Where.Predicate predicate = any(texts, false);
        assertTrue(test(predicate, "a".repeat(100_000) + "949"));
        assertFalse(test(predicate, "a".repeat(100_000)));
        assertTrue(test(any(List.of("aab", "ab", "b", "abc", "", "x"), false), ""));
    }
}
