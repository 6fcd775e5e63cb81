package dev.loom.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Snapshot;
import dev.loom.format.Field;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random and extreme values of every type, as DuckDB reads them from the file, against those that were written. */
class EveryTypeTest {
    private static final List<Field.Type> TYPES =
            Arrays.stream(Field.Type.values()).filter(Field.Type::isForStructs).toList();

    private static final long[] LONGS = {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 53};
    private static final double[] DOUBLES = {
        0, -0.0, 1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, Double.MAX_VALUE
    };
    private static final String[] TEXTS = {"", "a", "\u0000", "\u00e9\ud83d\ude00", "x".repeat(3000)};

    @TempDir
    Path directory;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void shouldHoldEveryValueOfEveryType() throws IOException {
        StructFormat format = Formats.struct(TYPES.stream()
                .flatMap(type -> List.of(
                        new Field(type.text(), type, false),
                        new Field(type.text() + "_or_null", type, true),
                        new Field(type.text() + "_null", type, true))
                        .stream())
                .toList());
        List<String> expected = new ArrayList<>();
        Path file = directory.resolve("out.parquet");
        AtomicLong clock = new AtomicLong(random.nextLong() >>> 2);
        try (Loom loom = Loom.open(
                LoomConfig.at(directory.resolve("store")).clock(clock::get).build())) {
            int id = loom.defineSource("s", format);
            StructWriter writer = new StructWriter(format);
            ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
            for (int i = 0; i < 30_000; i++) {
                clock.addAndGet(random.nextInt(1000));
                StringJoiner row = new StringJoiner("|").add(clock.get() + "");
                writer.begin(buffer, 0);
                for (int field = 0; field < format.fields().size(); field++) {
                    boolean absent = field % 3 == 2 || (field % 3 == 1 && random.nextInt(4) == 0);
                    row.add(absent ? "null" : set(writer, field, TYPES.get(field / 3)));
                }
                assertTrue(loom.push(id, buffer, 0, writer.finish()) >= 0);
                expected.add(row.toString());
            }
            try (Snapshot snapshot = loom.snapshot()) {
                ParquetExport.Written written = ParquetExport.of(
                                snapshot, snapshot.source("s").orElseThrow())
                        .write(file);
                assertEquals(30_000, written.records());
                assertEquals(0, written.unfitting() + written.repaired());
            }
        }
        String columns =
                format.fields().stream().map(field -> '"' + field.name() + '"').collect(Collectors.joining(", "));
        List<String> read = DuckFile.query(file, "select epoch_ns(time), " + columns + " from FILE order by addr");
        assertEquals(expected.size(), read.size());
        for (int i = 0; i < expected.size(); i++) {
            assertEquals(expected.get(i), read.get(i), "seed=" + seed + ", record=" + i);
        }
        shouldSkipRightly(file, expected);
    }

    /** DuckDB answers from the statistics of the file. */
    private void shouldSkipRightly(Path file, List<String> expected) {
        int column = 1 + TYPES.indexOf(Field.Type.U64) * 3;
        List<BigInteger> values = expected.stream()
                .map(row -> new BigInteger(row.split("\\|", -1)[column]))
                .toList();
        BigInteger least = values.stream().min(BigInteger::compareTo).orElseThrow();
        BigInteger greatest = values.stream().max(BigInteger::compareTo).orElseThrow();
        assertEquals(
                List.of(least + "|" + greatest),
                DuckFile.query(file, "select min(u64), max(u64) from FILE"),
                "seed=" + seed);
        for (BigInteger one : List.of(least, greatest, values.get(random.nextInt(values.size())))) {
            long count = values.stream().filter(one::equals).count();
            assertEquals(
                    List.of(count + ""),
                    DuckFile.query(file, "select count(*) from FILE where u64 = " + one),
                    "seed=" + seed);
        }
    }

    /** Sets a random value; returns it as DuckDB prints it. */
    private String set(StructWriter writer, int field, Field.Type type) {
        int bits = type.fixedLength() * Byte.SIZE;
        if (type.isInteger()) {
            long any = random.nextBoolean() ? LONGS[random.nextInt(LONGS.length)] : random.nextLong();
            if (type == Field.Type.U64) {
                writer.setUnsigned(field, any);
                return Long.toUnsignedString(any);
            }
            long value = type.isUnsigned() ? any >>> (Long.SIZE - bits) : any >> (Long.SIZE - bits);
            writer.setLong(field, value);
            return value + "";
        }
        double number = random.nextBoolean()
                ? DOUBLES[random.nextInt(DOUBLES.length)]
                : Double.longBitsToDouble(random.nextLong());
        switch (type) {
            case F32 -> {
                writer.setDouble(field, (float) number);
                return Float.toString((float) number);
            }
            case F64 -> {
                writer.setDouble(field, number);
                return Double.toString(number);
            }
            case BOOL -> {
                boolean value = random.nextBoolean();
                writer.setBoolean(field, value);
                return value + "";
            }
            case UTF8 -> {
                String text =
                        random.nextBoolean() ? TEXTS[random.nextInt(TEXTS.length)] : "key " + random.nextInt(50_000);
                writer.setUtf8(field, text);
                return text;
            }
            default -> {
                byte[] bytes = new byte[random.nextInt(20)];
                random.nextBytes(bytes);
                writer.setBytes(field, new UnsafeBuffer(bytes), 0, bytes.length);
                return HexFormat.of().formatHex(bytes);
            }
        }
    }

    @Test
    void shouldAgreeInSumsOverSeveralRowGroups() throws IOException {
        int records = ParquetRows.GROUP_ROWS + 1 + random.nextInt(1000);
        long[] values = new long[records];
        StructFormat format = Formats.struct("n:i64,t:utf8");
        Path file = directory.resolve("out.parquet");
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve("store")).build())) {
            int id = loom.defineSource("s", format);
            StructWriter writer = new StructWriter(format);
            ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
            UnsafeBuffer text = new UnsafeBuffer("some text".getBytes(StandardCharsets.UTF_8));
            for (int i = 0; i < records; i++) {
                values[i] = random.nextInt();
                writer.begin(buffer, 0);
                writer.setLong(0, values[i]);
                writer.setUtf8(1, text, 0, text.capacity());
                assertTrue(loom.push(id, buffer, 0, writer.finish()) >= 0);
            }
            try (Snapshot snapshot = loom.snapshot()) {
                ParquetExport.of(snapshot, snapshot.source("s").orElseThrow()).write(file);
            }
        }
        LongStream all = Arrays.stream(values);
        assertEquals(
                List.of(records + "|" + all.sum() + "|"
                        + Arrays.stream(values).min().getAsLong() + "|"
                        + Arrays.stream(values).max().getAsLong() + "|" + records + "|" + 9L * records),
                DuckFile.query(
                        file,
                        "select count(*), sum(n), min(n), max(n), count(distinct addr), sum(strlen(t))" + " from FILE"),
                "seed=" + seed);
        assertEquals(
                List.of(ParquetRows.GROUP_ROWS + "", records - ParquetRows.GROUP_ROWS + ""),
                DuckFile.query(file, "select distinct row_group_num_rows from parquet_metadata(FILE) order by 1 desc"));
    }
}
