package dev.loom.query.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.query.match.TextMatcher;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Queries of one to many words over texts of any length, against lists of their words: whatever way a matcher takes. */
final class RequiredWordsTest {
    private static final int QUERIES = Integer.getInteger("loom.test.where.expressions", 20_000);

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    /** Words of two letters of each other's, and of letters that fold to ASCII. */
    private String word() {
        int kind = random.nextInt(30);
        return kind == 0
                ? "\u212A" // Kelvin, which is k
                : kind == 1
                        ? "\u017F" // long s, which is s
                        : random.ints(1 + random.nextInt(4), 0, 4)
                                .mapToObj(i -> "kKsS".substring(i, i + 1))
                                .reduce("", String::concat);
    }

    private static String folded(String word) {
        return word.replace("\u212A", "k").replace("\u017F", "s").toLowerCase(Locale.ROOT);
    }

    private TextQuery query(int depth) {
        switch (depth == 0 ? 9 : random.nextInt(10)) {
            case 0, 1 -> {
                return new TextQuery.And(List.of(query(depth - 1), query(depth - 1)));
            }
            case 2, 3 -> {
                return new TextQuery.Or(List.of(query(depth - 1), query(depth - 1)));
            }
            case 4 -> {
                return new TextQuery.Not(query(depth - 1));
            }
            default -> {
                List<String> tokens = new ArrayList<>();
                do {
                    tokens.add(folded(word()));
                } while (random.nextInt(4) == 0);
                return new TextQuery.Phrase(tokens, random.nextInt(3) == 0);
            }
        }
    }

    private static boolean holds(TextQuery query, List<String> words) {
        if (query instanceof TextQuery.And and) {
            return and.terms().stream().allMatch(term -> holds(term, words));
        } else if (query instanceof TextQuery.Or or) {
            return or.terms().stream().anyMatch(term -> holds(term, words));
        } else if (query instanceof TextQuery.Not not) {
            return !holds(not.term(), words);
        }
        TextQuery.Phrase phrase = (TextQuery.Phrase) query;
        int last = phrase.tokens().size() - 1;
        return IntStream.range(0, words.size() - last)
                .anyMatch(at -> IntStream.rangeClosed(0, last)
                        .allMatch(i -> (i == last && phrase.prefix())
                                ? words.get(at + i).startsWith(phrase.tokens().get(i))
                                : words.get(at + i).equals(phrase.tokens().get(i))));
    }

    @Test
    void shouldMatchWhatHasTheWords() {
        System.out.println("RequiredWordsTest: -Dloom.test.seed=" + seed);
        int held = 0;
        for (int i = 0; i < QUERIES; i++) {
            TextQuery query = query(2);
            TextMatcher matcher = new TextMatcher(query);
            for (int j = 0; j < 4; j++) {
                List<String> words = new ArrayList<>();
                for (int n = random.nextInt(8); n > 0; n--) {
                    words.add(word());
                }
                String text = String.join(random.nextBoolean() ? " " : "=\n", words);
                byte[] bytes = (random.nextInt(5) + " " + text).getBytes(StandardCharsets.UTF_8);
                List<String> all = new ArrayList<>(Arrays.asList(new String(bytes, 0, 1, StandardCharsets.US_ASCII)));
                words.forEach(word -> all.add(folded(word)));
                boolean expected = holds(query, all);
                held += expected ? 1 : 0;
                assertEquals(
                        expected,
                        matcher.matches(new UnsafeBuffer(bytes), 0, bytes.length),
                        () -> "seed=" + seed + " " + query + " in " + text);
            }
        }
        assertTrue(held > QUERIES / 2 && held < QUERIES * 7 / 2, "held=" + held);
    }

    @Test
    void shouldNotSearchForEver() {
        byte[] bytes = "a".repeat(1 << 20).getBytes(StandardCharsets.US_ASCII);
        TextMatcher matcher = new TextMatcher(TextQuery.parse("b" + "a".repeat(200)));
        assertFalse(matcher.matches(new UnsafeBuffer(bytes), 0, bytes.length));
    }
}
