package dev.loom.server.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.loom.api.ValueUnit;
import dev.loom.format.Field;
import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.query.column.Column;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.service.RequestException;
import dev.loom.server.json.FieldCell;
import dev.loom.server.json.JsonResults;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.text.DataOutput;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is written, read by the specification of Arrow, against what was given. */
final class ArrowTableTest {
    private static final List<Field.Type> TYPES =
            Arrays.stream(Field.Type.values()).filter(Field.Type::isForStructs).toList();
    private static final long[] LONGS = {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 53};
    private static final double[] DOUBLES = {
        0, -0.0, 1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, Double.MAX_VALUE
    };
    private static final String[] TEXTS = {"", "a", "\u0000", "\u00e9\ud83d\ude00\u202e", "x".repeat(3000)};
    private static final Map<String, Object> WHOLE = Map.of("complete", true);

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final DataOutput data = new DataOutput(out, false);
    private final ArrowTable table = new ArrowTable(data, QueryMemory.UNLIMITED);

    private ArrowMessages ended() {
        table.end(WHOLE);
        ArrowMessages read = new ArrowMessages(out.toByteArray());
        assertEquals("true", read.outcome.get("loom.complete"));
        return read;
    }

    @Test
    void shouldHoldEveryValueOfEveryType() {
        StructFormat format = Formats.struct(TYPES.stream()
                .flatMap(type -> List.of(
                        new Field(type.text(), type, false),
                        new Field(type.text() + "_or_null", type, true),
                        new Field(type.text() + "_null", type, true))
                        .stream())
                .toList());
        StructWriter writer = new StructWriter(format);
        ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        RecordPrinter printer = table.records("s", format, false);
        List<List<String>> expected = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            long timeNs = random.nextLong();
            List<String> row = new ArrayList<>(List.of(timeNs + "", i * 8L + ""));
            writer.begin(buffer, 0);
            for (int field = 0; field < format.fields().size(); field++) {
                boolean absent = field % 3 == 2 || (field % 3 == 1 && random.nextInt(4) == 0);
                row.add(absent ? "null" : set(writer, field, TYPES.get(field / 3)));
            }
            printer.print(timeNs, i * 8L, buffer, 0, writer.finish());
            expected.add(row);
            if (random.nextInt(2_000) == 0) {
                printer.flush();
            }
        }
        ArrowMessages read = ended();
        assertEquals(List.of("time", "addr", "i8", "i8_or_null"), read.columns.subList(0, 4));
        assertEquals(List.of("ns UTC", "i64", "i8?", "i8?"), read.types.subList(0, 4));
        assertEquals(expected.size(), read.rows.size());
        for (int i = 0; i < expected.size(); i++) {
            assertEquals(expected.get(i), read.rows.get(i), "seed=" + seed + ", row=" + i);
        }
        assertTrue(read.batchRows.size() > 4, "batches=" + read.batchRows);
        assertTrue(read.batchBytes.stream().allMatch(bytes -> bytes < 2 * ArrowStream.BATCH_BYTES));
        assertEquals(Map.of("loom.source", "s", "loom.format", format.text()), read.said);
        assertEquals(Map.of(), table.altered());
    }

    private String set(StructWriter writer, int field, Field.Type type) {
        long bits = random.nextInt(4) == 0 ? LONGS[random.nextInt(LONGS.length)] : random.nextLong();
        switch (type) {
            case I8, I16, I32, I64 -> {
                long value = bits >> (Long.SIZE - type.fixedLength() * Byte.SIZE);
                writer.setLong(field, value);
                return Long.toString(value);
            }
            case U8, U16, U32 -> {
                long value = bits >>> (Long.SIZE - type.fixedLength() * Byte.SIZE);
                writer.setLong(field, value);
                return Long.toString(value);
            }
            case U64 -> {
                writer.setUnsigned(field, bits);
                return Long.toUnsignedString(bits);
            }
            case F32, F64 -> {
                double value = random.nextInt(4) == 0 ? DOUBLES[random.nextInt(DOUBLES.length)] : random.nextGaussian();
                writer.setDouble(field, type == Field.Type.F32 ? (float) value : value);
                return type == Field.Type.F32 ? Float.toString((float) value) : Double.toString(value);
            }
            case BOOL -> {
                writer.setBoolean(field, bits < 0);
                return Boolean.toString(bits < 0);
            }
            case UTF8 -> {
                String text = random.nextInt(50) == 0 ? TEXTS[4] : TEXTS[random.nextInt(4)];
                writer.setUtf8(field, text);
                return text;
            }
            case BYTES -> {
                byte[] bytes = new byte[random.nextInt(20)];
                random.nextBytes(bytes);
                writer.setBytes(field, new UnsafeBuffer(bytes), 0, bytes.length);
                return HexFormat.of().formatHex(bytes);
            }
            default -> throw new AssertionError(type);
        }
    }

    private List<List<String>> printed(PayloadFormat format, byte[]... payloads) {
        RecordPrinter printer = table.records("s", format, true);
        long address = 0;
        for (byte[] payload : payloads) {
            printer.print(7, address += 8, new UnsafeBuffer(payload), 0, payload.length);
        }
        return ended().rows;
    }

    @Test
    void shouldHaveTheTextOfRecordsThatNameTheirFields() {
        byte[] json = "{\"a\": [1, 2]}".getBytes(StandardCharsets.UTF_8);
        assertEquals(
                List.of(List.of("7", "8", "0", "{\"a\": [1, 2]}"), List.of("7", "16", "0", "")),
                printed(Formats.json(), json, new byte[0]));
    }

    @Test
    void shouldGiveChosenFieldsTheTypesThatAreAskedFor() {
        List<String> fields = List.of("status:i32", "user.id", "share:f64", "ok:bool", "none:u8", "key:x");
        String[] records = {
            "{\"status\":200,\"user\":{\"id\":7},\"share\":1,\"ok\":true,\"key:x\":[1, 2]}",
            "{\"status\":\"200\",\"user\":{\"id\":\"u\"},\"share\":0.5,\"ok\":1,\"none\":256}",
            "{\"status\":3000000000}"
        };
        byte[][] payloads = Arrays.stream(records)
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        assertEquals(
                List.of(
                        List.of("7", "8", "0", "200", "7", "1.0", "true", "null", "[1, 2]"),
                        List.of("7", "16", "0", "null", "u", "0.5", "null", "null", "null"),
                        List.of("7", "24", "0", "null", "null", "null", "null", "null", "null")),
                printed(JsonResults.chosen(Formats.json(), fields), payloads));
        assertEquals(Map.of("unfitting", 4L), table.altered());
        assertThrows(RequestException.class, () -> JsonResults.chosen(Formats.json(), List.of("a", "b:i32", "a:i64")));
    }

    @Test
    void shouldReplaceWhatIsNotUtf8AndSaySo() {
        byte[] mixed = {'a', (byte) 0xC3, (byte) 0xA9, (byte) 0xFF, 'b'};
        byte[] cut = {'x', (byte) 0xF0, (byte) 0x9F};
        byte[] surrogate = {(byte) 0xED, (byte) 0xA0, (byte) 0x80};
        byte[] valid = "\ud83d\ude00".repeat(700).getBytes(StandardCharsets.UTF_8);
        List<List<String>> rows = printed(Formats.text(), mixed, cut, surrogate, valid);
        assertEquals("a\u00e9\ufffdb", rows.get(0).get(3));
        assertEquals("x\ufffd", rows.get(1).get(3));
        assertEquals("\ufffd", rows.get(2).get(3));
        assertEquals("\ud83d\ude00".repeat(700), rows.get(3).get(3));
        assertEquals(Map.of("repaired", 3L), table.altered());
    }

    @Test
    void shouldFindWhatIsNotUtf8WhereverItIs() {
        List<byte[]> texts = new ArrayList<>();
        for (int length = 1; length <= 20; length++) {
            for (int at = 0; at < length; at++) {
                byte[] text = new byte[length];
                Arrays.fill(text, (byte) 'a');
                text[at] = (byte) (random.nextBoolean() ? 0xFF : 0x80);
                texts.add(text);
            }
        }
        List<List<String>> rows = printed(Formats.text(), texts.toArray(byte[][]::new));
        for (int i = 0; i < rows.size(); i++) {
            assertEquals(
                    new String(texts.get(i), StandardCharsets.US_ASCII),
                    rows.get(i).get(3));
        }
        assertEquals(Map.of("repaired", (long) texts.size()), table.altered());
    }

    @Test
    void shouldWriteTextsLongerThanABatch() {
        RecordPrinter printer = table.records("s", Formats.text(), false);
        int[] lengths = {10, 5 << 20, 0, ArrowStream.BATCH_BYTES - 1, 1, 16 << 20, 3};
        for (int length : lengths) {
            byte[] payload = new byte[length];
            Arrays.fill(payload, (byte) 'y');
            printer.print(1, 8, new UnsafeBuffer(payload), 0, length);
        }
        ArrowMessages read = ended();
        assertEquals(
                Arrays.stream(lengths).boxed().toList(),
                read.rows.stream().map(row -> row.get(2).length()).toList());
        assertEquals(List.of(2, 3, 1, 1, 0), read.batchRows);
    }

    @Test
    void shouldHaveTheColumnsOfAnEmptyAnswer() {
        table.records("s", Formats.struct("time:i64,addr:utf8,start_ns:i64?"), true);
        ArrowMessages read = ended();
        assertEquals(List.of("time", "addr", "cause", "fields.time", "fields.addr", "start_ns"), read.columns);
        assertEquals(List.of("ns UTC", "i64", "i64", "i64?", "Utf8?", "i64? loom.unit=ns"), read.types);
        assertEquals(List.of(0), read.batchRows);
    }

    @Test
    void shouldHaveTimesOfEventsAsTimes() {
        table.records("s", Formats.parse("timed:struct:code:u64"), false);
        ArrowMessages read = ended();
        assertEquals(List.of("time", "addr", "event_time", "code"), read.columns.subList(0, 4));
        assertEquals(List.of("ns UTC", "i64", "ns UTC?", "u64?"), read.types.subList(0, 4));
    }

    /** A time has 64 bits; of fewer it is a number that holds none of today's. */
    @Test
    void shouldGiveTimesOfEventsTheTypeThatIsAskedFor() {
        byte[] payload = new byte[Long.BYTES + Long.BYTES];
        ByteBuffer.wrap(payload)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(1_700_000_000_000_000_000L)
                .putLong(5);
        PayloadFormat format = Formats.parse("timed:struct:code:u64");
        assertEquals(
                List.of(List.of("7", "8", "0", "null", "5")),
                printed(JsonResults.chosen(format, List.of("event_time:u32", "code")), payload));
        assertEquals(Map.of("unfitting", 1L), table.altered());
    }

    @Test
    void shouldEndAnAnswerThatNeverBegan() {
        ArrowMessages read = ended();
        assertEquals(List.of(), read.columns);
        assertEquals(List.of(0), read.batchRows);
    }

    @Test
    void shouldTellTheOutcomeAsJson() {
        table.begin(List.of(new Column("n", Field.Type.I64)));
        Map<String, Object> outcome = new LinkedHashMap<>();
        outcome.put("complete", false);
        outcome.put("lost", 3L);
        outcome.put("limit", "time");
        outcome.put("stats", Map.of("chunk_index", List.of("a \"b\" \u00e9")));
        table.end(outcome);
        assertEquals(
                Map.of(
                        "loom.complete",
                        "false",
                        "loom.lost",
                        "3",
                        "loom.limit",
                        "\"time\"",
                        "loom.stats",
                        "{\"chunk_index\":[\"a \\\"b\\\" \u00e9\"]}"),
                new ArrowMessages(out.toByteArray()).outcome);
    }

    @Test
    void shouldPutRowsIntoTypedColumns() {
        table.begin(List.of(
                new Column("i", Field.Type.I64),
                new Column("u", Field.Type.U64),
                new Column("d", Field.Type.F64),
                new Column("b", Field.Type.BOOL),
                new Column("t", Field.Type.UTF8),
                new Column("any", Field.Type.ANY),
                Column.time("at"),
                new Column("took", Field.Type.F64, false, ValueUnit.NANOSECONDS)));
        FieldValue bytes = new FieldValue();
        bytes.setBytes(FieldValue.Kind.BYTES, new UnsafeBuffer(new byte[] {1, 2, 3}), 0, 3);
        BigInteger most = new BigInteger("18446744073709551615");
        table.add(row(5L, most, 1.5, true, "t", new FieldCell(bytes, false), 9L, 2));
        table.add(row(BigInteger.TEN, 3, BigInteger.TWO.pow(70), null, null, 12.5, null, Double.NaN));
        table.add(row(most, -1L, 7L, 1L, 8L, false, "x", "y"));
        ArrowMessages read = ended();
        assertEquals(
                List.of("i64?", "u64?", "f64?", "Bool?", "Utf8?", "Utf8?", "ns UTC?", "f64? loom.unit=ns"), read.types);
        String base64 = Base64.getEncoder().encodeToString(new byte[] {1, 2, 3});
        assertEquals(List.of("5", most + "", "1.5", "true", "t", base64, "9", "2.0"), read.rows.get(0));
        assertEquals(List.of("10", "3", Math.pow(2, 70) + "", "null", "null", "12.5", "null", "NaN"), read.rows.get(1));
        assertEquals(List.of("null", "null", "7.0", "null", "8", "false", "null", "null"), read.rows.get(2));
        assertEquals(Map.of("unfitting", 5L), table.altered());
    }

    private static Map<String, @Nullable Object> row(@Nullable Object... values) {
        String[] names = {"i", "u", "d", "b", "t", "any", "at", "took"};
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        for (int i = 0; i < names.length; i++) {
            row.put(names[i], values[i]);
        }
        return row;
    }

    @Test
    void shouldReserveItsBatch() {
        QueryMemory memory = new QueryMemory(2 << 20);
        new ArrowTable(data, memory).records("s", Formats.struct("a:i64,b:utf8"), false);
        assertTrue(memory.reserved() > ArrowStream.BATCH_BYTES && memory.reserved() < 1700 << 10, memory::toString);
        QueryMemory little = new QueryMemory(1 << 20);
        ArrowTable refused = new ArrowTable(data, little);
        assertThrows(QueryMemory.Exhausted.class, () -> refused.records("s", Formats.struct("a:i64,b:utf8"), false));
        assertEquals(0, little.reserved());
    }

    @Test
    void shouldAllocateNothingForARow() {
        StructFormat format = Formats.struct("ts_ns:i64,op:utf8,key:utf8,latency_ns:i64?,ok:bool,share:f64");
        StructWriter writer = new StructWriter(format);
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
        writer.begin(buffer, 0);
        writer.setLong(0, 5);
        writer.setUtf8(1, "GET");
        writer.setUtf8(2, "key \u00e9");
        writer.setBoolean(4, true);
        writer.setDouble(5, 0.5);
        int length = writer.finish();
        ArrowTable dropped =
                new ArrowTable(new DataOutput(OutputStream.nullOutputStream(), false), QueryMemory.UNLIMITED);
        RecordPrinter printer = dropped.records("s", format, false);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int rows = 1_000_000;
        for (int i = 0; i < rows; i++) {
            printer.print(i, i, buffer, 0, length);
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < rows; i++) {
            printer.print(i, i, buffer, 0, length);
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(allocated < 2L * rows, "bytes=" + allocated + ", rows=" + rows);
    }
}
