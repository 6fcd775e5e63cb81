package dev.loom.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldType;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class KeyReaderTest {
    private static final int MARGIN = 3;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @ParameterizedTest
    @EnumSource(
            value = FieldType.class,
            names = {"UTF8", "BYTES", "ANY", "JSON"},
            mode = EnumSource.Mode.EXCLUDE)
    void shouldReadAtFixedPlaceWhatTheFormatReads(FieldType type) {
        System.out.println("KeyReaderTest: -Dloom.test.seed=" + seed);
        for (String optional : new String[] {"", "?"}) {
            StructFormat format = Formats.struct("a:u8?,v:" + type.text() + optional + ",b:utf8");
            IndexFunction fixed = IndexFunction.field(format, "v");
            FieldReader reader = Objects.requireNonNull(format.field("v"));
            KeyReader direct = new KeyReader(fixed);
            KeyReader called = new KeyReader(IndexFunction.of("same", fixed.type(), ValueUnit.NONE, reader));
            assertTrue(fixed.fixedField() != null);
            for (int round = 0; round < 2_000; round++) {
                UnsafeBuffer payload = new UnsafeBuffer(new byte[40]);
                random.nextBytes(payload.byteArray());
                if (type == FieldType.BOOL) {
                    payload.putByte(MARGIN + 1, (byte) random.nextInt(3));
                }
                int length = random.nextInt(14);
                boolean present = called.read(payload, MARGIN, length);
                assertEquals(present, direct.read(payload, MARGIN, length), () -> "seed=" + seed);
                if (present) {
                    assertEquals(called.key(), direct.key(), () -> "seed=" + seed);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "i64, -9223372036854775808, -9223372036854775808",
        "i64, 9223372036854775807, 9223372036854775807",
        "i64, 9007199254740993, 9007199254740993",
        "i64, 1e3, 1000",
        "i64, -9223372036854775808.0, -9223372036854775808",
        "i64, true, 1",
        "i64, 9223372036854775808, unfit",
        "i64, 9223372036854775808.0, unfit",
        "i64, 1.5, unfit",
        "i64, 1e999, unfit",
        "i64, null, none",
        "i64, '\"12\"', none",
        "i64, '[1]', unfit",
        "u64, 18446744073709551615, 18446744073709551615",
        "u64, 9223372036854775808, 9223372036854775808",
        "u64, 18446744073709549568.0, 18446744073709549568",
        "u64, 0, 0",
        "u64, -0.0, 0",
        "u64, -1, unfit",
        "u64, -1.0, unfit",
        "u64, 18446744073709551616, unfit",
        "f64, 0.1, 0.1",
        "f64, -0.0, 0.0",
        "f64, 9007199254740992, 9.007199254740992E15",
        "f64, 18446744073709549568, 1.8446744073709550E19",
        "f64, '[1]', unfit",
        "f64, '{}', none",
        "f64, -1e999, -Infinity",
        "f64, false, 0.0",
    })
    void shouldTakeValueAsTheTypeSays(String type, String json, String expected) {
        KeyReader reader =
                new KeyReader(IndexFunction.field(Formats.json(), "v", ValueType.parse(type), ValueUnit.NONE));
        byte[] payload = ("{\"v\":" + json + "}").getBytes(StandardCharsets.UTF_8);
        boolean present = reader.read(new UnsafeBuffer(payload), 0, payload.length);
        assertEquals(expected.equals("unfit") ? 1 : 0, reader.unfit());
        assertEquals(!expected.equals("unfit") && !expected.equals("none"), present);
        if (present) {
            String value = reader.type() == ValueType.F64 ? Double.toString(Double.parseDouble(expected)) : expected;
            assertEquals(value, reader.type().format(reader.key()));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "9007199254740993, 9.007199254740992E15, 1",
        "9007199254740995, 9.007199254740994E15, 1",
        "-9007199254740993, -9.007199254740994E15, 1",
        "9223372036854775807, 9.223372036854774784E18, 1023",
        "-9223372036854775807, -9.223372036854775808E18, 1",
        "18446744073709551615, 1.8446744073709549568E19, 2047",
        "9223372036854776833, 9.223372036854775808E18, 1025",
    })
    void shouldKeepOfAnIntegerWhatItIsMoreThanADouble(String json, double expected, int remainder) {
        KeyReader reader = new KeyReader(IndexFunction.field(Formats.json(), "v"));
        byte[] payload = ("{\"v\":" + json + "}").getBytes(StandardCharsets.UTF_8);
        assertTrue(reader.read(new UnsafeBuffer(payload), 0, payload.length));
        assertEquals(expected, ValueType.doubleOf(reader.key()));
        assertEquals(remainder, reader.remainder());
        assertEquals(1, reader.unfit());
        payload = "{\"v\":7}".getBytes(StandardCharsets.UTF_8);
        assertTrue(reader.read(new UnsafeBuffer(payload), 0, payload.length));
        assertEquals(0, reader.remainder());
    }

    @Test
    void shouldRoundUnsignedToTheNearestDouble() {
        KeyReader reader = new KeyReader(IndexFunction.of("u", ValueType.F64, ValueUnit.NONE, (b, o, l, v) -> {
            v.setUnsigned(b.getLong(o));
        }));
        UnsafeBuffer payload = new UnsafeBuffer(new byte[8]);
        for (int i = 0; i < 20_000; i++) {
            long bits = random.nextLong() << random.nextInt(20);
            payload.putLong(0, bits);
            assertTrue(reader.read(payload, 0, 8));
            double expected = new BigDecimal(Long.toUnsignedString(bits)).doubleValue();
            assertEquals(expected, ValueType.doubleOf(reader.key()), () -> "seed=" + seed + " " + bits);
        }
    }

    @Test
    void shouldCountThrowingFunctionAndGoOn() {
        KeyReader reader = new KeyReader(IndexFunction.of("odd", ValueType.I64, ValueUnit.NONE, (b, o, l, v) -> {
            v.setInteger(l);
            if (l % 3 == 0) {
                throw new IllegalStateException();
            }
            if (l % 3 == 1) {
                throw new StackOverflowError();
            }
        }));
        UnsafeBuffer payload = new UnsafeBuffer(new byte[8]);
        assertFalse(reader.read(payload, 0, 0));
        assertFalse(reader.read(payload, 0, 1));
        assertTrue(reader.read(payload, 0, 2));
        assertEquals(2, reader.key());
        assertEquals(2, reader.failures());
        assertEquals(1, reader.unfit(), "what overflows the stack may have a value elsewhere");
    }

    @Test
    void shouldHaveNoValueWhenDoubleIsNotANumber() {
        StructFormat format = Formats.struct("v:f64");
        KeyReader reader = new KeyReader(IndexFunction.field(format, "v"));
        UnsafeBuffer payload = new UnsafeBuffer(new byte[8]);
        StructWriter writer = new StructWriter(format);
        for (double value : new double[] {Double.NaN, -Double.NaN, 1, Double.NEGATIVE_INFINITY}) {
            writer.begin(payload, 0);
            writer.setDouble(0, value);
            assertEquals(!Double.isNaN(value), reader.read(payload, 0, writer.finish()));
        }
    }

    @Test
    void shouldReadAndWriteText() {
        PayloadFormat format = Formats.parse("struct:latency_ns:i64,flag:bool?,id:u64,load:f32,op:utf8");
        assertEquals(
                "field:i64:ns:latency_ns",
                IndexFunction.field(format, "latency_ns").text());
        assertEquals("field:i64:1:flag", IndexFunction.field(format, "flag").text());
        assertEquals("field:u64:1:id", IndexFunction.field(format, "id").text());
        assertEquals("field:f64:1:load", IndexFunction.field(format, "load").text());
        assertEquals(
                "field:f64:ms:a:b.c_ms",
                IndexFunction.field(Formats.json(), "a:b.c_ms").text());
        IndexFunction lambda = IndexFunction.of("my:own", ValueType.U64, ValueUnit.BYTES, (b, o, l, v) -> {});
        assertEquals("lambda:u64:By:my:own", lambda.text());
        for (String text :
                new String[] {"field:i64:ns:latency_ns", "field:f64:s:id", "lambda:u64:By:my:own", "field:f64:1:gone"
                }) {
            IndexFunction parsed = IndexFunction.parse(text, format);
            assertEquals(text, parsed.text());
            assertEquals(text.contains("latency") || text.endsWith("id"), parsed.isReadable());
        }
        for (String text :
                new String[] {"", "field", "field:i64:latency", "x:i64:ns:a", "field:i32:ns:a", "field:i64:h:a"}) {
            assertThrows(IllegalArgumentException.class, () -> IndexFunction.parse(text, format));
        }
        for (String field : new String[] {"op", "none", ""}) {
            assertThrows(IllegalArgumentException.class, () -> IndexFunction.field(format, field));
        }
    }
}
