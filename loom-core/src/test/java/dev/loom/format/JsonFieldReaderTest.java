package dev.loom.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonFieldReaderTest {
    private final FieldValue value = new FieldValue();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "a     | {\"a\":1}                                            | INTEGER 1",
                "a     | {\"b\":1}                                            | ABSENT",
                "a     | {}                                                   | ABSENT",
                "a     | {\"a\":null}                                         | ABSENT",
                "a     | {\"a\":true}                                         | BOOLEAN true",
                "a     | {\"a\":false}                                        | BOOLEAN false",
                "a     | {\"a\":\"\"}                                         | TEXT ",
                "a     | { \"b\" : [ ] , \"a\" : \"x y\" }                    | TEXT x y",
                "a     | {\"a\":{ \"b\":1 }}                                  | JSON { \"b\":1 }",
                "a     | {\"a\":[1, 2]}                                       | JSON [1, 2]",
                "a.b   | {\"a\":{\"b\":7}}                                    | INTEGER 7",
                "a.b   | {\"a\":{\"c\":7}}                                    | ABSENT",
                "a.b   | {\"a\":7}                                            | ABSENT",
                "a.0   | {\"a\":[7,8]}                                        | INTEGER 7",
                "a.1   | {\"a\":[7,8]}                                        | INTEGER 8",
                "a.2   | {\"a\":[7,8]}                                        | ABSENT",
                "a.0   | {\"a\":[]}                                           | ABSENT",
                "a.0.b | {\"a\":[{\"b\":\"x\"}]}                              | TEXT x",
                "a.00  | {\"a\":[7,8]}                                        | ABSENT",
                "a.-1  | {\"a\":[7,8]}                                        | ABSENT",
                "a.0   | {\"a\":{\"0\":9}}                                    | INTEGER 9",
                "0     | [7]                                                  | INTEGER 7",
                "1.0   | [7,[8]]                                              | INTEGER 8",
                "a..b  | {\"a\":{\"\":{\"b\":1}}}                             | INTEGER 1",
                "a.    | {\"a\":{\"\":1}}                                     | INTEGER 1",
                "é.ü   | {\"é\":{\"ü\":1}}                                    | INTEGER 1",
                "a     | 5                                                    | ABSENT",
                "A     | {\"a\":1}                                            | ABSENT"
            })
    void shouldFollowPath(String path, String document, String expected) {
        assertEquals(expected.strip(), read(path, document).strip());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "a.b   | {\"a\":[{\"b\":1},{\"b\": \"x\\ny\" },{\"c\":2},3,[]]} | JSON [1,\"x\\ny\"]",
                "a.b   | {\"a\":[{\"b\":null},{\"b\":[1, 2]}]}               | JSON [[1, 2]]",
                "a.b   | {\"a\":[[{\"b\":1}],[{\"b\":2},{\"b\":3}]]}         | JSON [1,2,3]",
                "a.b.c | {\"a\":[{\"b\":[{\"c\":1},{\"c\":2}]},{\"b\":{\"c\":3}}]} | JSON [1,2,3]",
                "a.b.c | {\"a\":[{\"b\":{\"c\":1},\"b.c\":2},{\"b\":{\"c\":3}}]} | JSON [2,3]",
                "a.b.c | {\"a\":[{\"b\":{\"c\":0}},{\"b\":{\"c\":1},\"b.c\":2}]} | JSON [0,2]",
                "a.b.c | {\"a\":[{\"b.c\":1}],\"a.b\":[{\"x\":1}]}         | JSON [1]",
                "a.b.c | {\"a\":[{\"b.c\":1}],\"a.b\":[{\"c\":4}]}         | JSON [4]",
                "a.1.b | {\"a\":[{\"b\":1},{\"b\":2}]}                     | INTEGER 2",
                "a.b   | {\"a\":[{\"c\":1}]}                               | ABSENT",
                "a.b   | {\"a\":[{\"b\":1},{\"b\":]}                       | ABSENT",
                "b     | [{\"b\":1},{\"b\":2}]                             | JSON [1,2]"
            })
    void shouldGoOnInEachElementWhenThePathNamesAMember(String path, String document, String expected) {
        assertEquals(expected.strip(), read(path, document).strip());
        // whatever was read before
        assertEquals("INTEGER 7", read("a.b", "{\"a\":{\"b\":7}}").strip());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "http.route | {\"http.route\":1,\"http\":{\"route\":2}}              | INTEGER 1",
                "http.route | {\"http\":{\"route\":2},\"http.route\":1}              | INTEGER 1",
                "a.b.c      | {\"a\":{\"b\":{\"c\":1},\"b.c\":2},\"a.b\":{\"c\":3}}  | INTEGER 3",
                "a.b.c      | {\"a\":{\"b\":{\"c\":1},\"b.c\":2},\"a.b\":{\"d\":3}}  | INTEGER 2",
                "a.b.c      | {\"a\":{\"b\":{\"c\":1}},\"a.b\":3}                    | INTEGER 1",
                "a.b        | {\"a\":{\"b\":1},\"a.b\":null}                         | ABSENT",
                "a          | {\"a\":1,\"a\":2}                                      | INTEGER 1",
                "a.b        | {\"a\":{\"c\":1},\"a\":{\"b\":2},\"a\":{\"b\":3}}      | INTEGER 2",
                "a.0.b      | {\"a.0\":{\"b\":1},\"a\":[{\"b\":2}]}                  | INTEGER 1",
                "a.b        | {\"a\":{\"b\":\"x\\n\"},\"z\":\"\\t\"}                 | TEXT x"
            })
    void shouldPreferLongestNameThenFirst(String path, String document, String expected) {
        assertEquals(expected.strip(), read(path, document).strip());
    }

    @ParameterizedTest
    @CsvSource({
        "0, INTEGER 0",
        "-0, INTEGER 0",
        "-1, INTEGER -1",
        "9007199254740993, INTEGER 9007199254740993",
        "9223372036854775807, INTEGER 9223372036854775807",
        "9223372036854775808, UNSIGNED 9223372036854775808",
        "18446744073709551615, UNSIGNED 18446744073709551615",
        "18446744073709551616, DOUBLE 1.8446744073709552E19",
        "18446744073709551619, DOUBLE 1.8446744073709552E19",
        "184467440737095516150, DOUBLE 1.8446744073709552E20",
        "-9223372036854775808, INTEGER -9223372036854775808",
        "-9223372036854775809, DOUBLE -9.223372036854776E18",
        "1.0, DOUBLE 1.0",
        "-0.0, DOUBLE -0.0",
        "1e2, DOUBLE 100.0",
        "1E+2, DOUBLE 100.0",
        "25e-1, DOUBLE 2.5",
        "0.1, DOUBLE 0.1",
        "0e999999999999, DOUBLE 0.0",
        "1e22, DOUBLE 1.0E22",
        "1e23, DOUBLE 1.0E23",
        "9007199254740993.0, DOUBLE 9.007199254740992E15",
        "1.7976931348623157e308, DOUBLE 1.7976931348623157E308",
        "1e309, DOUBLE Infinity",
        "-1e99999999999999, DOUBLE -Infinity",
        "1e-99999999999999, DOUBLE 0.0",
        "4.9e-324, DOUBLE 4.9E-324",
        "2.2250738585072011e-308, DOUBLE 2.225073858507201E-308"
    })
    void shouldReadNumberExactlyOrAsNearestDouble(String number, String described) {
        // the text of a double is not the same on every JDK
        String expected = described.startsWith("DOUBLE ")
                ? "DOUBLE " + Double.parseDouble(described.substring("DOUBLE ".length()))
                : described;
        assertEquals(expected, read("", number));
        assertEquals(expected, read("a.0", "{\"a\":[" + number + " ]}"));
    }

    @Test
    void shouldDecodeEscapes() {
        assertDecodes("Aé€", "\\u0041\\u00e9\\u20AC");
        assertDecodes("😀", "\\ud83d\\uDE00");
        assertDecodes("a\\b/c\"", "a\\\\b\\/c\\\"");
        assertDecodes("\b\f\n\r\t", "\\b\\f\\n\\r\\t");
        assertDecodes("é😀", "é😀");
        assertDecodes("\0", "\\u0000");
    }

    @Test
    void shouldReplaceSurrogateWhenItLacksItsOtherHalf() {
        assertDecodes("\uFFFD", "\\ud83d");
        assertDecodes("\uFFFDx", "\\ude00x");
        assertDecodes("\uFFFD😀", "\\ud83d\\ud83d\\ude00");
        assertDecodes("\uFFFDA", "\\ud83d\\u0041");
        assertDecodes("\uFFFD\n", "\\ud83d\\n");
        assertDecodes("\uFFFD12345", "\\ud83d12345");
    }

    private void assertDecodes(String expected, String string) {
        assertEquals("TEXT " + expected, read("a", "{\"a\":\"" + string + "\"}"));
        assertEquals("TEXT " + expected, read("", "\"" + string + "\""));
    }

    @Test
    void shouldMatchNameWithEscapes() {
        assertEquals("INTEGER 1", read("a.b", "{\"a\\u002eb\":1}"));
        assertEquals("INTEGER 1", read("é", "{\"\\u00E9\":1}"));
        assertEquals("TEXT \n", read("x", "{\"y\":\"\\t\",\"x\":\"\\n\",\"\\u007a\":1}"));
        // the value found first stays as it was while the escaped name after it is compared
        assertEquals("TEXT \n", read("x.y", "{\"x\":{\"y\":\"\\n\"},\"\\u007a\":1}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "{\"a\"",
                "{\"a\":",
                "{\"a\":}",
                "{\"a\":1",
                "{a:1}",
                "{'a':1}",
                "{\"a\" 1}",
                "{\"b\":1 \"a\":1}",
                "{,\"a\":1}",
                "{\"a\":01}",
                "{\"a\":1.}",
                "{\"a\":.5}",
                "{\"a\":-}",
                "{\"a\":+1}",
                "{\"a\":1e}",
                "{\"a\":1e+}",
                "{\"a\":0x1}",
                "{\"a\":1x}",
                "{\"a\":1]",
                "{\"a\":NaN}",
                "{\"a\":tru}",
                "{\"a\":True}",
                "{\"a\":truex}",
                "{\"a\":nul}",
                "{\"a\":\"x}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u12g4\"}",
                "{\"a\":\"\\u12\"}",
                "{\"a\":\"\\",
                "{\"a\":\"\n\"}",
                "{\"a\":[1}",
                "{\"a\":[1,]}",
                "{\"a\":[,1]}",
                "{\"a\":{\"b\":1,}}",
                "{\"b\":[1,2}, \"a\":1}",
                "{\"b\":tru,\"a\":1}",
                "\uFEFF{\"a\":1}",
                "[\"a\":1]"
            })
    void shouldBeAbsentWhenMalformedUpToTheField(String document) {
        assertEquals("ABSENT", read("a", document));
        assertEquals("ABSENT", read("", document));
        assertEquals("ABSENT", read("x.y", "{\"x\":" + document + ",\"x.y\":1}"));
    }

    @Test
    void shouldNotLookBeyondTheFieldWhenItIsCertain() {
        assertEquals("INTEGER 1", read("a", "{\"a\":1,\"b\":tru"));
        assertEquals("INTEGER 1", read("0", "[1,"));
        assertEquals("ABSENT", read("", "{\"a\":1,\"b\":tru"));
        assertEquals("ABSENT", read("a.b", "{\"a\":{\"b\":1},\"b\":tru"));
    }

    /** An array that is left half collected is not taken for the begin of the next one's. */
    @Test
    void shouldForgetAReadThatAnErrorEnded() {
        byte[] document = "[{\"v\":1},{\"v\":2}]".getBytes(StandardCharsets.UTF_8);
        UnsafeBuffer failing = new UnsafeBuffer(document) {
            @Override
            public byte getByte(int index) {
                if (index == 11) { // in the second element
                    throw new OutOfMemoryError("injected failure");
                }
                return super.getByte(index);
            }
        };
        JsonFieldReader reader = new JsonFieldReader("v");
        assertThrows(OutOfMemoryError.class, () -> reader.read(failing, 0, document.length, value));
        assertEquals("JSON [1,2]", read("v", new String(document, StandardCharsets.UTF_8)));
    }

    @Test
    void shouldGiveWholeValueWhenPathIsEmpty() {
        assertEquals("JSON {\"a\":1}", read("", " {\"a\":1}\r\n\t"));
        assertEquals("JSON []", read("", "[]"));
        assertEquals("TEXT x", read("", "\"x\""));
        assertEquals("ABSENT", read("", "{\"a\":1} x"));
        assertEquals("ABSENT", read("", "1 2"));
        List<String> fields = new ArrayList<>();
        byte[] document = "{\"a\":1}".getBytes(StandardCharsets.UTF_8);
        Formats.json()
                .forEachField(
                        new UnsafeBuffer(document),
                        0,
                        document.length,
                        value,
                        (name, v) -> fields.add(name + "=" + v.kind()));
        assertEquals(List.of("=JSON"), fields);
    }

    @Test
    void shouldRefuseDeeperThanLimit() {
        int max = JsonScanner.DEPTH_MAX;
        assertEquals("JSON", read("", "[".repeat(max) + "]".repeat(max)).substring(0, 4));
        assertEquals("ABSENT", read("", "[".repeat(max + 1) + "]".repeat(max + 1)));
        assertEquals("INTEGER 1", read("a", "{\"b\":" + "[".repeat(max - 1) + "]".repeat(max - 1) + ",\"a\":1}"));
        assertEquals("ABSENT", read("a", "{\"b\":" + "[".repeat(max) + "]".repeat(max) + ",\"a\":1}"));
        String path = "0.".repeat(max);
        String lastElement = path.substring(0, path.length() - 1);
        assertEquals("INTEGER 1", read(lastElement, "[".repeat(max) + "1" + "]".repeat(max)));
        assertEquals("ABSENT", read(path + "0", "[".repeat(max + 1) + "1" + "]".repeat(max + 1)));
        assertEquals("ABSENT", read("", "[".repeat(100_000)));
        assertEquals("ABSENT", read("0.".repeat(10_000), "[".repeat(100_000)));
        assertEquals("INTEGER 1", read("a.".repeat(1_000), "{\"" + "a.".repeat(1_000) + "\":1}"));
    }

    private String read(String path, String document) {
        byte[] utf8 = document.getBytes(StandardCharsets.UTF_8);
        // what surrounds the payload would complete many a malformed one
        byte[] surrounded = ("9\"" + document + "\"}]}9").getBytes(StandardCharsets.UTF_8);
        value.setInteger(-1);
        new JsonFieldReader(path).read(new UnsafeBuffer(surrounded), 2, utf8.length, value);
        return value.kind() == FieldValue.Kind.ABSENT ? "ABSENT" : value.kind() + " " + value.text();
    }
}
