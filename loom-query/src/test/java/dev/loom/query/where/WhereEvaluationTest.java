package dev.loom.query.where;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WhereEvaluationTest {
    @ParameterizedTest
    @CsvSource({
        "9007199254740993, f == 9007199254740993, true",
        "9007199254740993, f == 9007199254740992, false",
        "9007199254740993, f > 9007199254740992, true",
        "9007199254740993, f < 9007199254740994, true",
        "9007199254740993, f > 9007199254740992.5, true",
        "9007199254740993, f == 9007199254740993.0, true",
        "9007199254740992.0, f == 9007199254740992, true",
        "9007199254740992.0, f == 9007199254740993, false",
        "9007199254740992.0, f < 9007199254740993, true",
        "9007199254740992.0, f > 9007199254740991, true",
        "9007199254740992.0, f == 9007199254740993.0, true",
        "-9007199254740992.0, f > -9007199254740993, true",
        "9223372036854775807, f == 9223372036854775807, true",
        "9223372036854775807, f < 9223372036854775808, true",
        "9223372036854775808, f > 9223372036854775807, true",
        "9223372036854775808, f == 9223372036854775808, true",
        "9223372036854775808, f < 9223372036854775808.5, true",
        "9223372036854775808.0, f == 9223372036854775808, true",
        "18446744073709551615, f == 18446744073709551615, true",
        "18446744073709551615, f < 18446744073709551616, true",
        "18446744073709551615, f > 18446744073709551614, true",
        "18446744073709551615, f > -1, true",
        "18446744073709551616, f > 18446744073709551615, true",
        "18446744073709551616, f == 18446744073709551616, true",
        "-9223372036854775808, f == -9223372036854775808, true",
        "-9223372036854775808, f > -9223372036854775809, true",
        "-9223372036854775808, f < -9223372036854775807, true",
        "0, f == -0.0, true",
        "-0.0, f == 0, true",
        "-0.0, f < 0, false",
        "-0.0, f >= 0.0, true",
        "1, f > 0.5, true",
        "-1, f < -0.5, true",
        "-1, f > -1.5, true",
        "0.1, f == 0.1, true",
        "1e23, f == 1e23, true",
        "0.1, f == 1e-1, true",
        "1.7976931348623157e308, f < 1e309, true",
        "1e999, f > 1e309, true",
        "1e999, f == 1e309, false",
        "-1e999, f < -1e309, true",
        "-1.7976931348623157e308, f > -1e309, true",
        "5e-324, f > 1e-999, true",
        "0, f == 1e-999, false",
        "0, f < 1e-999, true",
        "1000, f == 1e3, true",
        "50000000, f >= 50ms, true",
        "1536, f == 1.5KiB, true"
    })
    void shouldCompareNumbersWithoutLoss(String value, String expression, boolean expected) {
        assertEquals(expected, testJson(expression, "{\"f\":" + value + "}"));
        assertEquals(!expected, testJson("not " + expression, "{\"f\":" + value + "}"));
    }

    @ParameterizedTest
    @CsvSource({
        "a_ms > 50ms, 51, true",
        "a_ms > 50ms, 50, false",
        "a_ms == 1.5ms, 1.5, true",
        "a_us >= 1h30m, 5400000000, true",
        "a_s == 50ms, 0.05, true",
        "a_s < 1ns, 0, true",
        "a_s in (1m), 60, true",
        "a_s not in (1m), 60, false",
        "a_s between 1s and 1m, 60, true",
        "a_ns == 50ms, 50000000, true",
        "a_bytes == 2KiB, 2048, true",
        "not a_ms > 50ms, 51, false",
        "a_ms > 50, 51, true",
        "a == 50ms, 50000000, true"
    })
    void shouldCompareInTheUnitOfTheField(String expression, String value, boolean expected) {
        String field = expression.replace("not a_", "a_").replaceAll(" .*", "");
        assertEquals(expected, testJson(expression, "{\"" + field + "\":" + value + "}"));
    }

    @Test
    void shouldRefuseTheUnitOfAnotherDimension() {
        IllegalArgumentException time =
                assertThrows(IllegalArgumentException.class, () -> testJson("a_bytes > 5ms", "{}"));
        assertEquals("units can't be compared: field=a_bytes, unit=By, literal=5000000ns", time.getMessage());
        IllegalArgumentException bytes =
                assertThrows(IllegalArgumentException.class, () -> testJson("a_ms in (5KiB)", "{}"));
        assertEquals("units can't be compared: field=a_ms, unit=ms, literal=5120B", bytes.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "tags == 'b'                       | true",
                "tags == 'c'                       | false",
                "tags != 'b'                       | true",
                "not tags == 'b'                   | false",
                "tags in ('x', 'a')                | true",
                "tags in ('u', 'v', 'w', 'x', 'y', 'b') | true",
                "ports in (1, 2, 3, 4, 5, 443)     | true",
                "ports in (1, 2, 3, 4, 5, 6)       | false",
                "tags not in ('x', 'a')            | false",
                "tags not in ('x', 'y')            | true",
                "ports > 400                       | true",
                "ports > 500                       | false",
                "ports < 100 and ports > 400       | true",
                "flags == true                     | true",
                "events.name == 'timeout'          | true",
                "events.name contains 'time'       | true",
                "events.name == 'other'            | false",
                "events.at > 1                     | true",
                "events.at > 2                     | false",
                "tags contains 'b'                 | true",
                "tags icontains 'B'                | true",
                "events contains 'timeout'         | true",
                "events contains '\"at\":2'         | true",
                "events contains 'say \"no\"'       | true",
                "events contains 'say \\\\\"no'       | true",
                "events matches 'nextline'         | true",
                "events matches 'nnextline'        | false",
                "events contains 'nothing'         | false",
                "events is null                    | false",
                "events.none is null               | true",
                "empty == 1                        | false",
                "object == 'a'                     | false",
            })
    void shouldLookIntoArraysAndObjects(String expression, boolean expected) {
        String document = "{\"tags\":[\"a\",\"b\"],\"ports\":[80,[443]],\"flags\":[false,true],\"empty\":[],"
                + "\"object\":{\"a\":1},\"events\":[{\"name\":\"start\",\"at\":1},"
                + "{ \"name\" : \"timeout\", \"at\" : 2, \"text\":\"say \\\"no\\\"\\nnextline\"}]}";
        assertEquals(expected, testJson(expression, document));
    }

    @Test
    void shouldCompareUnsignedFieldAtItsEnds() {
        StructFormat format = Formats.struct("f:u64");
        for (long bits : new long[] {0, 1, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 1, -2, -1}) {
            String value = Long.toUnsignedString(bits);
            UnsafeBuffer payload = payload(format, writer -> writer.setUnsigned(0, bits));
            assertTrue(test("f == " + value, format, payload));
            assertFalse(test("f != " + value, format, payload));
            // nothing is less than the least, or greater than the greatest: such a comparison is refused
            assertFalse(bits != 0 && test("f < " + value, format, payload));
            assertFalse(bits != -1 && test("f > " + value, format, payload));
            assertTrue(test("f >= " + value + " and f <= " + value, format, payload));
            assertEquals(bits != -1, test("f < 18446744073709551615", format, payload));
            assertEquals(bits != 0, test("f > 0", format, payload));
            assertEquals(bits < 0, test("f > 9223372036854775807", format, payload));
        }
    }

    @Test
    void shouldTakeLiteralAsNearestValueOfTheFieldsType() {
        StructFormat format = Formats.struct("f:f32,d:f64");
        UnsafeBuffer payload = payload(format, writer -> {
            writer.setDouble(0, 0.1f);
            writer.setDouble(1, 0.1);
        });
        assertTrue(test("f == 0.1 and d == 0.1", format, payload));
        assertFalse(test("f > 0.1 or f < 0.1 or d > 0.1 or d < 0.1", format, payload));
        assertTrue(test("d != 0.10000000149011612", format, payload));
        UnsafeBuffer large = payload(format, writer -> {
            writer.setDouble(0, 16777216f);
            writer.setDouble(1, 16777216);
        });
        assertTrue(test("f == 16777216 and f < 16777217 and f == 16777217.0", format, large));
        assertTrue(test("f < 1e39 and f > -1e39", format, large));
    }

    @Test
    void shouldHoldForNotEqualAloneWhenValueIsNaN() {
        StructFormat format = Formats.struct("f:f64");
        UnsafeBuffer payload = payload(format, writer -> writer.setDouble(0, Double.NaN));
        assertTrue(test("f != 0", format, payload));
        assertTrue(test("f != 1e309", format, payload));
        assertFalse(test("f == 0 or f < 0 or f <= 0 or f > 0 or f >= 0 or f in (0, 1)", format, payload));
        UnsafeBuffer infinity = payload(format, writer -> writer.setDouble(0, Double.POSITIVE_INFINITY));
        assertTrue(test("f > 1e308 and f > 1e999 and f != 1e999", format, infinity));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "s == 'b'              | true",
                "s != 'b'              | false",
                "s < 'b'               | false",
                "s < 'ba'              | true",
                "s > ''                | true",
                "s > 'a'               | true",
                "s >= 'b' and s <= 'b' | true",
                "s == 'B'              | false",
                "s in ('a', 'b')       | true",
                "s in ('a', 'c')       | false",
                "s in (1, true, 'b')   | true",
                "s contains 'b'        | true",
                "s contains ''         | true",
                "s contains 'bb'       | false",
                "e == ''               | true",
                "e contains ''         | true",
                "e contains 'a'        | false",
                "u > 'z'               | true",
                "u < '\uD83D\uDE00'    | true",
                "u contains 'é'        | true",
                "u contains '\uFFFD'   | true",
                "s not in ('a', 'c')   | true",
                "s not in ('a', 'b')   | false",
                "s not in (1, 2)       | false",
                "s not in (1, 'c')     | true",
                "none not in ('a')     | false",
                "n not in (2, 3)       | true",
                "n not in (true)       | false",
                "t not in (false)      | true",
                "n between 1 and 2     | true",
                "n between 1.5 and 2   | false",
                "n not between 2 and 3 | true",
                "none not between 2 and 3 | false",
                "s between 'a' and 'b' | true",
                "none is null          | true",
                "nul is null           | true",
                "n is null             | false",
                "s is not null         | true",
                "not nul is null       | false",
                "nul is not null       | false",
                "not (none is not null) | true",
                "nul == 1 or nul != 1  | false",
                "nul == nul            | false",
                "not nul == 1          | true",
                "nul in (1, 'a')       | false",
                "nul not in (1, 'a')   | false",
                "nul !~ 'a'            | true",
                "none =~ ''            | false",
                "u icontains 'É'       | true",
                "u icontains 'E\u0301' | true",
                "s icontains 'B'       | true",
                "s icontains ''        | true",
                "s icontains 'bb'      | false",
                "n icontains '1'       | false",
                "esc == 'a\\n\\u00e9'  | true",
                "esc contains '\\n'    | true",
                "t == true             | true",
                "t != true             | false",
                "t != false            | true",
                "t in (false, true)    | true",
                "f == false            | true",
                "n == 1                | true"
            })
    void shouldCompareTextsAndBooleans(String expression, boolean expected) {
        String document =
                "{\"s\":\"b\",\"e\":\"\",\"u\":\"é\uFFFD\",\"esc\":\"a\\n\\u00e9\",\"t\":true,\"f\":false,\"n\":1,\"nul\":null}";
        assertEquals(expected, testJson(expression, document));
        assertEquals(!expected, testJson("not (" + expression + ")", document));
    }

    @ParameterizedTest
    @CsvSource({"none", "nul", "object", "array", "empty", "text", "bool", "cut"})
    void shouldBeFalseWhenFieldIsAbsentOrOfAnotherKind(String field) {
        String document =
                "{\"nul\":null,\"object\":{\"a\":1},\"array\":[{},null],\"empty\":[],\"text\":\"1\",\"bool\":true,\"cut\":1";
        for (String condition : new String[] {"== 1", "!= 1", "< 1", "<= 1", "> 1", ">= 1", "in (1, 2)"}) {
            assertFalse(testJson(field + " " + condition, document), condition);
            assertTrue(testJson("not " + field + " " + condition, document), condition);
        }
        boolean text = field.equals("text");
        for (String condition : new String[] {"!= 'x'", "< 'x'"}) {
            assertEquals(text, testJson(field + " " + condition, document), condition);
        }
        boolean json = List.of("object", "array", "empty").contains(field);
        assertEquals(text || json, testJson(field + " contains ''", document));
        assertEquals(field.equals("bool"), testJson(field + " != false", document));
    }

    @Test
    void shouldBeFalseWhenOptionalFieldIsAbsent() {
        StructFormat format = Formats.struct("a:i64?,b:utf8?,c:bool?");
        UnsafeBuffer payload = payload(format, writer -> {});
        assertFalse(test("a == 0 or a != 0 or b == '' or b != 'x' or b contains '' or c == false", format, payload));
        assertTrue(test("not a != 0 and not b contains '' and not c == false", format, payload));
    }

    @Test
    void shouldReadTextAndBytesFormats() {
        UnsafeBuffer payload = new UnsafeBuffer("GET /a?x=1".getBytes(StandardCharsets.UTF_8));
        assertTrue(test("line contains '/a?' and not line contains 'POST'", Formats.text(), payload));
        assertTrue(test("bytes contains '/a?' and bytes > 'GET'", Formats.bytes(), payload));
    }

    @Test
    void shouldNameTheFieldsThereAreWhenFieldIsUnknown() {
        assertEquals(
                "unknown field: field=latency, format=struct, fields=[ts_ns, op]",
                bindError("ts_ns > 1 and latency > 5", "struct:ts_ns:i64,op:utf8"));
        assertEquals("unknown field: field=op, format=text, fields=[line]", bindError("op == 'x'", "text"));
        String many =
                IntStream.range(0, 33).mapToObj(i -> "f" + i + ":i8").collect(Collectors.joining(",", "struct:", ""));
        assertTrue(bindError("none == 1", many).endsWith(", f31] and 1 more"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "op == 5           | field=op, type=utf8, literal=5",
                "op in ('a', 1.50) | field=op, type=utf8, literal=1.50",
                "op == true        | field=op, type=utf8, literal=true",
                "raw < 5s          | field=raw, type=bytes, literal=5000000000",
                "n == 'x'          | field=n, type=i64, literal=\"x\"",
                "n contains 'x'    | field=n, type=i64, literal=\"x\"",
                "n != false        | field=n, type=i64, literal=false",
                "x == \"1\"        | field=x, type=f32, literal=\"1\"",
                "ok == 1           | field=ok, type=bool, literal=1",
                "ok == 'true'      | field=ok, type=bool, literal=\"true\""
            })
    void shouldRefuseToBindWhenTypesCannotBeCompared(String expression, String context) {
        assertEquals(
                "field can't be compared with the literal: " + context,
                bindError(expression, "struct:op:utf8,raw:bytes,n:i64,x:f32,ok:bool"));
    }

    @Test
    void shouldFindTextWhereverItIs() {
        String text = "abcabdabcabcab";
        UnsafeBuffer payload = new UnsafeBuffer(("abc" + text + "abc").getBytes(StandardCharsets.UTF_8));
        for (int start = 0; start <= text.length(); start++) {
            for (int end = start; end <= text.length(); end++) {
                Where.Predicate predicate = Where.parse("line contains '" + text.substring(start, end) + "'")
                        .bind(Formats.text());
                assertTrue(predicate.test(payload, 3, text.length()));
                Where.Predicate longer = Where.parse("line contains '" + text.substring(start, end) + "x'")
                        .bind(Formats.text());
                assertFalse(longer.test(payload, 3, text.length()));
                assertEquals(text.substring(0, 5).contains(text.substring(start, end)), predicate.test(payload, 3, 5));
            }
        }
    }

    @Test
    void shouldFindTextInAnyCaseWhereverItIs() {
        String text = "abcabdabcabcab";
        UnsafeBuffer payload = new UnsafeBuffer(("abc" + text + "abc").getBytes(StandardCharsets.UTF_8));
        for (int start = 0; start <= text.length(); start++) {
            for (int end = start; end <= text.length(); end++) {
                String part = text.substring(start, end).toUpperCase(Locale.ROOT);
                assertTrue(Where.parse("line icontains '" + part + "'")
                        .bind(Formats.text())
                        .test(payload, 3, text.length()));
                assertFalse(Where.parse("line icontains '" + part + "x'")
                        .bind(Formats.text())
                        .test(payload, 3, text.length()));
            }
        }
    }

    /** Long runs of the same are what makes a search that skips slow; the oracle is the JDK's. */
    @Test
    void shouldFindTextAmongItsOwnBeginnings() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("WhereEvaluationTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            String text = letters(random, 600);
            String part = random.nextBoolean()
                    ? letters(random, 60)
                    : text.substring(random.nextInt(text.length() / 2 + 1)).repeat(2);
            UnsafeBuffer payload = new UnsafeBuffer(("b" + text + "b").getBytes(StandardCharsets.UTF_8));
            boolean found = Where.parse("line contains '" + part + "'")
                    .bind(Formats.text())
                    .test(payload, 1, text.length());
            assertEquals(text.contains(part), found, () -> "seed=" + seed + ", text=" + text + ", part=" + part);
        }
    }

    /** JSON has halves of surrogate pairs, which are stored as U+FFFD; a question mark is none. */
    @ParameterizedTest
    @CsvSource({
        "f == '\\ud83d', \\ud83d, true",
        "f == '\\ud83d', ?, false",
        "f != '\\ud83d', ?, true",
        "'f in (\"\\ude00\", \"x\")', \\ud83d, true",
        "'f in (\"\\ude00\", \"x\")', ?, false",
        "f contains '\\ud83d', a?b, false",
        "f contains '\\ud83d', a\\ud83db, true",
        "f icontains 'B\\ud83d', ab?, false",
        "f icontains 'B\\ud83d', ab\\ude00, true",
        "f =~ 'a\\ud83d', a\\ud83d, true",
        "f =~ 'a\\ud83d', a?, false",
        "f == '\\ud83d\\ude00', \\ud83d\\ude00, true",
        "f == '\\ud83d\\ude00', \\ud83d, false"
    })
    void shouldFindHalvesOfSurrogatePairsAsTheyAreStored(String expression, String text, boolean expected) {
        assertEquals(expected, testJson(expression, "{\"f\":\"" + text + "\"}"));
    }

    private static String letters(Random random, int lengthMax) {
        int rare = 1 + random.nextInt(40);
        return IntStream.range(0, random.nextInt(lengthMax))
                .mapToObj(i -> random.nextInt(rare) == 0 ? "b" : "a")
                .collect(Collectors.joining());
    }

    /** A search that compares at each place again looks at 4 billion bytes here. */
    @Test
    void shouldFindLongTextInLongRun() {
        UnsafeBuffer payload = new UnsafeBuffer("a".repeat(1 << 20).getBytes(StandardCharsets.UTF_8));
        for (String operator : List.of("contains", "icontains")) {
            Where.Predicate predicate = Where.parse("line " + operator + " 'b" + "a".repeat(4_000) + "'")
                    .bind(Formats.text());
            assertFalse(predicate.test(payload, 0, payload.capacity()));
        }
    }

    @Test
    void shouldFindValueInLongList() {
        StructFormat format = Formats.struct("i:i64,u:u64,f:f32,d:f64,s:utf8");
        String numbers = IntStream.range(0, 300)
                .mapToObj(i -> i * 7 + ", " + (i * 7 + 0.5))
                .collect(Collectors.joining(", "));
        String list = "(0.1, -0.0, 18446744073709551615, 9007199254740993, " + numbers + ")";
        String texts = IntStream.range(0, 300).mapToObj(i -> "'t" + i * 3 + "'").collect(Collectors.joining(", "));
        UnsafeBuffer payload = payload(format, writer -> {
            writer.setLong(0, 2093);
            writer.setUnsigned(1, -1);
            writer.setDouble(2, 0.1f);
            writer.setDouble(3, -0.0);
            writer.setUtf8(4, "t897");
        });
        assertTrue(test("i in " + list + " and u in " + list, format, payload));
        assertTrue(test("f in " + list + " and d in " + list, format, payload));
        assertFalse(test("i not in " + list, format, payload));
        assertTrue(test("s in (" + texts + ")", format, payload));
        UnsafeBuffer other = payload(format, writer -> {
            writer.setLong(0, 2094);
            writer.setUnsigned(1, -1L << 40);
            writer.setDouble(2, Float.NaN);
            writer.setDouble(3, 9007199254740992.0);
            writer.setUtf8(4, "t89");
        });
        for (String field : List.of("i", "u", "f", "d")) {
            assertFalse(test(field + " in " + list, format, other), field);
            assertTrue(test(field + " not in " + list, format, other), field);
        }
        assertTrue(test("s not in (" + texts + ")", format, other));
    }

    private static String bindError(String expression, String format) {
        Where parsed = Where.parse(expression);
        return assertThrows(IllegalArgumentException.class, () -> parsed.bind(Formats.parse(format)))
                .getMessage();
    }

    private static boolean testJson(String expression, String document) {
        return test(expression, Formats.json(), new UnsafeBuffer(document.getBytes(StandardCharsets.UTF_8)));
    }

    private static boolean test(String expression, PayloadFormat format, UnsafeBuffer payload) {
        return Where.parse(expression).bind(format).test(payload, 0, payload.capacity());
    }

    private interface Fields {
        void set(StructWriter writer);
    }

    private static UnsafeBuffer payload(StructFormat format, Fields fields) {
        StructWriter writer = new StructWriter(format);
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
        writer.begin(buffer, 0);
        fields.set(writer);
        return new UnsafeBuffer(buffer, 0, writer.finish());
    }
}
