package dev.loom.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.MethodHandles;
import java.lang.module.ModuleFinder;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.tools.ToolProvider;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Record classes as structs: their formats, the bytes written, what is refused. */
final class StructCodecTest {
    private static final int START = 3;

    private record Numbers(boolean flag, byte b, short s, int i, long l, float f, double d) {}

    private record Unsigned(
            @StructField(type = Field.Type.U8) short small,
            @StructField(type = Field.Type.U16) int medium,
            @StructField(type = Field.Type.U32) long large,
            @StructField(type = Field.Type.U64) long bits,
            @StructField(type = Field.Type.I8) int narrow,
            @StructField(type = Field.Type.F32) double ratio) {}

    @SuppressWarnings("ArrayRecordComponent")
    private record Optional(
            @Nullable Boolean flag,
            @Nullable Byte b,
            @Nullable Short s,
            @Nullable Integer i,
            @Nullable Long l,
            @Nullable Float f,
            @Nullable Double d,
            @StructField(optional = true) @Nullable String text,
            @StructField(optional = true) byte @Nullable [] bytes,
            @StructField(type = Field.Type.U32) @Nullable Long unsigned) {}

    @SuppressWarnings("ArrayRecordComponent")
    private record Texts(String first, byte[] second, String third) {}

    private record Names(
            int latencyNs,
            int p99Ns,
            int userID,
            int HTTPStatus,
            int already_there,
            int x,
            @StructField(name = "http.status-code") int code) {}

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[512]);

    private <R extends Record> byte[] write(StructCodec<R> codec, R record) {
        byte[] bytes = new byte[codec.write(record, buffer, START)];
        buffer.getBytes(START, bytes);
        assertEquals(bytes.length, codec.length(record));
        return bytes;
    }

    private <R extends Record> R readBack(StructCodec<R> codec, R record) {
        byte[] bytes = write(codec, record);
        return codec.read(buffer, START, bytes.length);
    }

    @Test
    void shouldNameFieldsAfterComponents() {
        assertEquals(
                "struct:latency_ns:i32,p99_ns:i32,user_id:i32,http_status:i32,already_there:i32,x:i32,http.status-code:i32",
                StructCodec.of(Names.class).format().text());
    }

    @Test
    void shouldGiveFieldsTheTypesOfComponents() {
        assertEquals(
                "struct:flag:bool,b:i8,s:i16,i:i32,l:i64,f:f32,d:f64",
                StructCodec.of(Numbers.class).format().text());
        assertEquals(
                "struct:small:u8,medium:u16,large:u32,bits:u64,narrow:i8,ratio:f32",
                StructCodec.of(Unsigned.class).format().text());
        assertEquals(
                "struct:flag:bool?,b:i8?,s:i16?,i:i32?,l:i64?,f:f32?,d:f64?,text:utf8?,bytes:bytes?,unsigned:u32?",
                StructCodec.of(Optional.class).format().text());
    }

    @Test
    void shouldWriteEachTypeLittleEndianInDeclaredOrder() {
        byte[] expected = ByteBuffer.allocate(28)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) 1)
                .put(Byte.MIN_VALUE)
                .putShort(Short.MAX_VALUE)
                .putInt(Integer.MIN_VALUE)
                .putLong(Long.MAX_VALUE - 5)
                .putFloat(Float.MIN_VALUE)
                .putDouble(-Double.MAX_VALUE)
                .array();
        Numbers numbers = new Numbers(
                true,
                Byte.MIN_VALUE,
                Short.MAX_VALUE,
                Integer.MIN_VALUE,
                Long.MAX_VALUE - 5,
                Float.MIN_VALUE,
                -Double.MAX_VALUE);
        StructCodec<Numbers> codec = StructCodec.of(Numbers.class);
        assertArrayEquals(expected, write(codec, numbers));
        assertEquals(numbers, codec.read(new UnsafeBuffer(expected), 0, expected.length));
    }

    @Test
    void shouldKeepTheEdgesOfEachType() {
        StructCodec<Numbers> numbers = StructCodec.of(Numbers.class);
        for (Numbers edge : List.of(
                new Numbers(
                        false,
                        Byte.MAX_VALUE,
                        Short.MIN_VALUE,
                        Integer.MAX_VALUE,
                        Long.MIN_VALUE,
                        Float.NaN,
                        Double.NaN),
                new Numbers(true, (byte) -1, (short) -1, -1, -1, Float.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY),
                new Numbers(true, (byte) 0, (short) 0, 0, 0, -0.0f, -0.0))) {
            assertEquals(edge, readBack(numbers, edge));
        }
        StructCodec<Unsigned> unsigned = StructCodec.of(Unsigned.class);
        for (Unsigned edge : List.of(
                new Unsigned((short) 255, 65_535, 4_294_967_295L, -1, -128, 0.5),
                new Unsigned((short) 128, 32_768, 2_147_483_648L, Long.MIN_VALUE, 127, Float.MAX_VALUE),
                new Unsigned((short) 0, 0, 0, 0, 0, Double.NaN))) {
            assertEquals(edge, readBack(unsigned, edge));
        }
        FieldValue bits = new FieldValue();
        StructFormat format = unsigned.format();
        int length = write(unsigned, new Unsigned((short) 200, 1, 2, -1, 3, 4)).length;
        format.forEachField(buffer, START, length, bits, (name, value) -> {
            if (name.equals("bits")) {
                assertEquals("18446744073709551615", value.text());
            } else if (name.equals("small")) {
                assertEquals("200", value.text());
            }
        });
    }

    @Test
    void shouldRefuseValuesBeyondTheirField() {
        StructCodec<Unsigned> codec = StructCodec.of(Unsigned.class);
        assertRefused(
                "value does not fit its field: field=small, type=u8, value=256, min=0, max=255",
                () -> codec.write(new Unsigned((short) 256, 0, 0, 0, 0, 0), buffer, 0));
        assertRefused(
                "value does not fit its field: field=medium, type=u16, value=-1, min=0, max=65535",
                () -> codec.write(new Unsigned((short) 0, -1, 0, 0, 0, 0), buffer, 0));
        assertRefused(
                "value does not fit its field: field=large, type=u32, value=4294967296, min=0, max=4294967295",
                () -> codec.write(new Unsigned((short) 0, 0, 1L << 32, 0, 0, 0), buffer, 0));
        assertRefused(
                "value does not fit its field: field=narrow, type=i8, value=-129, min=-128, max=127",
                () -> codec.write(new Unsigned((short) 0, 0, 0, 0, -129, 0), buffer, 0));
        assertRefused(
                "value does not fit its field: field=ratio, type=f32, value=1.0E39",
                () -> codec.write(new Unsigned((short) 0, 0, 0, 0, 0, 1e39), buffer, 0));
    }

    @Test
    void shouldKeepNullsOfOptionalComponents() {
        StructCodec<Optional> codec = StructCodec.of(Optional.class);
        buffer.setMemory(0, buffer.capacity(), (byte) 0xFF);
        Optional none = new Optional(null, null, null, null, null, null, null, null, null, null);
        assertArrayEquals(new byte[2 + 1 + 1 + 2 + 4 + 8 + 4 + 8 + 4 + 2], write(codec, none));
        assertEquals(none, codec.read(buffer, START, 36));
        Optional some = new Optional(false, (byte) 1, null, -4, 5L, null, Double.NaN, "", null, 4_000_000_000L);
        assertEquals(some, readBack(codec, some));
        Optional bytes = new Optional(true, null, (short) 3, null, null, 0.5f, null, null, new byte[] {7, 8}, null);
        Optional back = readBack(codec, bytes);
        assertArrayEquals(bytes.bytes(), back.bytes());
        assertEquals(
                bytes.toString().replaceAll("bytes=[^,]*", ""), back.toString().replaceAll("bytes=[^,]*", ""));
    }

    @Test
    void shouldWriteTextsAsStructWriterDoes() {
        StructCodec<Texts> codec = StructCodec.of(Texts.class);
        StructWriter writer = new StructWriter(codec.format());
        UnsafeBuffer expected = new UnsafeBuffer(new byte[512]);
        for (String text : List.of("", "a", "é😀\uD800", "x".repeat(127), "y".repeat(128), "é".repeat(64))) {
            writer.begin(expected, 0);
            writer.setUtf8(0, text);
            writer.setBytes(1, new UnsafeBuffer(new byte[] {1, 2}), 0, 2);
            writer.setUtf8(2, "last");
            byte[] bytes = new byte[writer.finish()];
            expected.getBytes(0, bytes);
            assertArrayEquals(bytes, write(codec, new Texts(text, new byte[] {1, 2}, "last")), text);
        }
    }

    @Test
    void shouldRefuseNullsOfRequiredComponents() {
        StructCodec<Texts> codec = StructCodec.of(Texts.class);
        assertRefused(
                "required field is null: field=third, type=utf8",
                () -> codec.write(new Texts("", new byte[0], nothing()), buffer, 0));
        assertRefused(
                "required field is null: field=second, type=bytes", () -> codec.length(new Texts("", nothing(), "")));
    }

    @SuppressWarnings({"TypeParameterUnusedInFormals", "NullAway"}) // what a caller without checks may pass
    private static <T> T nothing() {
        return (T) null;
    }

    @Test
    void shouldWriteNothingBeyondTheRoomGiven() {
        StructCodec<Texts> codec = StructCodec.of(Texts.class);
        Texts texts = new Texts("abc", new byte[5], "é");
        int length = codec.length(texts);
        for (int room = 0; room < length; room++) {
            int lengthMax = room;
            buffer.setMemory(0, buffer.capacity(), (byte) 0x55);
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> codec.write(texts, buffer, START, lengthMax));
            assertTrue(refused.getMessage().startsWith("payload does not fit: "), refused.getMessage());
            for (int i = START + room; i < buffer.capacity(); i++) {
                assertEquals(0x55, buffer.getByte(i));
            }
        }
        assertEquals(length, codec.write(texts, buffer, START, length));
        assertEquals(length, codec.write(texts, new UnsafeBuffer(new byte[length]), 0));
        assertEquals(length, codec.write(texts, new ExpandableArrayBuffer(1), 0));
    }

    @Test
    void shouldRefuseMalformedPayloads() {
        StructCodec<Numbers> numbers = StructCodec.of(Numbers.class);
        assertRefused(
                "payload is too short: format=" + numbers.format() + ", length=27, min=28",
                () -> numbers.read(buffer, 0, 27));
        assertThrows(IllegalArgumentException.class, () -> numbers.read(buffer, -1, 28));
        assertThrows(IllegalArgumentException.class, () -> numbers.read(buffer, buffer.capacity() - 27, 28));
        buffer.putByte(0, (byte) 2);
        assertRefused("payload is malformed: offset=0, bool=2", () -> numbers.read(buffer, 0, 28));
        StructCodec<Texts> texts = StructCodec.of(Texts.class);
        int length = texts.write(new Texts("a", new byte[3], "bcd"), buffer, 0);
        assertRefused(
                "payload is malformed: field=third, type=utf8, length=" + (length - 1),
                () -> texts.read(buffer, 0, length - 1));
    }

    private record OfInstant(long id, Instant when) {}

    private record OfList(List<String> names) {}

    private record OfChar(char side) {}

    private record OfRecord(Texts texts) {}

    private record TooNarrow(
            @StructField(type = Field.Type.U16) short port) {}

    private record OtherGroup(
            @StructField(type = Field.Type.F64) long ratio) {}

    private record OptionalPrimitive(
            @StructField(optional = true) int count) {}

    private record Twice(int aB, int a_b) {}

    private record BadName(@StructField(name = "a b") int count) {}

    private record Empty() {}

    @Test
    void shouldSayWhichComponentIsUnsuitable() {
        String supported =
                ", supported=boolean byte short int long float double, each boxed if it may be null, String byte[]";
        String here = StructCodecTest.class.getName();
        assertRefused(
                "component type is not supported: class=" + here + "$OfInstant, component=when, type=java.time.Instant"
                        + supported,
                () -> StructCodec.of(OfInstant.class));
        assertRefused(
                "component type is not supported: class=" + here
                        + "$OfList, component=names, type=java.util.List<java.lang.String>" + supported,
                () -> StructCodec.of(OfList.class));
        assertRefused(
                "component type is not supported: class=" + here + "$OfChar, component=side, type=char" + supported,
                () -> StructCodec.of(OfChar.class));
        assertRefused(
                "component type is not supported: class=" + here + "$OfRecord, component=texts, type="
                        + Texts.class.getName() + supported,
                () -> StructCodec.of(OfRecord.class));
        assertRefused(
                "component can't hold all values of its field: class=" + here
                        + "$TooNarrow, component=port, type=short, field=u16",
                () -> StructCodec.of(TooNarrow.class));
        assertRefused(
                "component can't hold all values of its field: class=" + here
                        + "$OtherGroup, component=ratio, type=long, field=f64",
                () -> StructCodec.of(OtherGroup.class));
        assertRefused(
                "primitive component can't be optional: class=" + here
                        + "$OptionalPrimitive, component=count, type=int, expected=Integer",
                () -> StructCodec.of(OptionalPrimitive.class));
        assertRefused("duplicate field name: name=a_b", () -> StructCodec.of(Twice.class));
        assertThrows(IllegalArgumentException.class, () -> StructCodec.of(BadName.class));
        assertThrows(IllegalArgumentException.class, () -> StructCodec.of(Empty.class));
        assertRefused("class is not a record: class=java.lang.Record", () -> StructCodec.of(Record.class));
    }

    private record Old(long id, String key, double load) {}

    private record Reordered(String key, double load, long id) {}

    private record Grown(
            long id, String key, double load, @Nullable Integer retries) {}

    private record Part(String key) {}

    private record Retyped(int id, String key, double load) {}

    private record Renamed(long number, String key, double load) {}

    @Test
    void shouldMatchAnotherFormatByName() {
        StructCodec<Old> old = StructCodec.of(Old.class);
        Old written = new Old(-7, "key", 0.25);
        byte[] bytes = write(old, written);
        assertSame(old, old.forFormat(Formats.parse(old.format().text())));

        StructCodec<Reordered> reordered = StructCodec.of(Reordered.class).forFormat(old.format());
        assertEquals(new Reordered("key", 0.25, -7), reordered.read(buffer, START, bytes.length));
        assertArrayEquals(bytes, write(reordered, new Reordered("key", 0.25, -7)));

        StructCodec<Grown> grown = StructCodec.of(Grown.class).forFormat(old.format());
        assertEquals(new Grown(-7, "key", 0.25, null), grown.read(buffer, START, bytes.length));
        assertReadOnly(grown, new Grown(0, "", 0, 1), "component has no field: component=retries");

        StructCodec<Part> part = StructCodec.of(Part.class).forFormat(old.format());
        assertEquals(new Part("key"), part.read(buffer, START, bytes.length));
        assertReadOnly(part, new Part(""), "required field has no component: field=id:i64");

        StructCodec<Old> shrunk = old.forFormat(StructCodec.of(Grown.class).format());
        byte[] withoutRetries = write(shrunk, written);
        assertArrayEquals(write(StructCodec.of(Grown.class), new Grown(-7, "key", 0.25, null)), withoutRetries);
    }

    private <R extends Record> void assertReadOnly(StructCodec<R> codec, R record, String why) {
        String message =
                "codec is read-only: " + why + ", class=" + codec.type().getTypeName();
        assertEquals(
                message,
                assertThrows(UnsupportedOperationException.class, () -> codec.length(record))
                        .getMessage());
        assertEquals(
                message,
                assertThrows(UnsupportedOperationException.class, () -> codec.write(record, buffer, 0))
                        .getMessage());
    }

    @Test
    void shouldRefuseAFormatThatDiffers() {
        StructFormat stored = StructCodec.of(Old.class).format();
        String here = StructCodecTest.class.getName();
        assertRefused(
                "record class does not match the format: class=" + here
                        + "$Retyped, component=id, field=id:i32, stored=id:i64, format=" + stored,
                () -> StructCodec.of(Retyped.class).forFormat(stored));
        assertRefused(
                "record class does not match the format: class=" + here
                        + "$Renamed, component=number, field=number:i64, stored=none, format=" + stored,
                () -> StructCodec.of(Renamed.class).forFormat(stored));
        assertRefused(
                "record class does not match the format: class=" + here
                        + "$Part, component=key, field=key:utf8, stored=key:utf8?, format=struct:key:utf8?",
                () -> StructCodec.of(Part.class).forFormat(Formats.struct("key:utf8?")));
        assertRefused(
                "format is not a struct: class=" + here + "$Part, format=json",
                () -> StructCodec.of(Part.class).forFormat(Formats.json()));
    }

    private record Boxed(@Nullable Integer count) {}

    @Test
    void shouldRefuseNullWhereTheStoredFieldIsRequired() {
        StructCodec<Boxed> codec = StructCodec.of(Boxed.class).forFormat(Formats.struct("count:i32"));
        assertEquals(new Boxed(3), readBack(codec, new Boxed(3)));
        assertRefused("required field is null: field=count, type=i32", () -> codec.write(new Boxed(null), buffer, 0));
    }

    private record Picky(int count) {
        Picky {
            if (count < 0) {
                throw new IllegalStateException("negative: " + count);
            }
        }

        @Override
        @SuppressWarnings("UnusedMethod") // the codec calls it
        public int count() {
            if (count == 13) {
                throw new ArithmeticException("unlucky");
            }
            return count;
        }
    }

    @Test
    void shouldThrowWhatConstructorAndAccessorsThrow() {
        StructCodec<Picky> codec = StructCodec.of(Picky.class);
        buffer.putInt(0, -1, ByteOrder.LITTLE_ENDIAN);
        assertEquals(
                "negative: -1",
                assertThrows(IllegalStateException.class, () -> codec.read(buffer, 0, 4))
                        .getMessage());
        assertThrows(ArithmeticException.class, () -> codec.write(new Picky(13), buffer, 0));
        assertThrows(NullPointerException.class, () -> codec.write(nothing(), buffer, 0));
    }

    /** Modules of which the core, on the class path, is none: what Java allows without flags, and what needs a lookup. */
    @Test
    void shouldUseRecordsOfModulesAsFarAsJavaAllows(@TempDir Path directory) throws Exception {
        Map<String, String> sources = Map.of(
                "module-info.java", "module shapes { exports open; opens opened; }",
                "open/Public.java", "package open; public record Public(int a) {}",
                "open/Hidden.java", "package open; record Hidden(int a) {}",
                "opened/Hidden.java", "package opened; record Hidden(int a) {}",
                "shut/Public.java", "package shut; public record Public(int a) {}",
                "open/Door.java", """
                        package open;
                        public final class Door {
                            public static java.lang.invoke.MethodHandles.Lookup lookup() {
                                return java.lang.invoke.MethodHandles.lookup();
                            }
                        }""");
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Path file = directory.resolve(source.getKey());
            Files.createDirectories(file.getParent());
            Files.writeString(file, source.getValue());
        }
        String[] files = sources.keySet().stream()
                .map(file -> directory.resolve(file).toString())
                .toArray(String[]::new);
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, files));
        ModuleLayer boot = ModuleLayer.boot();
        ModuleLayer layer = boot.defineModulesWithOneLoader(
                boot.configuration().resolve(ModuleFinder.of(directory), ModuleFinder.of(), Set.of("shapes")),
                StructCodecTest.class.getClassLoader());

        assertEquals(
                "struct:a:i32",
                StructCodec.of(type(layer, "open.Public")).format().text());
        assertEquals(
                "struct:a:i32",
                StructCodec.of(type(layer, "opened.Hidden")).format().text());
        for (String name : List.of("open.Hidden", "shut.Public")) {
            assertRefused(
                    "record class is not accessible: class=" + name
                            + ", module=module shapes, expected=a public record of an exported package, or the caller's"
                            + " lookup",
                    () -> StructCodec.of(type(layer, name)));
            MethodHandles.Lookup lookup = lookup(layer);
            assertEquals(
                    "struct:a:i32",
                    StructCodec.of(type(layer, name), lookup).format().text());
        }
    }

    private static Class<? extends Record> type(ModuleLayer layer, String name) {
        try {
            return layer.findLoader("shapes").loadClass(name).asSubclass(Record.class);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static MethodHandles.Lookup lookup(ModuleLayer layer)
            throws ClassNotFoundException, NoSuchMethodException, IllegalAccessException, InvocationTargetException {
        Object lookup = layer.findLoader("shapes")
                .loadClass("open.Door")
                .getMethod("lookup")
                .invoke(null);
        return (MethodHandles.Lookup) lookup;
    }

    private static void assertRefused(String message, Runnable call) {
        assertEquals(
                message, assertThrows(IllegalArgumentException.class, call::run).getMessage());
    }
}
