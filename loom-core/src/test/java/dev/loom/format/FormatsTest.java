package dev.loom.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.ServiceConfigurationError;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FormatsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "text",
                "json",
                "bytes",
                "struct:a:i64",
                "struct:ts_ns:i64,op:utf8?,latency_ns:i64",
                "struct:a:i8,b:i16,c:i32,d:i64,e:u8,f:u16,g:u32,h:u64,i:f32?,j:f64,k:bool,l:utf8,m:bytes?",
                "timed:text",
                "timed:struct:a:i64,b:utf8?",
                "reversed",
                "reversed:x"
            })
    void shouldGiveEqualFormatWhenItsTextIsParsed(String text) {
        PayloadFormat format = Formats.parse(text);
        assertEquals(text, format.text());
        assertEquals(text.replaceFirst(":.*", ""), format.name());
        assertEquals(format, Formats.parse(text));
        assertEquals(format.hashCode(), Formats.parse(text).hashCode());
    }

    @Test
    void shouldDifferWhenTextsDiffer() {
        assertNotEquals(Formats.text(), Formats.json());
        assertNotEquals(Formats.text(), Formats.bytes());
        assertNotEquals(Formats.parse("struct:a:i64"), Formats.parse("struct:a:i64?"));
        assertNotEquals(Formats.parse("struct:a:i64"), Formats.parse("struct:a:u64"));
        assertNotEquals(Formats.parse("struct:a:i64"), Formats.parse("struct:b:i64"));
    }

    @Test
    void shouldNameTheKnownOnesWhenNameIsUnknown() {
        assertEquals(
                "unknown payload format: name=xml, known=[bytes, json, reversed, struct, text, timed]",
                assertThrows(IllegalArgumentException.class, () -> Formats.parse("xml:a"))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> Formats.parse(""));
        assertThrows(IllegalArgumentException.class, () -> Formats.parse("Text"));
        assertThrows(IllegalArgumentException.class, () -> Formats.parse(" text"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"text:", "json:x", "bytes:bytes"})
    void shouldRefuseArgumentsWhenFormatTakesNone(String text) {
        assertEquals(
                "payload format takes no arguments: text=" + text,
                assertThrows(IllegalArgumentException.class, () -> Formats.parse(text))
                        .getMessage());
    }

    @Test
    void shouldKeepBuiltInFormatWhenProviderHasItsName() {
        assertInstanceOf(JsonFormat.class, Formats.parse("json"));
    }

    @Test
    void shouldReadThroughProvidedFormat() {
        PayloadFormat format = Formats.parse("reversed:last");
        List<String> fields = new ArrayList<>();
        format.forEachField(
                new UnsafeBuffer(new byte[] {1, 2, 3, 4}),
                1,
                2,
                new FieldValue(),
                (name, value) -> fields.add(name + "=" + value.text()));
        assertEquals(List.of("last=3"), fields);
    }

    @Test
    void shouldSayWhyWhenProviderCannotBeLoaded() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(new ProvidingLoader("dev.loom.Absent"));
        try {
            IllegalArgumentException e =
                    assertThrows(IllegalArgumentException.class, () -> Formats.parse("unheard-of"));
            assertEquals(
                    "payload format provider can't be loaded: format=unheard-of, reason=java.util.ServiceConfigurationError:"
                            + " dev.loom.format.PayloadFormatProvider: Provider dev.loom.Absent not found",
                    e.getMessage());
            assertInstanceOf(ServiceConfigurationError.class, e.getCause());
            assertEquals("text", Formats.parse("text").text());
            assertEquals("reversed", Formats.parse("reversed").name(), "our own class loader has its provider");
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void shouldFindOurOwnProvidersWhenThreadHasNoClassLoader() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(null);
        try {
            assertEquals("reversed", Formats.parse("reversed").name());
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "state, java.lang.IllegalStateException: injected failure",
        "linkage, java.lang.NoClassDefFoundError: injected failure",
        "service, java.util.ServiceConfigurationError: injected failure",
        "none, java.lang.NullPointerException: no format",
    })
    void shouldNameProviderAndCauseWhenProviderFails(String how, String cause) {
        ClassLoader loader = new ProvidingLoader(FailingFormatProvider.class.getName());
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> Formats.parse("failing:" + how, loader));
        String message = "payload format provider failed: format=failing:" + how
                + ", provider=dev.loom.format.FailingFormatProvider, reason=" + cause;
        assertEquals(message, e.getMessage());
        assertNotNull(e.getCause());
        assertThrows(IllegalArgumentException.class, () -> Formats.parse("timed:failing:" + how, loader));
        PayloadFormat bytes = Formats.parseOrBytes("failing:" + how, loader);
        assertEquals(Formats.bytes(), bytes);
        assertEquals(bytes, Formats.bytes());
        assertEquals(message, bytes.failure());
        assertEquals(
                "unknown field: field=op, format=bytes, fields=[bytes], read as bytes because=" + message,
                new UnknownFieldException("op", bytes).getMessage());
    }

    @Test
    void shouldSayWhatIsWrongWithArgumentsAsTheProviderDoes() {
        ClassLoader loader = new ProvidingLoader(FailingFormatProvider.class.getName());
        assertEquals(
                "injected failure",
                assertThrows(IllegalArgumentException.class, () -> Formats.parse("failing:arguments", loader))
                        .getMessage());
    }

    @Test
    void shouldAskOtherProvidersWhenOneCannotTellItsNames() {
        ClassLoader loader =
                new ProvidingLoader(NamelessFormatProvider.class.getName(), ShiftedFormatProvider.class.getName());
        assertEquals("shifted", Formats.parse("shifted", loader).name());
        assertEquals(
                "payload format provider can't be loaded: format=xml, reason=java.util.ServiceConfigurationError:"
                        + " dev.loom.format.NamelessFormatProvider does not return its names,"
                        + " cause=java.lang.UnsupportedOperationException: injected failure",
                assertThrows(IllegalArgumentException.class, () -> Formats.parse("xml", loader))
                        .getMessage());
    }

    /** As that of an application that was undeployed. */
    @Test
    void shouldFindOurOwnProvidersWhenClassLoaderRefuses() {
        ClassLoader loader = new ClassLoader(null) {
            @Override
            public Enumeration<URL> getResources(String name) {
                throw new IllegalStateException("injected failure");
            }
        };
        assertEquals("reversed", Formats.parse("reversed", loader).name());
        assertThrows(IllegalArgumentException.class, () -> Formats.parse("xml", loader));
    }

    @Test
    void shouldGiveWholePayloadWhenFormatHasOneField() {
        UnsafeBuffer buffer = new UnsafeBuffer("[héé]".getBytes(StandardCharsets.UTF_8));
        FieldValue value = new FieldValue();
        FieldReader line = Formats.text().field("line");
        assertNotNull(line);
        line.read(buffer, 1, 5, value);
        assertEquals(FieldValue.Kind.TEXT, value.kind());
        assertEquals("héé", value.text());
        line.read(buffer, 6, 0, value);
        assertEquals(FieldValue.Kind.TEXT, value.kind());
        assertEquals("", value.text());
        FieldReader bytes = Formats.bytes().field("bytes");
        assertNotNull(bytes);
        bytes.read(buffer, 0, 1, value);
        assertEquals(FieldValue.Kind.BYTES, value.kind());
        assertEquals(1, value.length());
        assertNull(Formats.text().field("bytes"));
        assertNull(Formats.bytes().field("line"));
        assertEquals(
                List.of(new Field("line", Field.Type.UTF8, false)),
                Formats.text().fields());
        assertEquals(
                List.of(new Field("bytes", Field.Type.BYTES, false)),
                Formats.bytes().fields());
    }

    @Test
    void shouldStayWithinBufferWhenPayloadIsNot() {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[8]);
        FieldReader line = Formats.text().field("line");
        assertNotNull(line);
        FieldValue value = new FieldValue();
        line.read(buffer, 6, Integer.MAX_VALUE, value);
        assertEquals(2, value.length());
        for (int[] range : new int[][] {{-1, 4}, {9, 0}, {0, -1}, {Integer.MIN_VALUE, 1}, {Integer.MAX_VALUE, 1}}) {
            value.setInteger(1);
            line.read(buffer, range[0], range[1], value);
            assertEquals(FieldValue.Kind.ABSENT, value.kind());
        }
    }

    @Test
    void shouldKnowTypesByTheirText() {
        for (Field.Type type : Field.Type.values()) {
            assertEquals(type, Field.Type.parse(type.text()));
        }
        assertEquals(
                "unknown field type: type=int, known=i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 bool utf8 bytes any json",
                assertThrows(IllegalArgumentException.class, () -> Field.Type.parse("int"))
                        .getMessage());
        assertTrue(Field.Type.U64.isInteger() && Field.Type.U64.isUnsigned() && Field.Type.U64.isNumber());
        assertTrue(Field.Type.I64.isInteger() && !Field.Type.I64.isUnsigned() && Field.Type.I64.isNumber());
        assertTrue(!Field.Type.F32.isInteger() && !Field.Type.F32.isUnsigned() && Field.Type.F64.isNumber());
        assertTrue(!Field.Type.BOOL.isNumber() && !Field.Type.BOOL.isVariableLength());
        assertTrue(Field.Type.UTF8.isVariableLength() && Field.Type.BYTES.isVariableLength());
    }
}
