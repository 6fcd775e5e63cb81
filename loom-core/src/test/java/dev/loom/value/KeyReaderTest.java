package dev.loom.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import dev.loom.format.LookupWithoutPayloads;
import dev.loom.format.PayloadFormat;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
            value = Field.Type.class,
            names = {"UTF8", "BYTES", "ANY", "JSON"},
            mode = EnumSource.Mode.EXCLUDE)
    void shouldReadAtFixedPlaceWhatTheFormatReads(Field.Type type) {
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
                if (type == Field.Type.BOOL) {
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
        "u64, 9223372036854775808.0, 9223372036854775808",
        "u64, 18446744073709551616.0, unfit",
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

    /** With this many optional fields, the bits that say which are missing take two bytes. */
    @ParameterizedTest
    @EnumSource(
            value = Field.Type.class,
            names = {"UTF8", "BYTES", "ANY", "JSON"},
            mode = EnumSource.Mode.EXCLUDE)
    void shouldReadABatchAsOneRecordAfterTheOther(Field.Type type) {
        System.out.println("KeyReaderTest: -Dloom.test.seed=" + seed);
        for (String optional : new String[] {"", "?"}) {
            StructFormat format = Formats.struct(
                    "a:u8?,b:u8?,c:u8?,d:u8?,e:u8?,f:u8?,g:u8?,h:u8?,v:" + type.text() + optional + ",z:utf8");
            KeyReader reader = new KeyReader(IndexFunction.field(format, "v"));
            FieldReader field = Objects.requireNonNull(format.field("v"));
            KeyReader called = new KeyReader(IndexFunction.of("same", reader.type(), ValueUnit.NONE, field));
            UnsafeBuffer payloads = new UnsafeBuffer(new byte[4096]);
            random.nextBytes(payloads.byteArray());
            RecordBatch batch = new RecordBatch();
            batch.begin(0, 0);
            List<Long> expected = new ArrayList<>();
            while (!batch.isFull()) {
                int offset = random.nextInt(4000);
                int length = 10 + random.nextInt(14);
                batch.add(payloads, offset, length);
                if (called.read(payloads, offset, length)) {
                    expected.add(called.key());
                }
            }
            int found = reader.readAll(batch);
            assertEquals(
                    expected, Arrays.stream(batch.keys()).limit(found).boxed().toList(), () -> "seed=" + seed);
            assertFalse(batch.hasRemainders());
        }
    }

    private static void add(RecordBatch batch, String json) {
        byte[] payload = json.getBytes(StandardCharsets.UTF_8);
        batch.setOne(new UnsafeBuffer(payload), 0, payload.length, 0);
    }

    @Test
    void shouldKeepTheRemaindersOfABatchUntilTheNext() {
        KeyReader reader = new KeyReader(IndexFunction.field(Formats.json(), "v"));
        RecordBatch batch = new RecordBatch();
        byte[] text = "{\"v\":7}{\"u\":7}{\"v\":9007199254740993}".getBytes(StandardCharsets.UTF_8);
        batch.begin(0, 0);
        UnsafeBuffer payloads = new UnsafeBuffer(text);
        batch.add(payloads, 0, 7);
        batch.add(payloads, 7, 7);
        batch.add(payloads, 14, text.length - 14);
        assertEquals(2, reader.readAll(batch));
        assertTrue(batch.hasRemainders());
        assertEquals(0, batch.remainder(0));
        assertEquals(1, batch.remainder(1));
        add(batch, "{\"v\":8}");
        assertEquals(1, reader.readAll(batch));
        assertFalse(batch.hasRemainders());
        assertEquals(0, batch.remainder(0));
        assertEquals(ValueType.doubleKey(8), batch.keys()[0]);
    }

    /** Knows the record that refers, and fails when asked to. */
    private static final class Lookup extends LookupWithoutPayloads {
        private final List<Long> from = new ArrayList<>();

        @Override
        public void from(long recordAddress) {
            from.add(recordAddress);
        }

        @Override
        public boolean mayRefer(long address) {
            return address > 0;
        }

        @Override
        public boolean find(long address, String format) {
            failures += address < 0 ? 1 : 0;
            return address > 0;
        }
    }

    private static final IndexFunction REFERRING =
            IndexFunction.of("r", ValueType.I64, ValueUnit.NONE, (b, o, l, v) -> {
                boolean found = Objects.requireNonNull(v.lookup()).find(b.getLong(o), "bytes");
                v.setInteger(found ? 1 : 0);
            });

    @Test
    void shouldTellTheLookupWhichRecordRefers() {
        Lookup lookup = new Lookup();
        KeyReader reader = new KeyReader(REFERRING, lookup);
        UnsafeBuffer ring = new UnsafeBuffer(new byte[64]);
        RecordBatch batch = new RecordBatch();
        batch.begin(1_024 - 16, 48 + 8); // the payload is eight behind the record; the ring wraps around
        for (int at : new int[] {56, 0, 16}) {
            ring.putLong(at, 1);
            batch.add(ring, at, 8);
        }
        assertEquals(3, reader.readAll(batch));
        assertEquals(List.of(1_008L, 1_016L, 1_032L), lookup.from);
        batch.setOne(ring, 0, 8, 77);
        assertEquals(1, reader.readAll(batch));
        assertEquals(77, lookup.from.get(3));
    }

    @Test
    void shouldCountAsUnfitWhatRefersToADamagedRecord() {
        KeyReader reader = new KeyReader(REFERRING, new Lookup());
        UnsafeBuffer payload = new UnsafeBuffer(new byte[8]);
        for (long address : new long[] {1, 0, -1, 1, -1}) {
            payload.putLong(0, address);
            assertEquals(address >= 0, reader.read(payload, 0, 8));
            if (address >= 0) {
                assertEquals(address, reader.key());
            }
        }
        assertEquals(2, reader.unfit());
        assertEquals(0, reader.failures());
    }

    @ParameterizedTest
    @CsvSource({"'[1]', 1", "' \t[1]', 1", "'{}', 0", "' {[}', 0", "'  ', 0", "'', 0", "'![', 0"})
    void shouldCountArraysAloneAsUnfit(String json, int unfit) {
        byte[] payload = ("[" + json + "[").getBytes(StandardCharsets.UTF_8);
        KeyReader reader = new KeyReader(IndexFunction.of("j", ValueType.I64, ValueUnit.NONE, (b, o, l, v) -> {
            v.setBytes(FieldValue.Kind.JSON, b, o, l);
        }));
        assertFalse(reader.read(new UnsafeBuffer(payload), 1, payload.length - 2));
        assertEquals(unfit, reader.unfit());
    }

    /** What a function sets may be of the last record, of which this one says nothing. */
    @Test
    void shouldHaveNoValueWhenTheFunctionSetsNone() {
        for (ValueType type : ValueType.values()) {
            KeyReader reader = new KeyReader(IndexFunction.of("odd", type, ValueUnit.NONE, (b, o, l, v) -> {
                if (l % 2 == 1) {
                    v.setInteger(l);
                }
                if (l == 6) {
                    v.setDouble(Double.NaN);
                }
            }));
            UnsafeBuffer payload = new UnsafeBuffer(new byte[8]);
            for (int length = 0; length < 8; length++) {
                assertEquals(length % 2 == 1, reader.read(payload, 0, length));
            }
            assertEquals(0, reader.unfit());
        }
    }

    @Test
    void shouldThrowAndCountWhenMemoryIsLacking() {
        KeyReader reader = new KeyReader(IndexFunction.of("large", ValueType.I64, ValueUnit.NONE, (b, o, l, v) -> {
            throw new OutOfMemoryError("injected failure");
        }));
        assertThrows(OutOfMemoryError.class, () -> reader.read(new UnsafeBuffer(new byte[8]), 0, 8));
        assertEquals(1, reader.failures());
        assertEquals(0, reader.unfit());
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
