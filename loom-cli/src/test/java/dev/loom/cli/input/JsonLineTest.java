package dev.loom.cli.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonLineTest {
    private final JsonLine lines = new JsonLine();

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
                "\f{}",
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
        assertEquals("arrays and objects nested too deeply: max=64", problem(tooDeep));
        assertEquals("arrays and objects nested too deeply: max=64", problem("{\"a\":".repeat(100_000)));
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
        assertEquals("not UTF-8", lines.problem(latin, 0, latin.length));
        byte[] wide = "{\"a\":1}".getBytes(StandardCharsets.UTF_16LE);
        assertEquals("not JSON: zero byte", lines.problem(wide, 0, wide.length));
    }

    @Test
    void shouldReadNothingOutsideTheRange() {
        byte[] bytes = "x{\"a\":1}y".getBytes(StandardCharsets.UTF_8);
        assertNull(lines.problem(bytes, 1, bytes.length - 2));
    }

    /** Parsers hold their input in buffers of their own; lines on either side of such a buffer's end are like all others. */
    @Test
    void shouldTakeLinesOfEveryLengthBetweenOthers() {
        for (int around : new int[] {4_000, 8_000, 8_192, 16_000, 16_384, 65_536}) {
            for (int length = around - 12; length <= around + 12; length++) {
                String line = "{\"é\":\"" + "x".repeat(length - "{\"e\":\"\"}".length() - 1) + "\"}";
                byte[] bytes = ("]\n" + line + "\n}{\"").getBytes(StandardCharsets.UTF_8);
                assertNull(lines.problem(bytes, 2, length), "length=" + length);
                assertNotNull(lines.problem(bytes, 2, length - 1), "cut of length=" + length);
                assertNotNull(lines.problem(bytes, 2, length + 3), "more than length=" + length);
            }
        }
    }

    @Test
    void shouldTakeLongNamesTextsAndNumbers() {
        assertNull(problem("{\"" + "n".repeat(100_000) + "\":1}"));
        assertNull(problem("{\"a\":" + "1".repeat(100_000) + "}"));
        assertNull(problem("{\"a\":-0." + "1".repeat(100_000) + "e5}"));
        assertNull(problem("{\"a\":\"" + "é\\n".repeat(100_000) + "\"}"));
    }

    private @Nullable String problem(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return lines.problem(bytes, 0, bytes.length);
    }
}
