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
final class TextMatcherTest {
    private static final int QUERIES = Integer.getInteger("loom.test.where.expressions", 20_000);

    /** What no word has: some differ from a letter or a digit in one bit. */
    private static final List<String> SEPARATORS = List.of(
            " ", "=\n", "\0", "\u007F", "@", "[", "`", "{", "/", ":", "\u0010", "\u0019", "?\r", " \"-- ", "\u2713",
            "<\u0338");

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    /** Words of few letters, so that they are each other's beginnings, parts and ends; some of letters that fold to ASCII. */
    private String word() {
        return switch (random.nextInt(40)) {
            case 0 -> "\u212A"; // Kelvin, which is k
            case 1 -> "\u017F"; // long s, which is s
            case 2 -> "k\u00E9";
            case 3, 4, 5, 6 -> letters("kS_0", 8 + random.nextInt(24));
            case 7 -> letters("kkkkkkk7", 1 + random.nextInt(12));
            default -> letters("kKsS", 1 + random.nextInt(4));
        };
    }

    private String letters(String of, int count) {
        return random.ints(count, 0, of.length())
                .mapToObj(i -> of.substring(i, i + 1))
                .reduce("", String::concat);
    }

    private static String folded(String word) {
        return word.replace("\u212A", "k").replace("\u017F", "s").toLowerCase(Locale.ROOT);
    }

    /** A word, or one that differs from it in little. */
    private String near(String word) {
        int at = random.nextInt(word.length());
        return switch (random.nextInt(6)) {
            case 0 -> word.substring(0, at) + "x" + word.substring(at + 1);
            case 1 -> word + "x";
            case 2 -> word.substring(0, at + 1);
            default -> word;
        };
    }

    private TextQuery query(int depth, List<String> words) {
        switch (depth == 0 ? 9 : random.nextInt(10)) {
            case 0, 1 -> {
                return new TextQuery.And(List.of(query(depth - 1, words), query(depth - 1, words)));
            }
            case 2, 3 -> {
                return new TextQuery.Or(List.of(query(depth - 1, words), query(depth - 1, words)));
            }
            case 4 -> {
                return new TextQuery.Not(query(depth - 1, words));
            }
            default -> {
                List<String> tokens = new ArrayList<>();
                int at = random.nextInt(words.size());
                do {
                    boolean there = at < words.size() && random.nextInt(4) > 0;
                    tokens.add(folded(there ? near(words.get(at)) : word()));
                    at++;
                } while (random.nextInt(2) == 0);
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

    /** The words and separators between, before and behind them. */
    private String text(List<String> words) {
        StringBuilder text = new StringBuilder(random.nextBoolean() ? "" : separator());
        for (String word : words) {
            text.append(word).append(separator());
        }
        if (!words.isEmpty() && random.nextBoolean()) {
            int last = words.get(words.size() - 1).length();
            text.setLength(text.lastIndexOf(words.get(words.size() - 1)) + last);
        }
        return text.toString();
    }

    /** Mostly of ASCII. */
    private String separator() {
        int number = random.nextInt(SEPARATORS.size());
        return SEPARATORS.get(number >= SEPARATORS.size() - 2 && random.nextInt(8) > 0 ? 0 : number);
    }

    @Test
    void shouldMatchWhatHasTheWords() {
        System.out.println("TextMatcherTest: -Dloom.test.seed=" + seed);
        int held = 0;
        for (int i = 0; i < QUERIES; i++) {
            List<String> words = new ArrayList<>();
            for (int n = 1 + random.nextInt(12); n > 0; n--) {
                words.add(word());
            }
            TextQuery query = query(2, words);
            TextMatcher matcher = new TextMatcher(query);
            for (int j = 0; j < 3; j++) {
                String text = text(words);
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                // beside the text there is what would be found if it were looked at
                UnsafeBuffer around = new UnsafeBuffer(new byte[bytes.length + 80]);
                around.setMemory(0, around.capacity(), (byte) 'k');
                int offset = 32 + random.nextInt(16);
                around.putBytes(offset, bytes);
                List<String> all = words.stream().map(TextMatcherTest::folded).toList();
                boolean expected = holds(query, all);
                held += expected ? 1 : 0;
                assertEquals(
                        expected,
                        matcher.matches(around, offset, bytes.length),
                        () -> "seed=" + seed + " " + query + " in " + text + " " + Arrays.toString(bytes));
                words.set(random.nextInt(words.size()), word());
            }
        }
        assertTrue(held > QUERIES / 2 && held < QUERIES * 5 / 2, "held=" + held);
    }

    @Test
    void shouldNotSearchForEver() {
        String most = "a".repeat(255);
        for (String word : List.of("b" + "a".repeat(200), "a".repeat(100) + "b" + "a".repeat(100), most)) {
            for (String text : List.of("a".repeat(1 << 20), (most + "a ").repeat(4_096), "a".repeat(256) + "b")) {
                byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
                TextMatcher matcher = new TextMatcher(TextQuery.parse(word));
                assertFalse(matcher.matches(new UnsafeBuffer(bytes), 0, bytes.length));
            }
        }
    }

    @Test
    void shouldTellApartWordsOfTheGreatestLength() {
        String longest = "a".repeat(256);
        for (String text : List.of(longest, longest + "b", longest + "a".repeat(300), longest.substring(1))) {
            for (String ending : List.of("", " \u00E9")) { // by bytes and by tokens
                byte[] bytes = (text + ending).getBytes(StandardCharsets.UTF_8);
                UnsafeBuffer buffer = new UnsafeBuffer(bytes);
                TextMatcher word = new TextMatcher(TextQuery.parse(longest));
                TextMatcher beginning = new TextMatcher(TextQuery.parse(longest + "*"));
                assertEquals(text.equals(longest), word.matches(buffer, 0, bytes.length), text + ending);
                assertEquals(text.startsWith(longest), beginning.matches(buffer, 0, bytes.length), text + ending);
            }
        }
    }
}
