package dev.loom.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.loom.api.IndexFunction;
import dev.loom.value.KeyReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class TimedFormatTest {
    private static final long TIME_NS = 1_700_000_000_123_456_789L;
    private static final String STRUCT = "struct:n:u16,op:utf8?,ok:bool?,ms:f32?";

    private final FieldValue value = new FieldValue();

    @Test
    void shouldReadTimeAndFieldsOfEveryFormat() {
        assertEquals(
                "{event_time=1700000000123456789, line=a b}",
                fields("timed:text", timed("a b")).toString());
        assertEquals(
                "{event_time=1700000000123456789, bytes=xyz}",
                fields("timed:bytes", timed("xyz")).toString());
        assertEquals(
                "{event_time=1700000000123456789, json={\"a\":{\"b\":7}}}",
                fields("timed:json", timed("{\"a\":{\"b\":7}}")).toString());
        assertEquals("7", read("timed:json", "a.b", timed("{\"a\":{\"b\":7}}")));
        assertNull(Formats.parse("timed:text").field("bytes"));
        assertNull(Formats.parse("timed:" + STRUCT).field("ts"));
    }

    /** The same fields as of the payload alone, wherever it is cut, and whatever lies around it. */
    @Test
    void shouldReadSameFieldsAsOfPayloadAlone() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (String inner : new String[] {STRUCT, "text", "json", "bytes"}) {
            PayloadFormat format = Formats.parse(inner);
            PayloadFormat timed = Formats.parse("timed:" + inner);
            for (int round = 0; round < 500; round++) {
                byte[] bytes = new byte[random.nextInt(40)];
                random.nextBytes(bytes);
                int length = random.nextInt(bytes.length + 1);
                Map<String, String> expected = new LinkedHashMap<>();
                boolean whole = length >= Long.BYTES;
                expected.put(
                        "event_time",
                        whole
                                ? "INTEGER "
                                        + ByteBuffer.wrap(bytes)
                                                .order(ByteOrder.LITTLE_ENDIAN)
                                                .getLong()
                                : "ABSENT ");
                format.forEachField(
                        new UnsafeBuffer(bytes),
                        whole ? Long.BYTES : 0,
                        whole ? length - Long.BYTES : -1,
                        value,
                        (name, v) -> expected.put(name.isEmpty() ? inner : name, shown(v)));
                UnsafeBuffer around = new UnsafeBuffer(new byte[bytes.length + 16]);
                random.nextBytes(around.byteArray());
                around.putBytes(5, bytes);
                Map<String, String> actual = new LinkedHashMap<>();
                timed.forEachField(around, 5, length, value, (name, v) -> actual.put(name, shown(v)));
                assertEquals(expected, actual, "seed=" + seed + ", format=" + inner);
                for (String name : expected.keySet()) {
                    reader(timed, name).read(around, 5, length, value);
                    assertEquals(expected.get(name), shown(value), "seed=" + seed + ", field=" + name);
                }
            }
        }
    }

    @Test
    void shouldReadFixedFieldsAtTheirPlace() {
        PayloadFormat timed = Formats.parse("timed:" + STRUCT);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[32]);
        payload.putLong(0, TIME_NS);
        StructWriter writer = new StructWriter((StructFormat) Formats.parse(STRUCT));
        writer.begin(payload, 8);
        writer.setLong(0, 513);
        writer.setDouble(3, 0.5);
        int length = 8 + writer.finish();
        for (String field : new String[] {"event_time", "n", "ms"}) {
            KeyReader keys = new KeyReader(IndexFunction.field(timed, field));
            reader(timed, field).read(payload, 0, length, value);
            assertEquals(true, keys.read(payload, 0, length));
            assertEquals(value.text(), keys.type().format(keys.key()));
        }
        KeyReader absent = new KeyReader(IndexFunction.field(timed, "ok"));
        assertEquals(false, absent.read(payload, 0, length));
    }

    @Test
    void shouldStayWithinPayloadWhenItsBoundsAreWrong() {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[24]);
        for (String field : new String[] {"event_time", "line"}) {
            FieldReader reader = reader(Formats.parse("timed:text"), field);
            for (int[] range : new int[][] {
                {-4, 16}, {20, 16}, {0, -1}, {0, 7}, {Integer.MAX_VALUE, 8}, {Integer.MAX_VALUE - 8, 8}, {25, 8}
            }) {
                value.setInteger(1);
                reader.read(buffer, range[0], range[1], value);
                assertEquals(FieldValue.Kind.ABSENT, value.kind(), field + " at " + range[0]);
            }
        }
    }

    @Test
    void shouldRefuseWhatItCannotTime() {
        for (String text : new String[] {
            "timed",
            "timed:",
            "timed:xml",
            "timed:timed:text",
            "timed:".repeat(100_000) + "text",
            "timed:struct:event_time:i64"
        }) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> Formats.parse(text),
                    text.substring(0, Math.min(text.length(), 40)));
        }
        assertThrows(IllegalArgumentException.class, () -> Formats.timed(Formats.timed(Formats.text())));
        assertThrows(IllegalArgumentException.class, () -> Formats.parse("struct:a:any"));
    }

    private Map<String, String> fields(String format, UnsafeBuffer payload) {
        Map<String, String> fields = new LinkedHashMap<>();
        Formats.parse(format)
                .forEachField(payload, 0, payload.capacity(), value, (name, v) -> fields.put(name, v.text()));
        return fields;
    }

    private String read(String format, String field, UnsafeBuffer payload) {
        reader(Formats.parse(format), field).read(payload, 0, payload.capacity(), value);
        return value.text();
    }

    private static FieldReader reader(PayloadFormat format, String field) {
        return Objects.requireNonNull(format.field(field), field);
    }

    private static String shown(FieldValue value) {
        return value.kind() + " " + value.text();
    }

    private static UnsafeBuffer timed(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[Long.BYTES + bytes.length]);
        payload.putLong(0, TIME_NS);
        payload.putBytes(Long.BYTES, bytes);
        return payload;
    }
}
