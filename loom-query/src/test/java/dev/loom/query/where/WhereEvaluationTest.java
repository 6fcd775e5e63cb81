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

    @Test
    void shouldCompareUnsignedFieldAtItsEnds() {
        StructFormat format = (StructFormat) Formats.parse("struct:f:u64");
        for (long bits : new long[] {0, 1, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 1, -2, -1}) {
            String value = Long.toUnsignedString(bits);
            UnsafeBuffer payload = payload(format, writer -> writer.setUnsigned(0, bits));
            assertTrue(test("f == " + value, format, payload));
            assertFalse(test("f != " + value + " or f < " + value + " or f > " + value, format, payload));
            assertTrue(test("f > " + value + " or f <= " + value, format, payload));
            assertEquals(bits != -1, test("f < 18446744073709551615", format, payload));
            assertEquals(bits != 0, test("f > 0", format, payload));
            assertEquals(bits < 0, test("f > 9223372036854775807", format, payload));
        }
    }

    @Test
    void shouldTakeLiteralAsNearestValueOfTheFieldsType() {
        StructFormat format = (StructFormat) Formats.parse("struct:f:f32,d:f64");
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
        StructFormat format = (StructFormat) Formats.parse("struct:f:f64");
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
                "{\"s\":\"b\",\"e\":\"\",\"u\":\"é\uFFFD\",\"esc\":\"a\\n\\u00e9\",\"t\":true,\"f\":false,\"n\":1}";
        assertEquals(expected, testJson(expression, document));
        assertEquals(!expected, testJson("not (" + expression + ")", document));
    }

    @ParameterizedTest
    @CsvSource({"none", "nul", "object", "array", "text", "bool", "cut"})
    void shouldBeFalseWhenFieldIsAbsentOrOfAnotherKind(String field) {
        String document = "{\"nul\":null,\"object\":{\"a\":1},\"array\":[1],\"text\":\"1\",\"bool\":true,\"cut\":1";
        for (String condition : new String[] {"== 1", "!= 1", "< 1", "<= 1", "> 1", ">= 1", "in (1, 2)"}) {
            assertFalse(testJson(field + " " + condition, document), condition);
            assertTrue(testJson("not " + field + " " + condition, document), condition);
        }
        boolean text = field.equals("text");
        for (String condition : new String[] {"!= 'x'", "< 'x'", "contains ''"}) {
            assertEquals(text, testJson(field + " " + condition, document), condition);
        }
        assertEquals(field.equals("bool"), testJson(field + " != false", document));
    }

    @Test
    void shouldBeFalseWhenOptionalFieldIsAbsent() {
        StructFormat format = (StructFormat) Formats.parse("struct:a:i64?,b:utf8?,c:bool?");
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
                "field can't be compared with this: " + context,
                bindError(expression, "struct:op:utf8,raw:bytes,n:i64,x:f32,ok:bool"));
    }

    @Test
    void shouldFindTextWhereverItIs() {
        String text = "abcabdabcabcab";
        UnsafeBuffer payload = new UnsafeBuffer(("abc" + text + "abc").getBytes(StandardCharsets.UTF_8));
        for (int start = 0; start <= text.length(); start++) {
            for (int end = start; end <= text.length(); end++) {
                PayloadPredicate predicate = Where.parse("line contains '" + text.substring(start, end) + "'")
                        .bind(Formats.text());
                assertTrue(predicate.test(payload, 3, text.length()));
                PayloadPredicate longer = Where.parse("line contains '" + text.substring(start, end) + "x'")
                        .bind(Formats.text());
                assertFalse(longer.test(payload, 3, text.length()));
                assertEquals(text.substring(0, 5).contains(text.substring(start, end)), predicate.test(payload, 3, 5));
            }
        }
    }

    private static String bindError(String expression, String format) {
        WhereExpression parsed = Where.parse(expression);
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
