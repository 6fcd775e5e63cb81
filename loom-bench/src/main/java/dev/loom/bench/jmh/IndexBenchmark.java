package dev.loom.bench.jmh;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.IndexKey;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.index.ActiveIndex;
import dev.loom.index.ActiveSummary;
import dev.loom.index.BinListWriter;
import dev.loom.index.IndexSummary;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of indexes per record: each record is added to the summaries of a chunk of 1,000 records of 48 bytes, which are then
 * totalled, encoded and cleared. Without an index it is the cost of reading a value. Beside it the least code for as many log-linear
 * indexes of an integer: a bin by the leading bits, its count, sum, least and greatest value, copied once a chunk. A payload holds a time,
 * a latency in ns and in seconds, and the other fields of a request.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class IndexBenchmark {
    private static final int CHUNK_RECORDS = 1_000;
    private static final int CHUNKS = 16;
    private static final int PAYLOAD_LENGTH = 48;
    private static final int LATENCY_OFFSET = 8;
    private static final int SECONDS_OFFSET = 16;
    private static final int THREAD_OFFSET = 24;
    private static final int SERVICE_OFFSET = 32;
    private static final int ROUTE_OFFSET = 40;
    /** Of the limit: bins of a power of two, as a power of two, and bins in all. */
    private static final int SCALE = 3;

    private static final int BINS = 1 << 9;
    private static final int BIN_LENGTH = 4;

    /** The number of indexes over the same field. */
    @Param({"0", "1", "4", "16"})
    public int indexes;

    /**
     * The field, {@code latency_ns} or the floating-point {@code latency_s}, its bins, and the fields of its key: an integer of 16 values,
     * or two texts of 7 bytes, of 4 values each.
     */
    @Param({
        "latency_ns log-linear",
        "latency_ns linear:0,1000000,100",
        "latency_ns edges:10000,20000,50000,100000,200000,500000,1000000,2000000,5000000",
        "latency_s log-linear",
        "latency_ns log-linear:3+values",
        "latency_ns log-linear by thread",
        "latency_ns log-linear by service,route"
    })
    public String index;

    private final BinListWriter writer = new BinListWriter();
    private final IndexSummary totals = new IndexSummary();
    private final UnsafeBuffer entry = new UnsafeBuffer(new byte[1 << 17]);
    private final UnsafeBuffer payloads = new UnsafeBuffer(new byte[CHUNKS * CHUNK_RECORDS * PAYLOAD_LENGTH]);
    private final ActiveSummary summary = new ActiveSummary();
    private long[] bins;
    private long[] encoded;
    private int chunk;

    @Setup
    public void define() {
        final String[] parts = index.split(" ", 2);
        final PayloadFormat format =
                Formats.parse("struct:ts_ns:i64,latency_ns:i64,latency_s:f64,thread:i64,service:utf8,route:utf8");
        final IndexFunction function = IndexFunction.field(format, parts[0]);
        final String[] binsAndKey = parts[1].split(" by ", -1);
        final IndexKey key = binsAndKey.length == 1 ? null : IndexKey.of(format, List.of(binsAndKey[1].split(",", -1)));
        summary.define(IntStream.rangeClosed(1, indexes)
                .mapToObj(id -> new ActiveIndex(
                        new Index(
                                id,
                                1,
                                "index" + id,
                                Index.Kind.VALUE,
                                function,
                                Bins.parse(binsAndKey[0]),
                                0,
                                false,
                                key),
                        null))
                .toList());
        bins = new long[indexes * BINS * BIN_LENGTH];
        encoded = new long[bins.length];
        for (int at = 0; at < bins.length; at += BIN_LENGTH) {
            clearBin(at);
        }
        final Random random = new Random(1);
        for (int i = 0; i < CHUNKS * CHUNK_RECORDS; i++) {
            final long latencyNs = (long) Math.exp(11.5 + 0.6 * random.nextGaussian());
            payloads.putLong(i * PAYLOAD_LENGTH + LATENCY_OFFSET, latencyNs, ByteOrder.LITTLE_ENDIAN);
            payloads.putDouble(i * PAYLOAD_LENGTH + SECONDS_OFFSET, latencyNs / 1e9, ByteOrder.LITTLE_ENDIAN);
            payloads.putLong(i * PAYLOAD_LENGTH + THREAD_OFFSET, random.nextInt(16), ByteOrder.LITTLE_ENDIAN);
            putText(i * PAYLOAD_LENGTH + SERVICE_OFFSET, "shop-0" + random.nextInt(4));
            putText(i * PAYLOAD_LENGTH + ROUTE_OFFSET, "/route" + random.nextInt(4));
        }
    }

    private void putText(int offset, String text) {
        payloads.putByte(offset, (byte) text.length());
        payloads.putStringWithoutLengthAscii(offset + 1, text);
    }

    @Benchmark
    @OperationsPerInvocation(CHUNK_RECORDS)
    public long addAndSeal() {
        summary.begin(0, 0, Integer.MAX_VALUE);
        long seen = 0;
        chunk = (chunk + 1) % CHUNKS;
        for (int i = 0; i < CHUNK_RECORDS; i++) {
            final int offset = (chunk * CHUNK_RECORDS + i) * PAYLOAD_LENGTH;
            seen += payloads.getLong(offset + LATENCY_OFFSET);
            summary.addInPlace(payloads, offset, PAYLOAD_LENGTH);
        }
        summary.complete();
        for (int i = 0; i < summary.count(); i++) {
            final ActiveIndex each = summary.index(i);
            each.summarize(totals);
            if (totals.count() != CHUNK_RECORDS) {
                throw new IllegalStateException("records lost: count=" + totals.count());
            }
            seen += each.encodeBins(writer, entry, 0);
        }
        return seen;
    }

    @Benchmark
    @OperationsPerInvocation(CHUNK_RECORDS)
    public long limit() {
        chunk = (chunk + 1) % CHUNKS;
        long seen = 0;
        for (int i = 0; i < CHUNK_RECORDS; i++) {
            final long value = payloads.getLong(
                    (chunk * CHUNK_RECORDS + i) * PAYLOAD_LENGTH + LATENCY_OFFSET, ByteOrder.LITTLE_ENDIAN);
            seen += value;
            for (int at = bin(value) * BIN_LENGTH; at < bins.length; at += BINS * BIN_LENGTH) {
                bins[at]++;
                bins[at + 1] += value;
                bins[at + 2] = Math.min(bins[at + 2], value);
                bins[at + 3] = Math.max(bins[at + 3], value);
            }
        }
        return seen + takeBins();
    }

    private static int bin(long value) {
        final int shift = Long.SIZE - 1 - SCALE - Long.numberOfLeadingZeros(value | 1 << SCALE);
        return (shift << SCALE) + (int) (value >>> shift);
    }

    /** Copies the bins that have values to the front, and clears them. */
    private int takeBins() {
        int length = 0;
        long records = 0;
        for (int at = 0; at < bins.length; at += BIN_LENGTH) {
            if (bins[at] > 0) {
                records += bins[at];
                System.arraycopy(bins, at, encoded, length, BIN_LENGTH);
                length += BIN_LENGTH;
                clearBin(at);
            }
        }
        if (records != (long) indexes * CHUNK_RECORDS) {
            throw new IllegalStateException("records lost: count=" + records);
        }
        return length;
    }

    private void clearBin(int at) {
        bins[at] = 0;
        bins[at + 1] = 0;
        bins[at + 2] = Long.MAX_VALUE;
        bins[at + 3] = Long.MIN_VALUE;
    }
}
