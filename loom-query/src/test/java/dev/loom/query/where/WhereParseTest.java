package dev.loom.query.where;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.ValueUnit;
import dev.loom.query.text.QuerySyntaxException;
import dev.loom.query.text.TextQuery;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WhereParseTest {
    private static final Where A = comparison("a", Operator.EQUAL, integer(1));
    private static final Where B = comparison("b", Operator.EQUAL, integer(2));
    private static final Where C = comparison("c", Operator.EQUAL, integer(3));

    @Test
    void shouldParseTheExampleOfTheCommandLine() {
        assertEquals(
                new Where.And(List.of(
                        comparison(
                                "latency_ns",
                                Operator.GREATER,
                                new Literal.Numeric(BigDecimal.valueOf(50_000_000), true, ValueUnit.NANOSECONDS)),
                        comparison("op", Operator.EQUAL, new Literal.Text("GET")))),
                Where.parse("latency_ns > 50ms and op == \"GET\""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a==1 or b==2 and c==3", "a == 1 or (b == 2 and c == 3)", "(a==1)OR((b==2)And c==3)"})
    void shouldBindAndCloserThanOr(String text) {
        assertEquals(new Where.Or(List.of(A, new Where.And(List.of(B, C)))), Where.parse(text));
    }

    @Test
    void shouldBindNotClosest() {
        assertEquals(new Where.And(List.of(new Where.Not(A), B)), Where.parse("not a==1 and b==2"));
        assertEquals(new Where.Not(new Where.And(List.of(A, B))), Where.parse("not (a==1 and b==2)"));
        assertEquals(new Where.Not(new Where.Not(A)), Where.parse("not NOT a==1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a==1 and b==2 and c==3", "(a==1 and b==2) and c==3", "a==1 and (b==2 and c==3)"})
    void shouldFlattenTermsOfOneKind(String text) {
        assertEquals(new Where.And(List.of(A, B, C)), Where.parse(text));
        assertEquals(new Where.Or(List.of(A, B, C)), Where.parse(text.replace("and", "or")));
    }

    @Test
    void shouldParseEveryKindOfCondition() {
        for (Operator operator : Operator.values()) {
            assertEquals(comparison("f", operator, integer(-5)), Where.parse("f" + operator.text() + "-5"));
        }
        assertEquals(
                new Where.In("op", List.of(new Literal.Text("GET"), integer(3), new Literal.Bool(false))),
                Where.parse("op in ('GET', 3, false)"));
        assertEquals(new Where.Contains("line", "a'b"), Where.parse("line contains \"a'b\""));
        assertEquals(
                new Where.Matches("line", TextQuery.parse("\"to do\" NOT done")),
                Where.parse("line matches '\"to do\" NOT done'"));
        assertEquals(comparison("f", Operator.NOT_EQUAL, new Literal.Bool(true)), Where.parse("f != TRUE"));
        assertEquals(
                new Where.NotIn("op", List.of(new Literal.Text("GET"), integer(3))),
                Where.parse("op NOT IN ('GET', 3)"));
        assertEquals(new Where.IsNull("f"), Where.parse("f is null"));
        assertEquals(new Where.Not(new Where.IsNull("f")), Where.parse("f IS NOT NULL"));
        assertEquals(new Where.ContainsIgnoringCase("f", "Ab"), Where.parse("f icontains 'Ab'"));
        for (String word : List.of("contains", "icontains", "matches")) {
            assertEquals(Where.parse("not f " + word + " 'a'"), Where.parse("f not " + word + " 'a'"));
        }
    }

    @Test
    void shouldTakeBetweenForTwoComparisons() {
        assertEquals(Where.parse("f >= 5ms and f <= 1s"), Where.parse("f between 5ms and 1s"));
        assertEquals(
                Where.parse("a == 1 and f >= 'a' and f <= 'b' and b == 2"),
                Where.parse("a == 1 and f between 'a' and 'b' and b == 2"));
        assertEquals(Where.parse("f < 1 or f > 1"), Where.parse("f not between 1 and 1"));
        assertEquals(Where.parse("b == 2 and (f < 1 or f > 5)"), Where.parse("b == 2 and f not between 1 and 5"));
        assertEquals(Where.parse("not (f >= 1 and f <= 5)"), Where.parse("not f between 1 and 5"));
    }

    @ParameterizedTest
    @CsvSource({
        "1ns, 1",
        "1us, 1000",
        "50ms, 50000000",
        "2s, 2000000000",
        "3m, 180000000000",
        "1h, 3600000000000",
        "4KiB, 4096",
        "2MiB, 2097152",
        "1GiB, 1073741824",
        "1TiB, 1099511627776",
        "7B, 7",
        "4kib, 4096",
        "3µs, 3000",
        "3μs, 3000",
        "2d, 172800000000000",
        "1h30m, 5400000000000",
        "-1h30m, -5400000000000",
        "+7, 7",
        "-7s, -7000000000",
        "007, 7",
        "18446744073709551616, 18446744073709551616"
    })
    void shouldMultiplyUnitIntoIntegralLiteral(String text, String value) {
        Where.Comparison parsed = (Where.Comparison) Where.parse("f<" + text);
        Literal.Numeric number = (Literal.Numeric) parsed.literal();
        assertEquals(new BigDecimal(value), number.value());
        assertTrue(number.integral());
        assertEquals(parsed, Where.parse(parsed.toString()));
    }

    @ParameterizedTest
    @CsvSource({"1.5us, 1500", "0.5ns, 0.5", "1.5GiB, 1610612736", "1e3, 1000", "1E-2, 0.01", "2.5e1ms, 25000000"})
    void shouldKeepFractionsDecimal(String text, String value) {
        Where.Comparison parsed = (Where.Comparison) Where.parse("f < " + text);
        Literal.Numeric number = (Literal.Numeric) parsed.literal();
        assertEquals(0, new BigDecimal(value).compareTo(number.value()));
        assertTrue(!number.integral());
        assertEquals(parsed, Where.parse(parsed.toString()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "http.route     | http.route",
                "a.0.b          | a.0.b",
                "@timestamp     | @timestamp",
                "user-agent     | user-agent",
                "_x9            | _x9",
                "`in`           | in",
                "`a b`          | a b",
                "```a```        | `a`",
                "`é`            | é",
                "android        | android",
                "nothing        | nothing"
            })
    void shouldTakeNamesWithDotsAndQuotes(String written, String name) {
        Where expected = comparison(name, Operator.EQUAL, integer(1));
        assertEquals(expected, Where.parse(written + " == 1"));
        assertEquals(expected, Where.parse(expected.toString()));
    }

    @Test
    void shouldDecodeEscapesOfTexts() {
        String decoded = "\"'\\\n\r\té\uD83D\uDE00`";
        assertEquals(
                comparison("f", Operator.EQUAL, new Literal.Text(decoded)),
                Where.parse("f == \"\\\"\\'\\\\\\n\\r\\t\\u00e9\uD83D\uDE00`\""));
        assertEquals(comparison("f", Operator.EQUAL, new Literal.Text("")), Where.parse("f == ''"));
        Where contains = new Where.Contains("f", decoded + "\u0007\u009b");
        assertEquals(contains, Where.parse(contains.toString()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "               | 0  | expected a field name, a number, not, or (, found the end",
                "a              | 1  | expected == != < <= > >= =~ !~ + - * / in between is contains icontains matches or not, found the end",
                "a ==           | 4  | expected a number, a field, a quoted string, true or false, found the end",
                "a == b c       | 7  | expected and, or, or the end, found c",
                "a == 1 b == 2  | 7  | expected and, or, or the end, found b",
                "a == 1 and     | 10 | expected a field name, a number, not, or (, found the end",
                "a > and b == 1 | 4  | expected a number, a field, a quoted string, true or false, found and",
                "1 == 2         | 0  | a comparison needs a field",
                "1 + 1 == 2     | 0  | a comparison needs a field",
                "a == 1 and 2 * (3 - 1) < 5 | 11 | a comparison needs a field",
                "1 == 'a'       | 5  | expected a number, a field or (, found 'a'",
                "1 is null      | 2  | expected == != < <= > >= + - * / in between or not, found is",
                "a + 1 is null  | 6  | expected == != < <= > >= + - * / in between or not, found is",
                "a + 1          | 5  | expected == != < <= > >= + - * / in between or not, found the end",
                "a + 1 not 5    | 10 | expected in or between, found 5",
                "a + 1 == true  | 9  | expected a number, a field or (, found true",
                "a + 1 == null  | 9  | expected a number, a field or (, found null",
                "a + 1 in (1, 'b') | 9 | a calculation can only be compared with numbers",
                "a + 'b' == 1   | 4  | expected a number, a field or (, found 'b'",
                "a +            | 3  | expected a number, a field or (, found the end",
                "a * > 5        | 4  | expected a number, a field or (, found >",
                "a / 0 > 5      | 4  | division by zero",
                "a / 0.0ms > 5  | 4  | division by zero",
                "(a + 1 > 5     | 10 | expected and, or, or ), found the end",
                "(a + 1         | 6  | expected == != < <= > >= + - * / in between or not, found the end",
                "(a + 1) contains 'b' | 6 | expected == != < <= > >= + - * / in between or not, found )",
                "(a + ) > 5     | 5  | expected a number, a field or (, found )",
                "(a > 1) + 2 > 5 | 3 | expected + - * / or ), found >",
                "a > 1 + 2 + true | 12 | expected a number, a field or (, found true",
                "a - -          | 5  | expected a number, a field or (, found the end",
                "a between 1 + 1 and 'b' | 10 | between takes two numbers or two strings",
                "a -- 5         | 6  | expected == != < <= > >= + - * / in between or not, found the end",
                "'a' == 1       | 0  | expected a field name, a number, not, or (, found 'a'",
                "in == 1        | 0  | expected a field name, a number, not, or (, found in",
                "(a == 1        | 7  | expected and, or, or ), found the end",
                "a == 1)        | 6  | expected and, or, or the end, found )",
                "()             | 1  | expected a field name, a number, not, or (, found )",
                "not            | 3  | expected a field name, a number, not, or (, found the end",
                "a = 1          | 2  | expected == instead of =",
                "a ! 1          | 2  | expected != or the word not",
                "!a             | 0  | expected != or the word not",
                "a == 1 && b==2 | 7  | unexpected character",
                "a == 1 # b     | 7  | unexpected character",
                "a === 1        | 4  | expected == instead of =",
                "a % 2 == 1     | 2  | unexpected character",
                "a <> 1         | 3  | expected a number, a field, a quoted string, true or false, found >",
                "a in 1         | 5  | expected (, found 1",
                "a in ()        | 6  | expected a number, a quoted string, true or false, found )",
                "a in (1        | 7  | expected , or ), found the end",
                "a in (1,)      | 8  | expected a number, a quoted string, true or false, found )",
                "a matches 1    | 10 | expected a quoted text query, found 1",
                "a matches \"(\" | 10 | expected a word, a phrase, NOT or (, found the end: position=1, query=(, in the text query",
                "a between 1    | 11 | expected and, found the end",
                "a between 1 or 2 | 12 | expected and, found or",
                "a between 2 and 1 | 10 | between takes the lower number first",
                "a between 1 and 'b' | 10 | between takes two numbers or two strings",
                "a between true and 1 | 10 | between takes two numbers or two strings",
                "a is 1         | 5  | expected null or not null, found 1",
                "a is not 1     | 9  | expected null, found 1",
                "a == null      | 2  | test for null with is null or is not null",
                "a not 1        | 6  | expected in between contains icontains or matches, found 1",
                "a not == 1     | 6  | expected in between contains icontains or matches, found ==",
                "a icontains 1  | 12 | expected a quoted string, found 1",
                "a == 1h5       | 6  | unknown unit, expected one of ns us ms s m h d B KiB MiB GiB TiB",
                "a == 1hKiB     | 6  | unknown unit, expected one of ns us ms s m h d B KiB MiB GiB TiB",
                "a == 1h5MiB    | 6  | unknown unit, expected one of ns us ms s m h d B KiB MiB GiB TiB",
                "a contains 1   | 11 | expected a quoted string, found 1",
                "a < true       | 2  | true and false can only be compared with == and !=",
                "a == 'x        | 7  | expected ' in the token that starts at 5",
                "a == 'x\\      | 8  | expected the rest of an escape in the token that starts at 5",
                "a == '\\q'     | 6  | unknown escape, expected one of \\\" \\' \\\\ \\n \\r \\t \\uXXXX",
                "a == '\\u12'   | 6  | expected four hexadecimal digits after \\u",
                "`a == 1        | 7  | expected ` in the token that starts at 0",
                "`` == 1        | 0  | field name is empty",
                "a == 5x        | 6  | unknown unit, expected one of ns us ms s m h d B KiB MiB GiB TiB",
                "a == 5_000     | 6  | unknown unit, expected one of ns us ms s m h d B KiB MiB GiB TiB",
                "a == 1.2.3     | 8  | unknown unit, expected one of ns us ms s m h d B KiB MiB GiB TiB",
                "a == 5kb       | 6  | unknown unit, expected one of ns us ms s m h d B KiB MiB GiB TiB",
                "a == 1e        | 6  | expected exponent digits",
                "a == 1e+x      | 6  | expected exponent digits",
                "a == 1e1000    | 6  | exponent is too large, max=999",
                "a == .5        | 5  | unexpected character",
                "a == -         | 6  | expected a number, a field or (, found the end"
            })
    void shouldNameThePlaceAndWhatWasExpected(String text, int position, String problem) {
        String expression = text == null ? "" : text;
        QuerySyntaxException e = assertThrows(QuerySyntaxException.class, () -> Where.parse(expression));
        assertEquals(position, e.position());
        assertEquals(
                problem + ": position=" + position + "\n" + expression + "\n" + " ".repeat(position) + "^",
                e.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "end - start > 5ms, end - start > 5000000ns",
        "bytes/1024>=10, bytes / 1024 >= 10",
        "a + b * c < d, a + b * c < d",
        "(a + b) * c < d, (a + b) * c < d",
        "((a + b)) * (c) < (d), (a + b) * c < d",
        "a - b - c == 0, a - b - c == 0",
        "a - (b - c) == 0, a - (b - c) == 0",
        "a / b / c == 0, a / b / c == 0",
        "a / (b * c) == 0, a / (b * c) == 0",
        "a * (b / c) == 0, a * (b / c) == 0",
        "a -5 > b, a - 5 > b",
        "a - -5 > b, a - -5 > b",
        "a * -5 > b, a * -5 > b",
        "a*2-1 > b, a * 2 - 1 > b",
        "2-1 < b-c, 2 - 1 < b-c",
        "5ms-3ms<a, 5000000ns - 3000000ns < a",
        "-a < b, -1 * a < b",
        "- -a < b, -1 * (-1 * a) < b",
        "-(a + b) < c, -1 * (a + b) < c",
        "-a - -b < c, -1 * a - -1 * b < c",
        "a > b, a > b",
        "`a b` > `in`, `a b` > `in`",
        "1 < a, a > 1",
        "1 == a, a == 1",
        "(a) == 'x', a == \"x\"",
        "a+1 between 2 and b, a + 1 >= 2 and a + 1 <= b",
        "a not between b and 5, a < b or a > 5",
        "a + 1 in (2), a + 1 == 2",
        "'a + 1 in (2, 3)', a + 1 == 2 or a + 1 == 3",
        "'a + 1 not in (2, 3)', a + 1 != 2 and a + 1 != 3",
        "'(a + 1) in (2) and (a == 1 or (b) > c)', a + 1 == 2 and (a == 1 or b > c)",
        "not (a + 1) > 5 or ((a) > 2 and (a + 2) * 3 > 4), not a + 1 > 5 or (a > 2 and (a + 2) * 3 > 4)",
        "a =~ 'x(' and b > 1, ",
    })
    void shouldParseCalculations(String written, String printed) {
        if (printed == null) {
            assertThrows(QuerySyntaxException.class, () -> Where.parse(written));
            return;
        }
        assertEquals(printed, Where.parse(written).toString());
        assertEquals(Where.parse(written), Where.parse(printed));
    }

    /** What the numbers of a comparison make together is never written out if it is too long. */
    @Test
    void shouldRefuseNumbersThatAreTooLargeToCalculateWith() {
        StringBuilder divided = new StringBuilder("1");
        for (int i = 10; i < 50; i++) {
            divided.append(" / 1.").append("3".repeat(10)).append(i).append("7e999");
        }
        for (String tooLarge : List.of(
                "v > " + divided, divided + " < v", "v between 1 and " + divided, "v * m / 1e999 * 1e-999 > 1")) {
            QuerySyntaxException e = assertThrows(QuerySyntaxException.class, () -> Where.parse(tooLarge));
            assertTrue(e.getMessage().startsWith("numbers of a calculation are too large: bits="), e.getMessage());
            assertTrue(e.getMessage().contains(", max=4096: position="), e.getMessage());
        }
        Where.parse("v > 1e999 and v > 1e999 and v between 1e999 and 2e999 and v * m / 1e999 > 1e100");
        Where.parse("v > 1" + "0".repeat(7_000));
    }

    @Test
    void shouldRefuseToCalculateTooMuchInAll() {
        String most = "a" + " * a".repeat(Formula.OPERANDS_MAX - 2) + " > b";
        String all = String.join(" or ", Collections.nCopies(16, most));
        Where.parse(all);
        for (String tooMuch : List.of(
                "a / b in (1" + ",1".repeat(1_365) + ")",
                all + " or a" + " * a".repeat(61) + " in (1" + ",1".repeat(48) + ")",
                String.join(" or ", Collections.nCopies(20, "a + 1e999 > b")))) {
            QuerySyntaxException e = assertThrows(QuerySyntaxException.class, () -> Where.parse(tooMuch));
            assertTrue(e.getMessage().startsWith("expression calculates too much: operands="), e.getMessage());
        }
        Where.parse("a / b in (1" + ",1".repeat(1_364) + ")");
    }

    @Test
    void shouldRefuseMoreOperandsThanLimit() {
        String most = "a" + " + a".repeat(Formula.OPERANDS_MAX - 2) + " > ";
        Where.parse(most + "b and " + most + "b");
        QuerySyntaxException e = assertThrows(QuerySyntaxException.class, () -> Where.parse(most + "b - c"));
        assertEquals(most.length() + 4, e.position());
        assertTrue(e.getMessage().startsWith("comparison has too many operands, max=64: position="), e.getMessage());
        Where.parse("-".repeat(Where.DEPTH_MAX - 2) + "a > b");
        assertThrows(QuerySyntaxException.class, () -> Where.parse("-".repeat(Where.DEPTH_MAX + 1) + "a > b"));
        Where.parse("(".repeat(Where.DEPTH_MAX) + "a + 1" + ")".repeat(Where.DEPTH_MAX) + "> b");
        assertThrows(
                QuerySyntaxException.class,
                () -> Where.parse("(".repeat(Where.DEPTH_MAX + 1) + "a" + ")".repeat(Where.DEPTH_MAX + 1) + "> b"));
    }

    @Test
    void shouldCutLongExpressionAroundThePlace() {
        String text = "x".repeat(100) + " ==\t\u001b\n" + " ".repeat(50) + "=" + "y".repeat(100);
        QuerySyntaxException e =
                assertThrows(QuerySyntaxException.class, () -> Where.parse(text.replace("\u001b", " ")));
        assertEquals(156, e.position());
        List<String> lines = e.getMessage().lines().toList();
        assertEquals(3, lines.size());
        assertEquals("..." + "xxxx ==" + " ".repeat(53) + "=" + "y".repeat(19) + "...", lines.get(1));
        assertEquals(" ".repeat(63) + "^", lines.get(2));
        assertTrue(assertThrows(QuerySyntaxException.class, () -> Where.parse("a \u001b[31m"))
                .getMessage()
                .chars()
                .noneMatch(c -> c == 0x1b));
    }

    @Test
    void shouldRefuseDeeperThanLimit() {
        int max = Where.DEPTH_MAX;
        assertEquals(A, Where.parse("(".repeat(max) + "a==1" + ")".repeat(max)));
        QuerySyntaxException tooDeep = assertThrows(
                QuerySyntaxException.class, () -> Where.parse("(".repeat(max + 1) + "a==1" + ")".repeat(max + 1)));
        assertEquals(max, tooDeep.position());
        assertTrue(tooDeep.getMessage().startsWith("expression is nested too deeply, max=64: position=64\n"));
        Where.parse("not ".repeat(max) + "a==1");
        assertThrows(QuerySyntaxException.class, () -> Where.parse("not ".repeat(max + 1) + "a==1"));
        assertThrows(QuerySyntaxException.class, () -> Where.parse("(not ".repeat(max / 2) + "((a==1"));
        Where.parse("((a==1)) and ".repeat(200) + "((a==1))"); // depth, not number
        assertThrows(QuerySyntaxException.class, () -> Where.parse("(".repeat(Where.LENGTH_MAX)));
    }

    @Test
    void shouldRefuseLongerThanLimit() {
        assertEquals(A, Where.parse("a==1" + " ".repeat(Where.LENGTH_MAX - 4)));
        QuerySyntaxException e =
                assertThrows(QuerySyntaxException.class, () -> Where.parse("a==1" + " ".repeat(Where.LENGTH_MAX - 3)));
        assertTrue(e.getMessage().startsWith("expression is too long: length=8193, max=8192\n"));
    }

    @Test
    void shouldTakeNumbersAsLongAsAnExpression() {
        String digits = "9".repeat(Where.LENGTH_MAX - 3);
        assertEquals(
                comparison("a", Operator.LESS, new Literal.Numeric(new BigDecimal(digits), true)),
                Where.parse("a< " + digits));
    }

    @Test
    void shouldRefuseTreesThatNoExpressionGives() {
        assertThrows(IllegalArgumentException.class, () -> new Where.And(List.of(A)));
        assertThrows(IllegalArgumentException.class, () -> new Where.Or(List.of()));
        assertThrows(IllegalArgumentException.class, () -> new Where.In("a", List.of()));
        assertThrows(IllegalArgumentException.class, () -> comparison("a", Operator.LESS, new Literal.Bool(true)));
        assertThrows(IllegalArgumentException.class, () -> new Literal.Numeric(new BigDecimal("1.0"), true));
    }

    private static Where comparison(String field, Operator operator, Literal literal) {
        return new Where.Comparison(field, operator, literal);
    }

    private static Literal integer(long value) {
        return new Literal.Numeric(BigDecimal.valueOf(value), true);
    }
}
