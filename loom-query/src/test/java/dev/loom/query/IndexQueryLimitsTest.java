package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.Eviction;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.QueryBudget;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.ValueRange;
import dev.loom.query.where.Where;
import java.math.BigDecimal;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What queries through indexes leave unread, how they explain themselves, and how they end early. */
class IndexQueryLimitsTest {
    private static final PayloadFormat FORMAT = Formats.parse("struct:latency_ns:i64,size:u32,name:utf8");
    private static final int RECORDS = 40_000;

    @TempDir
    Path directory;

    private Loom loom;
    private Snapshot snapshot;
    private int source;

    /** Latencies of 0 to 99, except one slow record; sizes that grow. */
    @BeforeEach
    void push() {
        loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .eviction(Eviction.PAGE_CACHE)
                .build());
        source = loom.defineSource("requests", FORMAT);
        loom.defineIndex(source, "latency", IndexFunction.field(FORMAT, "latency_ns"), Bins.logLinear());
        loom.defineIndex(source, "size", IndexFunction.field(FORMAT, "size"), Bins.logLinear());
        UnsafeBuffer payload = new UnsafeBuffer(new byte[64]);
        for (int i = 0; i < RECORDS; i++) {
            payload.putLong(0, i == 23_456 ? 50_000_000 : i % 100, ByteOrder.LITTLE_ENDIAN);
            payload.putInt(8, i, ByteOrder.LITTLE_ENDIAN);
            loom.push(source, payload, 0, 13 + i % 40);
        }
        snapshot = loom.snapshot();
    }

    @AfterEach
    void close() {
        snapshot.close();
        loom.close();
    }

    private QueryStatistics scan(String expression, long expected) {
        try (QueryCursor cursor =
                RawScan.of(snapshot, source).where(Where.parse(expression)).open()) {
            long found = 0;
            while (cursor.next()) {
                found++;
            }
            assertEquals(expected, found, expression);
            assertTrue(cursor.completeness().complete());
            return cursor.statistics();
        }
    }

    @Test
    void shouldReadOnlyThePagesThatCanMeetACondition() {
        // the active chunk is always read
        assertEquals(2, scan("latency_ns > 10ms", 1).pagesRead());
        assertEquals(2, scan("latency_ns >= 50ms and size > 5", 1).pagesRead());
        assertEquals(1, scan("latency_ns > 10ms and size < 100", 0).pagesRead());
        assertEquals(1, scan("latency_ns == 5000", 0).pagesRead());
        assertEquals(3, scan("latency_ns > 10ms or size < 100", 101).pagesRead());
        assertEquals(3, scan("size in (5, 23456)", 2).pagesRead());
        assertEquals(2, scan("not (size >= 100)", 100).pagesRead());
        assertEquals(2, scan("not (size >= 100 or latency_ns < 0)", 100).pagesRead());
        // what can be solved for one integer field is as good as a comparison with a number
        assertEquals(2, scan("latency_ns * 2 + 1ms > 21ms", 1).pagesRead());
        assertEquals(2, scan("100 > size + 0", 100).pagesRead());
        assertEquals(2, scan("not size / 10 - 5 >= 2 * 2.5", 100).pagesRead());
        // nothing is known of the text, so that all may meet it
        long all = scan("name == \"a\" or size < 100", 100).pagesRead();
        assertEquals(all, scan("name contains \"a\"", 0).pagesRead());
        assertEquals(all, scan("latency_ns != 5", RECORDS - RECORDS / 100).pagesRead());
    }

    /** A calculation may take as long as a record's page, so pages are too seldom. */
    @Test
    void shouldLookAtItsLimitsWithinAPageWhenItCalculatesMuch() {
        Where much = Where.parse("size" + " * size".repeat(59) + " >= latency_ns - 100");
        int looks = 20;
        int[] asked = new int[1];
        try (QueryCursor cursor = RawScan.of(snapshot, source)
                .where(much)
                .cancelWhen(() -> asked[0]++ >= looks)
                .open()) {
            int found = 0;
            while (cursor.next()) {
                found++;
            }
            assertEquals(Limit.CANCELLED, cursor.completeness().limit());
            assertTrue(found > 0 && found < looks * 100, "found=" + found);
            assertFalse(cursor.next());
        }
        asked[0] = 0;
        Difference.Result result = Difference.of(snapshot, source)
                .selected(much)
                .cancelWhen(() -> asked[0]++ >= looks)
                .run();
        long compared = result.statistics().recordsReturned();
        assertEquals(Limit.CANCELLED, result.completeness().limit());
        assertTrue(compared < looks * 200L, "compared=" + compared);
    }

    @Test
    void shouldShowTheLargestOfWhatItReadBeforeItEndedEarly() {
        IndexFunction size = IndexFunction.field(FORMAT, "size");
        int[] asked = new int[1];
        try (TopRecords.Cursor top = TopRecords.of(snapshot, source, size, 10)
                .use(QueryIndex.CHUNK, false)
                .cancelWhen(() -> asked[0]++ >= 3)
                .open()) {
            for (int i = 1; i <= 10; i++) {
                assertTrue(top.next(), "record " + i);
                assertEquals(RECORDS - i, top.value().longValue());
            }
            assertFalse(top.next());
            assertEquals(Limit.CANCELLED, top.completeness().limit());
        }
    }

    /** Equal latencies are in all pages, so that the records found take more to read than the search for them. */
    @Test
    void shouldCountTheSearchWhenItReadsTheRecordsItFound() {
        IndexFunction latency = IndexFunction.field(FORMAT, "latency_ns");
        long budget = 4 << 20;
        try (TopRecords.Cursor top = TopRecords.of(snapshot, source, latency, 10_000)
                .use(QueryIndex.CHUNK, false)
                .budget(new QueryBudget(budget, Duration.ofDays(1)))
                .open()) {
            while (top.next()) {
                assertTrue(top.value().longValue() >= 0);
            }
            assertEquals(Limit.BYTES, top.completeness().limit());
            long read = top.statistics().bytesRead();
            assertTrue(read > budget && read <= budget + (128 << 10), "bytes=" + read);
        }
    }

    @Test
    void shouldSayWhichIndexItUsedOrWhyNone() {
        List<String> plan =
                scan("latency_ns > 10ms and name == \"a\" and not size != 3", 0).plan();
        assertTrue(plan.get(0).startsWith("latency_ns > 10000000: index latency #1, chunks covered="), plan::toString);
        assertEquals("name == \"a\": no index over text", plan.get(1));
        List<String> calculated =
                scan("latency_ns - size > 10ms and latency_ns - 5ms > 5ms", 1).plan();
        assertEquals("latency_ns - size > 10000000: no index over calculations", calculated.get(0));
        assertTrue(calculated.get(1).startsWith("latency_ns > 10000000: index latency #1"), calculated::toString);
        try (QueryCursor cursor = RawScan.of(snapshot, source)
                .where(Where.parse("size < 100"))
                .use(QueryIndex.CHUNK, false)
                .use(QueryIndex.TIME, false)
                .open()) {
            assertEquals(
                    List.of("timestamp index: disabled", "size < 100: chunk index: disabled"),
                    cursor.statistics().plan());
        }
        IndexFunction other = IndexFunction.of("other", ValueType.I64, ValueUnit.NONE, (b, o, l, v) -> v.setInteger(7));
        IndexedAggregate.Result aggregate =
                IndexedAggregate.of(snapshot, source, other).percentiles(50).run();
        assertEquals(List.of("other: no index"), aggregate.statistics().plan());
        assertEquals(RECORDS, aggregate.count());
        assertEquals("7", aggregate.percentile(50).orElseThrow().toString());
    }

    @Test
    void shouldAnswerWithTotalsAloneWhereTheyTellAll() {
        Index index = snapshot.index(source, "latency").orElseThrow();
        IndexedAggregate.Result all = IndexedAggregate.of(snapshot, index).run();
        assertEquals(1, all.statistics().pagesRead(), "the active chunk");
        assertEquals("50000000", all.max().orElseThrow().toString());
        IndexedAggregate.Result slow = IndexedAggregate.of(snapshot, index)
                .values(ValueRange.above(1_000_000))
                .run();
        assertEquals(1, slow.count());
        assertEquals(1, slow.statistics().pagesRead(), "a bin gives its value away");
        IndexedAggregate.Result sure = IndexedAggregate.of(snapshot, index)
                .where(Where.parse("size >= 0 and latency_ns < 1s"))
                .run();
        assertEquals(RECORDS, sure.count());
        assertEquals(1, sure.statistics().pagesRead(), "every record of every chunk meets the condition");
        IndexedAggregate.Result tail =
                IndexedAggregate.of(snapshot, index).percentiles(99.999, 100).run();
        assertEquals("50000000", tail.percentile(99.999).orElseThrow().toString());
        assertTrue(tail.statistics().pagesRead() <= 3, () -> tail.statistics().toString());
    }

    @Test
    void shouldEndEarlyAndSaySo() {
        Index index = snapshot.index(source, "latency").orElseThrow();
        IndexedAggregate.Result cancelled = IndexedAggregate.of(snapshot, index)
                .percentiles(50)
                .cancelWhen(() -> true)
                .run();
        assertEquals(Limit.CANCELLED, cancelled.completeness().limit());
        assertTrue(cancelled.percentiles().isEmpty());
        IndexedAggregate.Result late = IndexedAggregate.of(snapshot, index)
                .percentiles(50)
                .budget(new QueryBudget(Long.MAX_VALUE, Duration.ZERO))
                .run();
        assertEquals(Limit.TIME, late.completeness().limit());
        // enough for the totals, not for the passes that look for a value
        IndexedAggregate.Result spent = IndexedAggregate.of(snapshot, index)
                .percentiles(50)
                .use(QueryIndex.CHUNK, false)
                .budget(new QueryBudget(3 << 20, Duration.ofDays(1)))
                .run();
        assertEquals(Limit.BYTES, spent.completeness().limit());
        assertEquals(RECORDS, spent.count());
        assertTrue(spent.percentiles().isEmpty());
        Thread.currentThread().interrupt();
        IndexedAggregate.Result interrupted =
                IndexedAggregate.of(snapshot, index).run();
        assertTrue(Thread.interrupted());
        assertEquals(Limit.CANCELLED, interrupted.completeness().limit());
        assertFalse(interrupted.completeness().complete());
    }

    @Test
    void shouldRefuseLengthsOfTimeThatAreNegativeOrHaveTooManyNanoseconds() {
        Duration most = Duration.ofNanos(Long.MAX_VALUE);
        IndexFunction latency = snapshot.index(source, "latency").orElseThrow().function();
        List<Consumer<Duration>> takers = List.of(
                GroupedAggregate.of(snapshot, source)::step,
                Histogram.of(snapshot, source, latency)::step,
                ProgressiveCount.of(snapshot, source)::step,
                length -> causes(latency).window(length, Duration.ZERO),
                length -> causes(latency).window(Duration.ZERO, length),
                length -> series(length, Duration.ZERO),
                length -> series(Duration.ZERO, length),
                length -> new TimeRange(0, 1).steps(length.isZero() ? most : length));
        for (Consumer<Duration> taker : takers) {
            taker.accept(most);
            taker.accept(Duration.ZERO);
            for (Duration wrong :
                    List.of(Duration.ofNanos(-1), most.plusNanos(1), Duration.ofSeconds(Long.MAX_VALUE))) {
                String message = assertThrows(IllegalArgumentException.class, () -> taker.accept(wrong))
                        .getMessage();
                assertTrue(message.contains(" is out of range: length=" + wrong + ", min="), message);
            }
        }
        assertThrows(IllegalArgumentException.class, () -> new TimeRange(0, 1).steps(Duration.ZERO));
    }

    private Correlation causes(IndexFunction function) {
        return Correlation.of(snapshot, source, IndexedScan.of(snapshot, source, function)::open);
    }

    private static void series(Duration step, Duration lookback) {
        new MetricSeries.Terms(List.of(), TimeRange.ALL, step, lookback, true, false, List.of(), 1);
    }

    @Test
    void shouldRefuseWhatItCanNotAnswer() {
        Index index = snapshot.index(source, "latency").orElseThrow();
        IndexedAggregate query = IndexedAggregate.of(snapshot, index);
        assertThrows(IllegalArgumentException.class, () -> query.percentiles(100.1));
        assertThrows(IllegalArgumentException.class, () -> query.percentiles(-1));
        List<BigDecimal> many = Collections.nCopies(IndexedAggregate.PERCENTILES_MAX + 1, BigDecimal.ONE);
        assertThrows(IllegalArgumentException.class, () -> query.percentiles(many));
        assertThrows(IllegalArgumentException.class, () -> query.where(Where.parse("nothing > 1")));
        IndexFunction unread = IndexFunction.parse("lambda:i64:1:gone", FORMAT);
        assertThrows(IllegalArgumentException.class, () -> IndexedAggregate.of(snapshot, source, unread));
        assertEquals(
                0,
                IndexedAggregate.of(snapshot, index)
                        .range(new TimeRange(5, 5))
                        .run()
                        .count());
    }

    @Test
    void shouldTellHowOftenAFunctionHasThrown() {
        IndexFunction odd = IndexFunction.of("odd", ValueType.I64, ValueUnit.NONE, (b, o, l, v) -> {
            if (b.getInt(o) % 2 != 0) {
                throw new IllegalArgumentException("odd");
            }
            v.setInteger(b.getInt(o));
        });
        int numbers = loom.defineSource("numbers", Formats.parse("bytes"));
        loom.defineIndex(numbers, "odd", odd, Bins.logLinear());
        assertEquals(0L, loom.info().writer().orElseThrow().indexFunctionFailures());
        UnsafeBuffer payload = new UnsafeBuffer(new byte[4]);
        for (int i = 0; i < 1_001; i++) {
            payload.putInt(0, i);
            loom.push(numbers, payload, 0, 4);
        }
        loom.force(); // what the open chunk holds may not have been read yet
        assertEquals(500L, loom.info().writer().orElseThrow().indexFunctionFailures());
    }
}
