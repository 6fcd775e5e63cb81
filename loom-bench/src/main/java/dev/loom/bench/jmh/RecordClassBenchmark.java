package dev.loom.bench.jmh;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.StructCodec;
import dev.loom.format.StructField;
import dev.loom.format.StructWriter;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Java records into payloads and back: by a codec, by {@link StructWriter}, and by hand with the offsets written out. One class
 * has six numbers, the other two numbers and two texts of 3 and 15 characters.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RecordClassBenchmark {
    private static final StructCodec<Numbers> NUMBERS = StructCodec.of(Numbers.class);
    private static final StructCodec<Texts> TEXTS = StructCodec.of(Texts.class);
    private static final int RECORDS = 64;

    private record Numbers(
            long latencyNs,
            @StructField(type = Field.Type.U16) int status,
            double load,
            boolean hit,
            long bytes,
            int shard) {}

    private record Texts(
            long latencyNs,
            @StructField(type = Field.Type.U16) int status,
            String method,
            String path) {}

    private final Numbers[] numbers = new Numbers[RECORDS];
    private final Texts[] texts = new Texts[RECORDS];
    private final UnsafeBuffer numbersPayload = new UnsafeBuffer(new byte[64]);
    private final UnsafeBuffer textsPayload = new UnsafeBuffer(new byte[64]);
    private final StructWriter numbersWriter = new StructWriter(NUMBERS.format());
    private final StructWriter textsWriter = new StructWriter(TEXTS.format());
    private final FieldReader latency = Objects.requireNonNull(NUMBERS.format().field("latency_ns"));
    private final FieldValue value = new FieldValue();
    private int textsLength;
    private int next;

    @Setup
    public void make() {
        for (int i = 0; i < RECORDS; i++) {
            numbers[i] = new Numbers(40_000 + i, 200 + i, i / 3.0, i % 2 == 0, 77L * i, i);
            texts[i] = new Texts(40_000 + i, 200 + i, i % 2 == 0 ? "GET" : "PUT", "/api/items/" + (1_000 + i));
        }
        NUMBERS.write(numbers[0], numbersPayload, 0);
        textsLength = TEXTS.write(texts[0], textsPayload, 0);
    }

    /** Each way must write the same payload, and the codec must read the record from it. */
    @TearDown
    public void verify() {
        for (int i = 0; i < RECORDS; i++) {
            check(i, numbersPayload, this::writeNumbersByCodec, this::writeNumbersByWriter, this::writeNumbersByHand);
            check(i, textsPayload, this::writeTextsByCodec, this::writeTextsByWriter);
            if (!NUMBERS.read(numbersPayload, 0, numbersPayload.capacity()).equals(numbers[i])
                    || !TEXTS.read(textsPayload, 0, textsPayload.capacity()).equals(texts[i])) {
                throw new IllegalStateException("record read differs: record=" + i);
            }
        }
    }

    private void check(int record, UnsafeBuffer payload, IntSupplier... ways) {
        byte[] first = {};
        for (int way = 0; way < ways.length; way++) {
            payload.setMemory(0, payload.capacity(), (byte) 0);
            next = record;
            final byte[] written = new byte[ways[way].getAsInt()];
            payload.getBytes(0, written);
            first = way == 0 ? written : first;
            if (!Arrays.equals(first, written)) {
                throw new IllegalStateException("payloads differ: record=" + record + ", way=" + way);
            }
        }
    }

    private int next() {
        final int current = next;
        next = (next + 1) % RECORDS;
        return current;
    }

    @Benchmark
    public int writeNumbersByCodec() {
        return NUMBERS.write(numbers[next()], numbersPayload, 0);
    }

    @Benchmark
    public int writeNumbersByWriter() {
        final Numbers record = numbers[next()];
        numbersWriter.begin(numbersPayload, 0);
        numbersWriter.setLong(0, record.latencyNs());
        numbersWriter.setLong(1, record.status());
        numbersWriter.setDouble(2, record.load());
        numbersWriter.setBoolean(3, record.hit());
        numbersWriter.setLong(4, record.bytes());
        numbersWriter.setLong(5, record.shard());
        return numbersWriter.finish();
    }

    @Benchmark
    public int writeNumbersByHand() {
        final Numbers record = numbers[next()];
        numbersPayload.putLong(0, record.latencyNs(), ByteOrder.LITTLE_ENDIAN);
        numbersPayload.putShort(8, (short) record.status(), ByteOrder.LITTLE_ENDIAN);
        numbersPayload.putDouble(10, record.load(), ByteOrder.LITTLE_ENDIAN);
        numbersPayload.putByte(18, (byte) (record.hit() ? 1 : 0));
        numbersPayload.putLong(19, record.bytes(), ByteOrder.LITTLE_ENDIAN);
        numbersPayload.putInt(27, record.shard(), ByteOrder.LITTLE_ENDIAN);
        return 31;
    }

    @Benchmark
    public int writeTextsByCodec() {
        return TEXTS.write(texts[next()], textsPayload, 0);
    }

    @Benchmark
    public int writeTextsByWriter() {
        final Texts record = texts[next()];
        textsWriter.begin(textsPayload, 0);
        textsWriter.setLong(0, record.latencyNs());
        textsWriter.setLong(1, record.status());
        textsWriter.setUtf8(2, record.method());
        textsWriter.setUtf8(3, record.path());
        return textsWriter.finish();
    }

    /** The record itself, which the caller keeps. */
    @Benchmark
    public Record readNumbers() {
        return NUMBERS.read(numbersPayload, 0, numbersPayload.capacity());
    }

    /** A record that does not escape, so that none is made. */
    @Benchmark
    public long readNumbersForTwo() {
        final Numbers record = NUMBERS.read(numbersPayload, 0, numbersPayload.capacity());
        return record.latencyNs() + record.status();
    }

    /** One field alone, as {@code RecordField} reads it. */
    @Benchmark
    public long readField() {
        latency.read(numbersPayload, 0, numbersPayload.capacity(), value);
        return value.longValue();
    }

    @Benchmark
    public Record readTexts() {
        return TEXTS.read(textsPayload, 0, textsLength);
    }
}
