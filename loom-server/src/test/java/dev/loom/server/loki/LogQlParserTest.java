package dev.loom.server.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.server.http.ApiFailure;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LogQlParserTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '\u00a7',
            quoteCharacter = '\u0001',
            value = {
                "{source=\"a\"}\u00a7{source=\"a\"}",
                "  { source = `a\\b` , level!=\"x\" }  \u00a7{source=\"a\\\\b\", level!=\"x\"}",
                "{source=~\"a|b\"} |= \"x\" or `y` != \"z\"\u00a7{source=~\"a|b\"} |= \"x\" or \"y\" != \"z\"",
                "{source=\"a\"} |~ \"x.*\" !~ \"y\"\u00a7{source=\"a\"} |~ \"x.*\" !~ \"y\"",
                "{source=\"a\"} | json | n > 5 and s=\"t\" or d<=1h30m\u00a7"
                        + "{source=\"a\"} | json | ((n>5 and s=\"t\") or d<=5400000000000ns)",
                "{source=\"a\"} | a=\"1\", b=2 c!=3kb\u00a7{source=\"a\"} | ((a=\"1\" and b==2) and c!=3000B)",
                "{source=\"a\"} | json x=\"a.b[0]\", y=`[\"c d\"]` | x=1\u00a7"
                        + "{source=\"a\"} | json x=\"a.b.0\", y=\"c d\" | x==1",
                "{source=\"a\"} | drop __error__\u00a7{source=\"a\"} | drop __error__",
                "count_over_time({source=\"a\"}[5m])\u00a7count_over_time({source=\"a\"} [300000000000ns])",
                "rate({source=\"a\"} [1m] |= \"x\")\u00a7rate({source=\"a\"} |= \"x\" [60000000000ns])",
                "rate({source=\"a\"} [1m] offset 5s)\u00a7rate({source=\"a\"} [60000000000ns] offset 5000000000ns)",
                "sum by (level) (rate({source=\"a\"}[1s]))\u00a7sum by (level) (rate({source=\"a\"} [1000000000ns]))",
                "sum(rate({source=\"a\"}[1s])) without (level)\u00a7sum without (level) (rate({source=\"a\"} [1000000000ns]))",
                "topk(3, rate({source=\"a\"}[1s]))\u00a7topk(3, rate({source=\"a\"} [1000000000ns]))",
                "quantile_over_time(0.99, {source=\"a\"} | unwrap x [1s]) by (k)\u00a7"
                        + "quantile_over_time(0.99, {source=\"a\"} | unwrap x [1000000000ns]) by (k)",
                "SUM BY (Level) (Rate({source=\"a\"} |= \"X\" OR \"OR\" | JSON | N > 5 AND s=\"By\" Or d=1 [1s] OFFSET 5s))\u00a7"
                        + "sum by (Level) (rate({source=\"a\"} |= \"X\" or \"OR\" | json | ((N>5 and s=\"By\") or d==1)"
                        + " [1000000000ns] offset 5000000000ns))",
                "max_over_time({source=\"a\"} | Drop __error__ | UNWRAP X [1s]) WITHOUT (By)\u00a7"
                        + "max_over_time({source=\"a\"} | drop __error__ | unwrap X [1000000000ns]) without (By)",
                "vector(1)+vector(1)\u00a7(vector(1) + vector(1))",
                "1 + 2 * 3 ^ 2 ^ 1\u00a7(1 + (2 * (3 ^ (2 ^ 1))))",
                "8 - 2 - 1\u00a7((8 - 2) - 1)",
                "-1.5e3\u00a7-1500",
                "(rate({source=\"a\"}[1s])) / 2\u00a7(rate({source=\"a\"} [1000000000ns]) / 2)",
            })
    void shouldParseWhatItPrints(String query, String printed) {
        LogQl parsed = LogQlParser.parse(query);
        assertEquals(printed, parsed.toString());
        assertEquals(printed, LogQlParser.parse(printed).toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '\u00a7',
            quoteCharacter = '\u0001',
            value = {
                "{source=\"a\"\u00a7line 1, col 12: unexpected the end, expected }",
                "{}\u00a7line 1, col 1: queries require at least one regexp or equality matcher",
                "{source=~\".*\"}\u00a7line 1, col 1: queries require at least one",
                "{source!=\"a\"}\u00a7line 1, col 1: queries require at least one",
                "{source=\"\"}\u00a7line 1, col 1: queries require at least one",
                "{source=~\"(\"}\u00a7line 1, col 10: not a regular expression",
                "{source=~\"a)|(b\"}\u00a7line 1, col 10: not a regular expression",
                "{source=`a\u00a7line 1, col 9: string has no end",
                "{source=\"a\"} |> \"x\"\u00a7line 1, col 14: not supported: |>",
                "{source=\"a\"} | logfmt\u00a7line 1, col 16: not supported: logfmt",
                "{source=\"a\"} | line_format \"{{.x}}\"\u00a7line 1, col 16: not supported: line_format",
                "{source=\"a\"} | label_format x=y\u00a7line 1, col 16: not supported: label_format",
                "{source=\"a\"} | drop x\u00a7line 1, col 21: only __error__ can be dropped: x",
                "{source=\"a\"} | x=ip(\"1.2.3.4\")\u00a7line 1, col 18: not supported: ip",
                "{source=\"a\"} | x \u00a7line 1, col 16: not supported: x",
                "{source=\"a\"} | x =~ 5\u00a7line 1, col 18: unexpected =~, expected a comparison",
                "{source=\"a\"} | x > \"a\"\u00a7line 1, col 20: unexpected \"a\", expected a string",
                "{source=\"a\"} | x > 5q\u00a7line 1, col 20: not a number, a duration or a size: 5q",
                "{source=\"a\"} | json x=\"a..b\"\u00a7line 1, col 23: not a path: a..b",
                "{source=\"a\"} | json x=\"a['b']\"\u00a7line 1, col 23: not a path: a['b']",
                "{source=\"a\"} | json x=`[\"]`\u00a7line 1, col 23: not a path: [\"]",
                "{source=\"a\"} | json x=\"\"\u00a7line 1, col 23: path is empty",
                "sum({source=\"a\"})\u00a7line 1, col 5: unexpected {, expected a query",
                "count_over_time({source=\"a\"})\u00a7line 1, col 29: unexpected ), expected [",
                "count_over_time({source=\"a\"}[0s])\u00a7line 1, col 30: not a duration, or out of range: 0s",
                "count_over_time({source=\"a\"}[999999y])\u00a7line 1, col 30: not a duration, or out of range",
                "count_over_time({source=\"a\"}[5])\u00a7line 1, col 30: not a duration, or out of range: 5",
                "count_over_time({source=\"a\"} | unwrap x [5s])\u00a7line 1, col 1: invalid aggregation count_over_time with unwrap",
                "sum_over_time({source=\"a\"}[5s])\u00a7line 1, col 1: invalid aggregation sum_over_time without unwrap",
                "sum_over_time({source=\"a\"} | unwrap duration(x) [5s])\u00a7line 1, col 37: not supported: duration",
                "sum_over_time({source=\"a\"} | unwrap x | x > 5 [5s])\u00a7line 1, col 39: not supported: stages behind unwrap",
                "rate({source=\"a\"}[5s]) by (x)\u00a7line 1, col 24: grouping not allowed for rate aggregation",
                "quantile_over_time(2, {source=\"a\"} | unwrap x [5s])\u00a7line 1, col 20: quantile is not from 0 to 1: 2",
                "topk(0, rate({source=\"a\"}[5s]))\u00a7line 1, col 6: not from 1 to 500: 0",
                "topk(1.5, rate({source=\"a\"}[5s]))\u00a7line 1, col 6: not from 1 to 500: 1.5",
                "bytes_over_time({source=\"a\"}[5s])\u00a7line 1, col 1: not supported: bytes_over_time",
                "rate({source=\"a\"}[5s]) > 1\u00a7line 1, col 24: not supported: >",
                "rate({source=\"a\"}[5s]) + on (x) rate({source=\"a\"}[5s])\u00a7line 1, col 26: not supported: on",
                "rate({source=\"a\"}[5s]) or vector(0)\u00a7line 1, col 24: not supported: or",
                "rate({source=\"a\"}[5s]) OR vector(0)\u00a7line 1, col 24: not supported: OR",
                "{source=\"a\"} | LOGFMT\u00a7line 1, col 16: not supported: LOGFMT",
                "1 2\u00a7line 1, col 3: unexpected 2, expected the end",
                "sum(1)\u00a7line 1, col 1: a number is no series",
                "-5s\u00a7line 1, col 2: number has a unit: 5s",
                "1 + 5s\u00a7line 1, col 5: number has a unit: 5s",
                "1e999999999999\u00a7line 1, col 1: not a number",
                "{source=~\"\\\\Qa\"}\u00a7line 1, col 10: ",
                "{source=\"a\"} | x=~\"\\\\Qa\"\u00a7line 1, col 19: ",
                "{source=\"\\q\"}\u00a7line 1, col 10: unknown escape \\q",
                "{source=\"\\uZZZZ\"}\u00a7line 1, col 12: not a character's number",
            })
    void shouldRefuseWithThePlace(String query, String message) {
        ApiFailure refused = assertThrows(ApiFailure.class, () -> LogQlParser.parse(query));
        assertEquals(400, refused.status());
        assertTrue(String.valueOf(refused.getMessage()).startsWith("parse error at " + message), refused.getMessage());
    }

    @Test
    void shouldCountLinesAndSkipNotes() {
        assertEquals(
                "{source=\"a\"}", LogQlParser.parse("# note\n{source=\"a\"}").toString());
        ApiFailure refused = assertThrows(ApiFailure.class, () -> LogQlParser.parse("\n\n  !"));
        assertEquals("parse error at line 3, col 3: unexpected character EXCLAMATION MARK", refused.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"(", "sum(", "1 ^ ", "-", "{source=\"a\"} | (", "{source=\"a\"} | json | (x=1 and "})
    void shouldRefuseWhatIsDeepOrLong(String part) {
        assertThrows(ApiFailure.class, () -> LogQlParser.parse(part.repeat(10_000)));
        assertThrows(ApiFailure.class, () -> LogQlParser.parse(part.repeat(200)));
    }

    /** Whatever comes, it is parsed or refused. */
    @Test
    void shouldParseOrRefuseAnything() {
        String alphabet = "{}()[]|=~!\"`,<>+-*/%^.0123456789aesmhdk_\\\n# ";
        String[] words = {
            "{source=\"a\"}", "rate", "sum", "by", "| json", "| unwrap x", "[5m]", "(", ")", "offset 1m", "1e5"
        };
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder query = new StringBuilder();
            for (int n = random.nextInt(30); n >= 0; n--) {
                query.append(
                        random.nextInt(3) == 0
                                ? words[random.nextInt(words.length)]
                                : alphabet.charAt(random.nextInt(alphabet.length())));
            }
            try {
                String printed = LogQlParser.parse(query.toString()).toString();
                assertEquals(printed, LogQlParser.parse(printed).toString(), "seed=" + seed + ", query=" + query);
            } catch (ApiFailure e) {
                assertEquals(400, e.status(), "seed=" + seed + ", query=" + query);
            }
        }
    }
}
