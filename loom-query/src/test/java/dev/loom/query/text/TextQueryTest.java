package dev.loom.query.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.query.match.TextMatcher;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class TextQueryTest {
    private static final String[] WORDS = {"a", "b", "ab", "aba", "error", "errors", "x1", "_", "and", "not", "é"};

    private static TextQuery word(String... tokens) {
        return new TextQuery.Phrase(List.of(tokens), false);
    }

    private static TextQuery prefix(String... tokens) {
        return new TextQuery.Phrase(List.of(tokens), true);
    }

    private static boolean matches(String query, String text) {
        return matches(new TextMatcher(TextQuery.parse(query)), text);
    }

    private static boolean matches(TextMatcher matcher, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return matcher.matches(new UnsafeBuffer(bytes), 0, bytes.length);
    }

    @Test
    void shouldParseByTheRulesOfBinding() {
        assertEquals(
                new TextQuery.And(List.of(
                        word("error"),
                        new TextQuery.Or(List.of(word("timeout"), prefix("refused"))),
                        new TextQuery.Not(word("retry", "later")))),
                TextQuery.parse("error AND (timeout OR refused*) NOT \"retry later\""));
        assertEquals(
                new TextQuery.Or(List.of(
                        new TextQuery.And(List.of(word("a"), word("b"))),
                        new TextQuery.And(List.of(new TextQuery.Not(word("c")), word("d"))))),
                TextQuery.parse("a b OR NOT c AND d"));
        assertEquals(new TextQuery.Not(new TextQuery.Not(word("a"))), TextQuery.parse("NOT NOT a"));
        assertEquals(word("retry", "later"), TextQuery.parse(" retry-later "));
        assertEquals(prefix("10", "0", "0"), TextQuery.parse("10.0.0*"));
        assertEquals(prefix("two", "wo"), TextQuery.parse("\"Two wo\"*"));
        assertEquals(
                new TextQuery.And(List.of(word("and"), word("or"), word("not"), word("android"))),
                TextQuery.parse("and or not ANDroid"));
        assertEquals(new TextQuery.And(List.of(word("a"), word("b"))), TextQuery.parse("a\"b\""));
        assertEquals(word("and"), TextQuery.parse("\"AND\""));
    }

    @Test
    void shouldTellWhatIsWrongAndWhere() {
        assertRefused("", 0, "expected a word");
        assertRefused("  ", 2, "expected a word");
        assertRefused("a AND", 5, "expected a word");
        assertRefused("OR a", 0, "expected a word");
        assertRefused("a OR AND b", 5, "expected a word");
        assertRefused("(a b", 4, "expected ) to close the group at 0");
        assertRefused("a ) b", 2, "unexpected )");
        assertRefused("( )", 2, "expected a word");
        assertRefused("a \"b", 2, "quote is not closed");
        assertRefused("a -- b", 2, "no letter");
        assertRefused("\"\"", 0, "no letter");
        assertRefused("*", 0, "no letter");
        assertRefused("a*b", 1, "only allowed at the end of a term");
        assertRefused("a** b", 1, "only allowed at the end of a term");
        assertRefused("a- -b-*", 6, "must follow a letter");
        assertRefused("deployed\u2714\uFE0F*", 10, "must follow a letter");
        assertRefused("deployed-\u0301*", 10, "must follow a letter");
    }

    @Test
    void shouldRefuseWhatOtherSearchesMeanByIt() {
        assertRefused("\"two* words\"", 4, "inside quotes");
        assertRefused("\"two word*\"", 9, "inside quotes");
        assertRefused("level:error", 5, "a text query names no fields");
        assertRefused("a service.name:\"two words\"", 14, "a text query names no fields");
        assertRefused("@status:>500", 7, "a text query names no fields");
        assertRefused("a level:(b OR c)", 7, "a text query names no fields");
        assertRefused("err?r", 3, "? is not a wildcard");
        assertRefused("eror~", 4, "fuzzy search is not supported");
        assertRefused("eror~2", 4, "fuzzy search is not supported");
        assertRefused("\"two words\"~3", 11, "fuzzy search is not supported");
        assertRefused("(a b)^2", 5, "boosts are not supported");
        assertRefused("a^2 b", 1, "boosts are not supported");
        assertRefused("ab*^3", 2, "only allowed at the end of a term");
        assertRefused("a||b", 1, "are written as words");
        assertRefused("a b&& c", 3, "are written as words");
    }

    @Test
    void shouldTakePunctuationOfTextsForWhatSeparatesWords() {
        assertEquals(word("select", "from"), TextQuery.parse("\"SELECT * FROM\""));
        assertEquals(word("level", "error"), TextQuery.parse("\"level:error\""));
        assertEquals(word("a", "b", "2"), TextQuery.parse("\"a?b~2\""));
        assertEquals(word("12", "30", "45"), TextQuery.parse("12:30:45"));
        assertEquals(word("http", "host", "80", "a", "b"), TextQuery.parse("http://host:80/a&b"));
        assertEquals(word("std", "vector"), TextQuery.parse("std::vector"));
        assertEquals(new TextQuery.And(List.of(word("error"), word("what"))), TextQuery.parse("error: what?"));
        assertEquals(word("home", "a"), TextQuery.parse("~home/a"));
    }

    private static void assertRefused(String query, int position, String problem) {
        QuerySyntaxException e = assertThrows(QuerySyntaxException.class, () -> TextQuery.parse(query), query);
        assertEquals(position, e.position(), e.getMessage());
        assertTrue(e.getMessage().contains(problem), e.getMessage());
    }

    @Test
    void shouldKeepToItsLimits() {
        TextQuery.parse("a".repeat(256));
        assertRefused("b " + "a".repeat(257), 2, "word is too long, length=257, max=256");
        TextQuery.parse('"' + "a ".repeat(64) + '"');
        assertRefused('"' + "a ".repeat(65) + '"', 0, "too many words, count=65, max=64");
        TextQuery.parse("(".repeat(64) + "a" + ")".repeat(64));
        assertRefused("(".repeat(65) + "a" + ")".repeat(65), 64, "nested too deeply, max=64");
        TextQuery.parse("NOT ".repeat(64) + "a");
        assertRefused("NOT ".repeat(65) + "a", 256, "nested too deeply, max=64");
        TextQuery.parse("a ".repeat(4_096));
        assertRefused("a ".repeat(4_096) + "a", 0, "too long, length=8193, max=8192");
    }

    @Test
    void shouldMatchWordsPhrasesAndBeginnings() {
        String text = "2026-11-21 ERROR connection refused by peer: retry later, retry now";
        assertTrue(matches("error", text));
        assertTrue(matches("error AND (timeout OR refus*)", text));
        assertTrue(!matches("error AND (timeout OR refused*) NOT \"retry later\"", text));
        assertTrue(matches("\"retry now\"", text));
        assertTrue(!matches("\"later now\"", text));
        assertTrue(!matches("err", text));
        assertTrue(matches("2026-11*", text));
        assertTrue(matches("\"a a b\"", "a a a b"));
        assertTrue(!matches("NOT a", "a"));
        assertTrue(matches("NOT a", ""));
        assertTrue(matches("\"ab ab\"*", "ab abc"));
        assertTrue(matches("\"ab ab\"*", "ab ab"));
        assertTrue(!matches("\"ab ab\"*", "abc ab"));
        String long64 = "a ".repeat(63) + "b";
        assertTrue(matches('"' + long64 + '"', "a " + long64));
        assertTrue(!matches('"' + long64 + '"', long64.substring(2)));
    }

    @Test
    void shouldLeaveOutWhatASignIsBefore() {
        assertEquals(TextQuery.parse("error NOT debug"), TextQuery.parse("error -debug"));
        assertEquals(TextQuery.parse("error NOT debug"), TextQuery.parse("+error !debug"));
        assertEquals(TextQuery.parse("a NOT \"b c\" NOT (d OR e)"), TextQuery.parse("a -\"b c\" AND -(+d OR e)"));
        assertEquals(TextQuery.parse("NOT NOT a"), TextQuery.parse("NOT -a"));
        assertEquals(TextQuery.parse("\"retry later\""), TextQuery.parse("retry-later"));
        assertEquals(TextQuery.parse("verbose a"), TextQuery.parse("--verbose a-"));
        assertRefused("a - b", 2, "no letter, digit or _");
        assertRefused("-".repeat(65) + "(", 0, "no letter, digit or _");
        assertRefused("-(".repeat(33) + "a" + ")".repeat(33), 64, "nested too deeply, max=64");
    }

    @Test
    void shouldFindOneOfManyWords() {
        String words = IntStream.range(0, 900).mapToObj(i -> "w" + i).collect(Collectors.joining(" OR "));
        TextMatcher any = new TextMatcher(TextQuery.parse(words));
        TextMatcher none = new TextMatcher(TextQuery.parse("NOT (" + words + ") x"));
        for (int i = 0; i < 1_000; i++) {
            assertEquals(i < 900, matches(any, "x w" + i + " y"));
            assertEquals(i >= 900, matches(none, "x w" + i + " y"));
        }
        assertTrue(!matches(any, "w w1000 w-"));
    }

    @Test
    void shouldEqualTheOracleAndParseWhatItPrints() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("TextQueryTest -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        int found = 0;
        for (int round = 0; round < 5_000; round++) {
            TextQuery query = query(random, 4);
            assertEquals(query, TextQuery.parse(query.toString()), () -> "seed=" + seed);
            TextMatcher matcher = new TextMatcher(query);
            for (int i = 0; i < 20; i++) {
                List<String> tokens = new ArrayList<>();
                for (int n = random.nextInt(8); n > 0; n--) {
                    tokens.add(WORDS[random.nextInt(WORDS.length)]);
                }
                String text = String.join(random.nextBoolean() ? " " : "/- ", tokens);
                boolean expected = holds(query, tokens);
                found += expected ? 1 : 0;
                String shown = random.nextBoolean() ? text : text.toUpperCase(Locale.ROOT);
                assertEquals(expected, matches(matcher, shown), () -> "seed=" + seed + ", " + query + ": " + shown);
            }
        }
        assertTrue(found > 10_000 && found < 90_000, "one-sided: found=" + found);
    }

    private static TextQuery query(Random random, int depth) {
        int kind = depth == 0 ? 3 : random.nextInt(5);
        if (kind == 0) {
            return new TextQuery.Not(query(random, depth - 1));
        }
        if (kind <= 2) {
            List<TextQuery> terms = new ArrayList<>();
            while (terms.size() < 2 || random.nextInt(3) == 0) {
                TextQuery term = query(random, depth - 1);
                if (kind == 1 ? !(term instanceof TextQuery.And) : !(term instanceof TextQuery.Or)) {
                    terms.add(term);
                }
            }
            return kind == 1 ? new TextQuery.And(terms) : new TextQuery.Or(terms);
        }
        String[] tokens = new String[random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 1];
        Arrays.setAll(tokens, i -> WORDS[random.nextInt(WORDS.length)]);
        return new TextQuery.Phrase(List.of(tokens), random.nextInt(4) == 0);
    }

    private static boolean holds(TextQuery query, List<String> tokens) {
        if (query instanceof TextQuery.And and) {
            return and.terms().stream().allMatch(term -> holds(term, tokens));
        }
        if (query instanceof TextQuery.Or or) {
            return or.terms().stream().anyMatch(term -> holds(term, tokens));
        }
        if (query instanceof TextQuery.Not not) {
            return !holds(not.term(), tokens);
        }
        TextQuery.Phrase phrase = (TextQuery.Phrase) query;
        if (!phrase.prefix()) {
            return Collections.indexOfSubList(tokens, phrase.tokens()) >= 0;
        }
        int last = phrase.tokens().size() - 1;
        for (int i = 0; i + last < tokens.size(); i++) {
            if (tokens.subList(i, i + last).equals(phrase.tokens().subList(0, last))
                    && tokens.get(i + last).startsWith(phrase.tokens().get(last))) {
                return true;
            }
        }
        return false;
    }
}
