package dev.loom.bench.jmh;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Eviction;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.Group;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.Groups;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.model.TimeRange;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Aggregates of a source without an index, by groups and without any, from the page cache, by one thread. Every answer is checked:
 * all records are counted, and the sum of their values is right.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class GroupBenchmark {
    private static final PayloadFormat FORMAT = Formats.parse("struct:number:i64,value:i64,text:utf8");
    private static final IndexFunction VALUE = IndexFunction.field(FORMAT, "value");
    private static final long BEGIN_NS = 1_700_000_000_000_000_000L;
    private static final long INTERVAL_NS = 1_000;
    private static final int STEPS = 100;

    /** What is asked for. */
    public enum Ask {
        /** The same totals by {@link IndexedAggregate}: what reading the records costs. */
        UNGROUPED,
        /** Count, sum and extremes of all records, by no field. */
        NO_FIELD,
        /** By a field that is an integer. */
        NUMBER,
        /** By a field that is a text of 15 bytes. */
        TEXT,
        /** By an integer and a text. */
        BOTH,
        /** By an integer, in a hundred steps. */
        STEPS,
        /** By an integer, with the 99th percentile. */
        P99,
        /** By an integer, with the number of distinct texts. */
        DISTINCT
    }

    @Param
    public Ask ask;

    @Param({"1", "10", "1000", "10000"})
    public int groups;

    @Param("2000000")
    public int records;

    private LoomReader reader;
    private long sum;

    @Setup(Level.Trial)
    public void write(BenchmarkDirectories directories) {
        final Path path = directories.diskPath().resolve("store");
        final long[] nowNs = {BEGIN_NS};
        sum = 0;
        try (Loom loom = Loom.open(LoomConfig.at(path)
                .stagingDirectory(directories.stagingPath())
                .eviction(Eviction.PAGE_CACHE)
                .clock(() -> nowNs[0])
                .build())) {
            final int source = loom.defineSource("calls", FORMAT);
            final UnsafeBuffer payload = new UnsafeBuffer(new byte[64]);
            for (int number = 0; number < records; number++) {
                nowNs[0] = BEGIN_NS + number * INTERVAL_NS;
                final long bits = number * 0x9E3779B97F4A7C15L;
                final long group = Long.remainderUnsigned(bits ^ (bits >>> 32), groups);
                final long value = bits >>> 44;
                sum += value;
                payload.putLong(0, group, ByteOrder.LITTLE_ENDIAN);
                payload.putLong(8, value, ByteOrder.LITTLE_ENDIAN);
                final byte[] text =
                        String.format(Locale.ROOT, "service-%07d", group).getBytes(StandardCharsets.UTF_8);
                payload.putByte(16, (byte) text.length);
                payload.putBytes(17, text);
                loom.push(source, payload, 0, 17 + text.length);
            }
        }
        reader = LoomReader.attach(path);
    }

    @TearDown(Level.Trial)
    public void close() {
        reader.close();
    }

    @Benchmark
    public long aggregate(RecordCost cost) {
        cost.begin();
        final long rows;
        try (Snapshot snapshot = reader.snapshot()) {
            final Source source = snapshot.source("calls").orElseThrow();
            rows = ask == Ask.UNGROUPED ? ungrouped(snapshot, source.id()) : grouped(snapshot, source.id());
        }
        cost.end(records);
        return rows;
    }

    private long ungrouped(Snapshot snapshot, int source) {
        final IndexedAggregate.Result all =
                IndexedAggregate.of(snapshot, source, VALUE).run();
        check(all.count(), Long.parseLong(all.sum()));
        return 1;
    }

    private long grouped(Snapshot snapshot, int source) {
        final GroupedAggregate query = GroupedAggregate.of(snapshot, source, VALUE);
        switch (ask) {
            case NUMBER -> query.by("number");
            case TEXT -> query.by("text");
            case BOTH -> query.by("number", "text");
            case STEPS ->
                query.by("number")
                        .range(new TimeRange(BEGIN_NS, BEGIN_NS + records * INTERVAL_NS))
                        .step(Duration.ofNanos(Math.max(1, records * INTERVAL_NS / STEPS)));
            case P99 -> query.by("number").percentiles(99);
            case DISTINCT -> query.by("number").distinct("text");
            default -> {}
        }
        long count = 0;
        long total = 0;
        try (Groups found = query.run()) {
            for (final Group group : found) {
                count += group.count();
                total += Long.parseLong(group.sum());
            }
            check(count, total);
            return found.size();
        }
    }

    private void check(long count, long total) {
        if (count != records || total != sum) {
            throw new IllegalStateException(
                    "answer is wrong: ask=" + ask + ", count=" + count + ", sum=" + total + ", expected=" + sum);
        }
    }
}
