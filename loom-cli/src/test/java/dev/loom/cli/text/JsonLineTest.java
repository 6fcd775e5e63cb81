package dev.loom.cli.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonLineTest {
    @ParameterizedTest
    @ValueSource(strings = {"{}", " {\"a\":[1,2.5e-3,null,true,\"\\u00e9é\"],\"a\":{}} ", "\t{\"\":\"\"}\r"})
    void shouldTakeAnObject(String text) {
        assertNull(problem(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "[]", "1", "\"a\"", "null", "x"})
    void shouldRefuseWhatIsNoObject(String text) {
        assertEquals("not a JSON object", problem(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "{\"a\":1",
                "{a:1}",
                "{\"a\":01}",
                "{\"a\":1,}",
                "{\"a\":\"\n\"}",
                "{'a':1}",
                "{\"a\":NaN}",
                "{}]",
                "{//\n}"
            })
    void shouldRefuseWhatIsNotJson(String text) {
        assertNotNull(problem(text));
    }

    @Test
    void shouldTakeAsMuchNestingAsThePayloadFormatReads() {
        String deepest = "{\"a\":".repeat(63) + "[1]" + "}".repeat(63);
        assertNull(problem(deepest));
        String tooDeep = "{\"a\":".repeat(64) + "[1]" + "}".repeat(64);
        assertEquals("arrays and objects nested too deep: max=64", problem(tooDeep));
        assertEquals("arrays and objects nested too deep: max=64", problem("{\"a\":".repeat(100_000)));
        assertEquals(FieldValue.Kind.JSON, kindOfFirstField(deepest));
        assertEquals(FieldValue.Kind.ABSENT, kindOfFirstField(tooDeep));
    }

    private static FieldValue.Kind kindOfFirstField(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        FieldValue value = new FieldValue();
        Objects.requireNonNull(Formats.json().field("a")).read(new UnsafeBuffer(bytes), 0, bytes.length, value);
        return value.kind();
    }

    @Test
    void shouldRefuseASecondValue() {
        assertEquals("text after the JSON object", problem("{} {}"));
        assertEquals("text after the JSON object", problem("{\"a\":1}\"b\""));
    }

    @Test
    void shouldRefuseOtherEncodings() {
        byte[] latin = "{\"a\":\"é\"}".getBytes(StandardCharsets.ISO_8859_1);
        assertEquals("not UTF-8", JsonLine.problem(latin, 0, latin.length));
        byte[] wide = "{\"a\":1}".getBytes(StandardCharsets.UTF_16LE);
        assertEquals("not JSON: zero byte", JsonLine.problem(wide, 0, wide.length));
    }

    @Test
    void shouldReadNothingOutsideTheRange() {
        byte[] bytes = "x{\"a\":1}y".getBytes(StandardCharsets.UTF_8);
        assertNull(JsonLine.problem(bytes, 1, bytes.length - 2));
    }

    private static String problem(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return JsonLine.problem(bytes, 0, bytes.length);
    }
}
