package dev.loom.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StructWriterTest {
    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
    private final StructFormat format = Formats.struct("n:u16,a:utf8?,x:f32?,b:bytes,c:utf8?");
    private final StructWriter writer = new StructWriter(format);

    @BeforeEach
    void fillWithGarbage() {
        buffer.setMemory(0, 256, (byte) 0xAA);
    }

    @ParameterizedTest
    @CsvSource({
        "i8, -128, 127",
        "i16, -32768, 32767",
        "i32, -2147483648, 2147483647",
        "i64, -9223372036854775808, 9223372036854775807",
        "u8, 0, 255",
        "u16, 0, 65535",
        "u32, 0, 4294967295",
        "u64, 0, 9223372036854775807"
    })
    void shouldTakeIntegersOfTheTypesRangeAlone(String type, long min, long max) {
        StructFormat one = Formats.struct("v:" + type);
        StructWriter oneWriter = new StructWriter(one);
        for (long value : new long[] {min, max, 0, 1}) {
            oneWriter.begin(buffer, 3);
            oneWriter.setLong(0, value);
            assertEquals(
                    Long.toString(value), read(one, "v", 3, oneWriter.finish()).text());
        }
        oneWriter.begin(buffer, 3);
        oneWriter.setLong(0, 1);
        for (long value : new long[] {min - 1, max + 1}) {
            if (value >= min && value <= max) {
                continue;
            }
            assertEquals(
                    "value does not fit its field: field=v, type=" + type + ", value=" + value + ", min=" + min
                            + ", max=" + max,
                    assertThrows(IllegalArgumentException.class, () -> oneWriter.setLong(0, value))
                            .getMessage());
        }
        assertEquals("1", read(one, "v", 3, oneWriter.finish()).text());
    }

    @Test
    void shouldTakeUnsignedBits() {
        StructFormat one = Formats.struct("v:u64");
        StructWriter oneWriter = new StructWriter(one);
        oneWriter.begin(buffer, 0);
        oneWriter.setUnsigned(0, -1);
        FieldValue value = read(one, "v", 0, oneWriter.finish());
        assertEquals(FieldValue.Kind.UNSIGNED, value.kind());
        assertEquals("18446744073709551615", value.text());
        oneWriter.begin(buffer, 0);
        oneWriter.setUnsigned(0, Long.MAX_VALUE);
        assertEquals(
                FieldValue.Kind.INTEGER, read(one, "v", 0, oneWriter.finish()).kind());
    }

    @Test
    void shouldRefuseFloatWhenBeyondItsRange() {
        begin();
        writer.setDouble(2, Float.MAX_VALUE);
        writer.setDouble(2, Double.NEGATIVE_INFINITY);
        writer.setDouble(2, Double.NaN);
        assertEquals(
                "value does not fit its field: field=x, type=f32, value=1.0E39",
                assertThrows(IllegalArgumentException.class, () -> writer.setDouble(2, 1e39))
                        .getMessage());
        writer.setDouble(2, 0.1);
        writer.setBytes(3, new UnsafeBuffer(new byte[0]), 0, 0);
        assertEquals(0.1f, read(format, "x", 0, writer.finish()).doubleValue());
    }

    @Test
    void shouldRefuseSetterWhenTypeDiffers() {
        StructFormat all = Formats.struct("i:i64,d:f64,b:bool,s:utf8,y:bytes");
        StructWriter w = new StructWriter(all);
        w.begin(buffer, 0);
        UnsafeBuffer none = new UnsafeBuffer(new byte[0]);
        assertEquals(
                "field has a different type: field=d, type=f64, given=an integer",
                assertThrows(IllegalArgumentException.class, () -> w.setLong(1, 1))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> w.setLong(3, 1));
        assertThrows(IllegalArgumentException.class, () -> w.setUnsigned(0, 1));
        assertThrows(IllegalArgumentException.class, () -> w.setDouble(0, 1));
        assertThrows(IllegalArgumentException.class, () -> w.setBoolean(0, true));
        assertThrows(IllegalArgumentException.class, () -> w.setUtf8(4, ""));
        assertThrows(IllegalArgumentException.class, () -> w.setUtf8(4, none, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> w.setBytes(3, none, 0, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> w.setLong(5, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> w.setLong(-1, 0));
    }

    @Test
    void shouldLeaveOptionalFieldsAbsentWhenNotSet() {
        begin();
        writer.setBytes(3, new UnsafeBuffer(new byte[] {9}), 0, 1);
        int length = writer.finish();
        assertEquals(1 + 2 + 4 + 1 + 2 + 1, length);
        assertEquals(FieldValue.Kind.ABSENT, read(format, "a", 0, length).kind());
        assertEquals(FieldValue.Kind.ABSENT, read(format, "x", 0, length).kind());
        assertEquals(FieldValue.Kind.ABSENT, read(format, "c", 0, length).kind());
        assertEquals("7", read(format, "n", 0, length).text());
        assertEquals("\t", read(format, "b", 0, length).text());
        assertEquals((byte) 0xAA, buffer.getByte(length));
    }

    @Test
    void shouldRefuseToFinishWhenRequiredFieldIsNotSet() {
        writer.begin(buffer, 0);
        assertEquals(
                "required field is not set: field=n, type=u16",
                assertThrows(IllegalStateException.class, writer::finish).getMessage());
        writer.setLong(0, 1);
        assertEquals(
                "required field is not set: field=b, type=bytes",
                assertThrows(IllegalStateException.class, writer::finish).getMessage());
        writer.setUtf8(1, "a");
        writer.setBytes(3, new UnsafeBuffer(new byte[0]), 0, 0);
        assertEquals(7 + 2 + 1 + 1, writer.finish());
    }

    @Test
    void shouldRefuseVariableFieldWhenOutOfOrder() {
        begin();
        writer.setUtf8(4, "late");
        assertEquals(
                "variable-length fields must be set once, in declared order: field=a, type=utf8",
                assertThrows(IllegalStateException.class, () -> writer.setUtf8(1, "early"))
                        .getMessage());
        assertThrows(IllegalStateException.class, () -> writer.setUtf8(4, "again"));
    }

    @Test
    void shouldRefuseEverySetterWhenNotBegun() {
        assertThrows(IllegalStateException.class, () -> writer.setLong(0, 1));
        assertThrows(IllegalStateException.class, () -> writer.setDouble(2, 1));
        assertThrows(IllegalStateException.class, () -> writer.setUtf8(1, ""));
        assertThrows(IllegalStateException.class, writer::finish);
        begin();
        writer.setBytes(3, new UnsafeBuffer(new byte[0]), 0, 0);
        writer.finish();
        assertThrows(IllegalStateException.class, () -> writer.setLong(0, 1));
        assertEquals(
                "no payload was begun: format=" + format.text(),
                assertThrows(IllegalStateException.class, writer::finish).getMessage());
    }

    @Test
    void shouldNotLeaveItsRoom() {
        assertEquals(10, format.lengthMin());
        assertEquals(
                "payload does not fit: needed=10, room=9",
                assertThrows(IllegalArgumentException.class, () -> writer.begin(buffer, 0, 9))
                        .getMessage());
        writer.begin(buffer, 16, 15);
        writer.setLong(0, 7);
        writer.setUtf8(1, "abc");
        assertEquals(
                "payload does not fit: field=b, type=bytes, needed=16, room=15",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> writer.setBytes(3, new UnsafeBuffer(new byte[3]), 0, 3))
                        .getMessage());
        writer.setBytes(3, new UnsafeBuffer(new byte[2]), 0, 2);
        assertEquals(15, writer.finish());
        assertEquals((byte) 0xAA, buffer.getByte(15));
        assertEquals((byte) 0xAA, buffer.getByte(31));
        assertEquals("abc", read(format, "a", 16, 15).text());
    }

    @Test
    void shouldTakeBuffersEndForRoomWhenItCannotBeExpanded() {
        UnsafeBuffer fixed = new UnsafeBuffer(new byte[14]);
        assertThrows(IllegalArgumentException.class, () -> writer.begin(fixed, 5));
        writer.begin(fixed, 4, 1000);
        writer.setLong(0, 1);
        assertThrows(IllegalArgumentException.class, () -> writer.setUtf8(1, "a"));
        writer.setBytes(3, fixed, 0, 0);
        assertEquals(10, writer.finish());
    }

    @Test
    void shouldExpandBufferWhenItCanBe() {
        ExpandableArrayBuffer small = new ExpandableArrayBuffer(1);
        writer.begin(small, 100);
        writer.setLong(0, 1);
        writer.setUtf8(1, "é".repeat(10_000));
        writer.setBytes(3, small, 0, 0);
        int length = writer.finish();
        FieldValue value = new FieldValue();
        reader(format, "a").read(small, 100, length, value);
        assertEquals("é".repeat(10_000), value.text());
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "127", "128", "16383", "16384", "2097151", "2097152"})
    void shouldReadBackTextOfLengthsAtEveryEdge(int length) {
        String text = "z".repeat(length);
        begin();
        writer.setUtf8(1, text);
        writer.setBytes(3, new UnsafeBuffer(new byte[] {1}), 0, 1);
        writer.setUtf8(4, "end");
        int total = writer.finish();
        assertEquals(text, read(format, "a", 0, total).text());
        assertEquals("end", read(format, "c", 0, total).text());
    }

    @Test
    void shouldEncodeTextAsJavaDoesButForLoneSurrogates() {
        String text = "a\u0000\u007F\u0080\u07FF\u0800\uFFFF\uD800\uDC00\uDBFF\uDFFFz";
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        begin();
        writer.setUtf8(1, text);
        assertThrows(IllegalStateException.class, writer::finish);
        begin();
        writer.setUtf8(1, text);
        writer.setBytes(3, new UnsafeBuffer(utf8), 0, utf8.length);
        writer.setUtf8(4, "\uD83D-\uDE00\uD83D");
        int length = writer.finish();
        assertEquals(text, read(format, "a", 0, length).text());
        assertEquals(utf8.length, read(format, "a", 0, length).length());
        assertEquals("\uFFFD-\uFFFD\uFFFD", read(format, "c", 0, length).text());
        begin();
        writer.setUtf8(1, new UnsafeBuffer(utf8), 0, utf8.length);
        writer.setBytes(3, buffer, 0, 0);
        assertEquals(text, read(format, "a", 0, writer.finish()).text());
    }

    private void begin() {
        writer.begin(buffer, 0);
        writer.setLong(0, 7);
    }

    private static FieldReader reader(PayloadFormat format, String field) {
        FieldReader reader = format.field(field);
        if (reader == null) {
            throw new AssertionError(field);
        }
        return reader;
    }

    private FieldValue read(StructFormat from, String field, int offset, int length) {
        FieldValue value = new FieldValue();
        reader(from, field).read(buffer, offset, length, value);
        return value;
    }
}
