package dev.loom.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StructFormatTest {
    @Test
    void shouldDeclareFieldsInOrder() {
        StructFormat format = Formats.struct("ts_ns:i64,op:utf8?,attr.http-route:bytes");
        assertEquals(
                List.of(
                        new Field("ts_ns", Field.Type.I64, false),
                        new Field("op", Field.Type.UTF8, true),
                        new Field("attr.http-route", Field.Type.BYTES, false)),
                format.fields());
        assertEquals(2, format.fieldIndex("attr.http-route"));
        assertNotNull(format.field("op"));
        assertNull(format.field("OP"));
        assertEquals(format, Formats.struct(format.fields()));
        assertEquals(1 + 8 + 2, format.lengthMin());
        assertEquals(
                "unknown field: name=none, format=struct:ts_ns:i64,op:utf8?,attr.http-route:bytes",
                assertThrows(IllegalArgumentException.class, () -> format.fieldIndex("none"))
                        .getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "_", "Z9", "a.b.c", "a-b", "a.", "A_-.0"})
    void shouldAllowFieldName(String name) {
        assertEquals(0, Formats.struct(List.of(field(name))).fieldIndex(name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0a", "-a", ".a", "a b", "a:b", "a,b", "a?", "é", "a\n", "a`", "a\"", " a"})
    void shouldRefuseFieldName(String name) {
        assertEquals(
                "field name is not allowed: name=" + name + ", allowed=[A-Za-z_][A-Za-z0-9_.-]{0,127}",
                assertThrows(IllegalArgumentException.class, () -> Formats.struct(List.of(field(name))))
                        .getMessage());
    }

    @Test
    void shouldRefuseNameWhenLongerThanLimit() {
        String longest = "n".repeat(StructFormat.FIELD_NAME_LENGTH_MAX);
        assertEquals(
                "struct:" + longest + ":u8",
                Formats.struct(List.of(field(longest))).text());
        assertThrows(IllegalArgumentException.class, () -> Formats.struct(List.of(field(longest + "n"))));
    }

    @Test
    void shouldRefuseFieldsWhenTooManyOrNone() {
        List<Field> most = IntStream.range(0, StructFormat.FIELD_COUNT_MAX)
                .mapToObj(i -> field("f" + i))
                .toList();
        StructFormat format = Formats.struct(most);
        assertEquals(format, Formats.parse(format.text()));
        assertEquals(1023, format.fieldIndex("f1023"));
        List<Field> tooMany = IntStream.rangeClosed(0, StructFormat.FIELD_COUNT_MAX)
                .mapToObj(i -> field("f" + i))
                .toList();
        assertEquals(
                "struct field count out of range: count=1025, min=1, max=1024",
                assertThrows(IllegalArgumentException.class, () -> Formats.struct(tooMany))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> Formats.struct(List.of()));
    }

    @Test
    void shouldRefuseNameWhenTaken() {
        assertEquals(
                "duplicate field name: name=a",
                assertThrows(IllegalArgumentException.class, () -> Formats.parse("struct:a:i64,b:i64,a:utf8"))
                        .getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "struct",
                "struct:",
                "struct:a",
                "struct:a:",
                "struct::i64",
                "struct:a:i64,",
                "struct:,a:i64",
                "struct:a:i64,,b:i64",
                "struct:a:i64??",
                "struct:a:i64 ",
                "struct:a: i64",
                "struct:a:I64",
                "struct:a?:i64",
                "struct:a:i128",
                "structs:a:i64"
            })
    void shouldRefuseTextWhenNotWellFormed(String text) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> Formats.parse(text));
        assertTrue(e.getMessage().contains("="), e.getMessage());
    }

    private static Field field(String name) {
        return new Field(name, Field.Type.U8, false);
    }
}
