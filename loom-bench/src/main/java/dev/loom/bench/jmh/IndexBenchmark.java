package dev.loom.bench.jmh;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.format.Formats;
import dev.loom.index.ActiveIndex;
import dev.loom.index.ActiveSummary;
import dev.loom.index.BinListWriter;
import dev.loom.index.IndexSummary;
import java.nio.ByteOrder;
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
 * totalled, encoded and cleared. Without an index it is the cost of reading a value. A payload holds a time, a latency in ns and
 * in seconds, and the other fields of a request.
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

    /** The number of indexes over the same field. */
    @Param({"0", "1", "4", "16"})
    public int indexes;

    /** The field, {@code latency_ns} or the floating-point {@code latency_s}, and its bins. */
    @Param({
        "latency_ns log-linear",
        "latency_ns linear:0,1000000,100",
        "latency_ns edges:10000,20000,50000,100000,200000,500000,1000000,2000000,5000000",
        "latency_s log-linear"
    })
    public String index;

    private final BinListWriter writer = new BinListWriter();
    private final IndexSummary totals = new IndexSummary();
    private final UnsafeBuffer entry = new UnsafeBuffer(new byte[1 << 17]);
    private final UnsafeBuffer payloads = new UnsafeBuffer(new byte[CHUNKS * CHUNK_RECORDS * PAYLOAD_LENGTH]);
    private final ActiveSummary summary = new ActiveSummary();
    private int chunk;

    @Setup
    public void define() {
        final String[] parts = index.split(" ", 2);
        final IndexFunction function = IndexFunction.field(
                Formats.parse("struct:ts_ns:i64,latency_ns:i64,latency_s:f64,rest:bytes"), parts[0]);
        summary.define(IntStream.rangeClosed(1, indexes)
                .mapToObj(id -> new ActiveIndex(
                        new Index(id, 1, "index" + id, Index.Kind.VALUE, function, Bins.parse(parts[1]), 0, false),
                        null))
                .toList());
        final Random random = new Random(1);
        for (int i = 0; i < CHUNKS * CHUNK_RECORDS; i++) {
            final long latencyNs = (long) Math.exp(11.5 + 0.6 * random.nextGaussian());
            payloads.putLong(i * PAYLOAD_LENGTH + LATENCY_OFFSET, latencyNs, ByteOrder.LITTLE_ENDIAN);
            payloads.putDouble(i * PAYLOAD_LENGTH + SECONDS_OFFSET, latencyNs / 1e9, ByteOrder.LITTLE_ENDIAN);
        }
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
}
