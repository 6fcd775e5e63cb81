package dev.loom.query.where;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.format.Formats;
import dev.loom.query.match.RegexLiterals;
import dev.loom.query.text.QuerySyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Pattern;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Regular expressions against those of the JDK, and what is told of them against texts that they match. */
final class RegexTest {
    /** Stands for an opening brace, which RE2 takes as it is where it begins no repetition, and the JDK refuses. */
    private static final String BRACE = "\uE000";

    private static final int EXPRESSIONS = Integer.getInteger("loom.test.where.expressions", 20_000);

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    private static boolean holds(String expression, String line) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        return Where.parse(expression).bind(Formats.text()).test(new UnsafeBuffer(bytes), 0, bytes.length);
    }

    /** As a line of Latin-1, among those of UTF-8: a byte that is none of UTF-8 is a character by itself. */
    @Test
    void shouldFindWhatIsBesideBytesThatAreNotUtf8() {
        byte[] cafe = "caf\u00E9 ERROR".getBytes(StandardCharsets.ISO_8859_1);
        for (String found : List.of(
                "(?i)error", "\\bERROR\\b", "ERROR|FATAL", "^caf. ERROR$", "(?i)CAF", "caf\uFFFD ERR", "\uFFFD")) {
            Where where = Where.parse("line =~ \"" + found + "\"");
            assertTrue(where.bind(Formats.text()).test(new UnsafeBuffer(cafe), 0, cafe.length), found);
        }
        Where end = Where.parse("line =~ \"(?i)caf$\"");
        assertFalse(end.bind(Formats.text()).test(new UnsafeBuffer(cafe), 0, 4));
        assertTrue(end.bind(Formats.text()).test(new UnsafeBuffer(cafe), 0, 3));
    }

    /** An expression of which RE2 and the JDK think the same. */
    private String regex(int depth) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(5); i >= 0; i--) {
            text.append(atom(depth));
            text.append(
                    switch (random.nextInt(12)) {
                        case 0 -> "*";
                        case 1 -> "+";
                        case 2 -> "?";
                        case 3 -> "{0,2}";
                        case 4 -> "{2}";
                        case 5 -> "{1,}?";
                        default -> "";
                    });
        }
        return random.nextInt(4) == 0 ? text + "|" + (depth == 0 ? "b " : regex(depth - 1)) : text.toString();
    }

    private String atom(int depth) {
        return switch (random.nextInt(depth == 0 ? 15 : 18)) {
            case 0 -> ".";
            case 1 -> "[ab]";
            case 2 -> "[^]a-c]";
            case 3 -> "\\d";
            case 4 -> "\\.";
            case 5 -> "\\x41";
            case 6 -> "\\p{Lu}";
            case 7 -> " a ";
            case 8 -> "\\[";
            case 9 -> "[\\]x]";
            case 10 -> "\uD83D\uDE00";
            case 11 -> "-b1 ";
            case 12 -> "a";
            case 13 -> BRACE + "b";
            case 14 -> "}";
            case 15 -> "(?:" + regex(depth - 1) + ")";
            case 16 -> "(" + regex(depth - 1) + ")";
            default -> "\\Qa.\\E";
        };
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        String[] parts = {"a", "b", " a ", "A", "-b1 ", ".", "]", "[", "1", " ", "x", "\uD83D\uDE00", "a.", "{b", "}"};
        for (int i = random.nextInt(9); i > 0; i--) {
            text.append(parts[random.nextInt(parts.length)]);
        }
        return text.toString();
    }

    @Test
    void shouldFindWhatTheJdkFindsAndTellWhatThatHas() {
        System.out.println("RegexTest: -Dloom.test.seed=" + seed);
        int found = 0;
        int told = 0;
        int givenUp = 0;
        for (int i = 0; i < EXPRESSIONS; i++) {
            boolean ignoringCase = random.nextInt(5) == 0;
            String marked = (ignoringCase ? "(?i)" : "") + regex(2);
            String regex = marked.replace(BRACE, "{");
            Pattern ofJdk = Pattern.compile(marked.replace(BRACE, "\\{"));
            Where where = new Where.MatchesRegex("line", regex);
            assertEquals(where, Where.parse(where.toString()));
            Where.Predicate predicate = where.bind(Formats.text());
            RegexLiterals literals = RegexLiterals.of(regex);
            for (int j = 0; j < 5; j++) {
                String text = text();
                boolean expected;
                try {
                    expected = ofJdk.matcher(new Patience(text)).find();
                } catch (IllegalStateException e) {
                    givenUp++;
                    continue;
                }
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                assertEquals(
                        expected,
                        predicate.test(new UnsafeBuffer(bytes), 0, bytes.length),
                        () -> "seed=" + seed + " " + regex + " in " + text);
                if (expected && !literals.alternatives().isEmpty()) {
                    found++;
                    told += literals.alternatives().stream().allMatch(List::isEmpty) ? 0 : 1;
                    String cased = ignoringCase ? text.toLowerCase(Locale.ROOT) : text;
                    assertTrue(
                            literals.alternatives().stream()
                                    .anyMatch(all -> all.stream()
                                            .map(each -> ignoringCase ? each.toLowerCase(Locale.ROOT) : each)
                                            .allMatch(cased::contains)),
                            () -> "seed=" + seed + " " + regex + " in " + text + " has " + literals.alternatives());
                }
            }
        }
        assertTrue(found > EXPRESSIONS / 10 && told > found / 10, "found=" + found + ", told=" + told);
        assertTrue(givenUp < EXPRESSIONS / 100, "given up=" + givenUp + ", seed=" + seed);
    }

    /** A text on which the JDK's search ends, though some expressions would keep it busy for hours. */
    private static final class Patience implements CharSequence {
        private static final int READS_MAX = 1_000_000;

        private final String text;
        private int reads;

        Patience(String text) {
            this.text = text;
        }

        @Override
        public char charAt(int i) {
            if (++reads > READS_MAX) {
                throw new IllegalStateException("search takes too long: text=" + text);
            }
            return text.charAt(i);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.subSequence(start, end);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "error: timeout after \\d+ ms;[[error: timeout after ,  ms]]",
                "ab+c;[[ab, c]]",
                "ab*c;[[a, c]]",
                "ab?c|x;[[a, c], [x]]",
                "a(b|c)d;[[a, d]]",
                "a\\.b\\dc;[[a.b, c]]",
                "(?i)GET /;[[GET /]]",
                "a{2}b;[[b]]",
                "\\bfoo\\b;[[foo]]",
                "[a|b]c;[[c]]",
                "error{code=1|code=2};[[error, code=1], [code=2]]",
                "a{x}b{,2}c;[[a, x, b, ,2, c]]",
                "a{01}b{1;[[a, 01, b, 1]]",
                "a{1,2}b;[[b]]"
            })
    void shouldTellWhatMatchesHave(String regex, String expected) {
        assertEquals(expected, RegexLiterals.of(regex).alternatives().toString());
    }

    @Test
    void shouldFindAnywhereUnlessTheExpressionSaysOtherwise() {
        assertTrue(holds("line =~ 'time(out|r)'", "a timer"));
        assertFalse(holds("line !~ 'time(out|r)'", "a timer"));
        assertFalse(holds("line =~ '^time'", "a timer"));
        assertTrue(holds("line =~ '(?i)TIMER$' and line !~ 'b'", "a timer"));
        assertTrue(holds("line =~ ''", "a"));
        assertTrue(holds("line =~ '\\d\\.\\d \\'\\w+' and line == '1.5 \\'x'", "1.5 'x"));
        assertEquals(new Where.MatchesRegex("a", "\\\\."), Where.parse("a =~ '\\\\\\\\.'"));
    }

    @Test
    void shouldRefuseGroupsThatAreNestedTooDeeply() {
        String most = "(".repeat(100) + "a" + ")".repeat(100);
        assertTrue(holds("line =~ '" + most + "'", "a"));
        for (String deep : List.of("(" + most + ")", "x{(" + most + ")}", "(".repeat(8_000), "(?:".repeat(2_000))) {
            QuerySyntaxException thrown =
                    assertThrows(QuerySyntaxException.class, () -> Where.parse("line =~ '" + deep + "'"));
            assertTrue(thrown.getMessage().startsWith("regular expression is nested too deeply, max=100"));
        }
    }

    @Test
    void shouldTakeTimeInProportionToTheText() {
        assertFalse(holds("line =~ '(x+x+)+y'", "x".repeat(10_000)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "line =~ '(';8;not a regular expression: error parsing regexp: missing closing )",
                "line =~ '(?=a)';8;not a regular expression",
                "line =~ '((a{100}){100}){2}';8;regular expression is too large: states=",
                "line =~ 'x{(((a{1000}){1000}){1000})';8;regular expression is too large: states=",
                "line =~ 'x{((a{1000}){1000})}';8;regular expression is too large: states=",
                "line =~ 'a)';8;not a regular expression",
                "line =~ 1;8;expected a quoted regular expression, found 1",
                "line not =~ 'a';9;expected in between contains icontains or matches, found =~"
            })
    void shouldRefuseWhatIsNone(String expression, int position, String message) {
        QuerySyntaxException thrown = assertThrows(QuerySyntaxException.class, () -> Where.parse(expression));
        assertEquals(position, thrown.position());
        assertTrue(thrown.getMessage().startsWith(message), thrown.getMessage());
    }
}
