package dev.loom.query.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.error.StoreReopenedException;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.query.Histogram;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.model.AddressRange;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryBudget;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Record i of 2000 arrives at 1000 i ns; its own time is 2000 - i, but every hundredth has none. */
final class QueryServiceTest {
    private static final long COUNT = 2_000;
    private static final int BLOCK_LENGTH = PageReader.BLOCK_PAGES * PageDescriptor.PAGE_LENGTH;
    private static final CorrelationRequest.Threshold ABOVE_0 =
            new CorrelationRequest.Threshold.Above(Literal.Numeric.parse("0"));
    /** How often a query that ends by itself may ask whether it is cancelled. */
    private static final long ASKED_MAX = 1_000;

    @TempDir
    Path directory;

    private final QueryMemory memory = new QueryMemory(16 << 20);
    private volatile boolean cancelled;
    private final QueryService service = TimedStore.service(memory, () -> cancelled);
    private final Results results = new Results();
    private TimedStore store;

    /** Keeps whatever is handed over. */
    private static class Results extends TimedStore.Kept {
        private final List<Long> causes = new ArrayList<>();
        private @Nullable CauseThreshold threshold;
        private @Nullable MatchSummary matched;
        private IndexedAggregate.@Nullable Result aggregate;
        private Histogram.@Nullable Counts counts;
        private @Nullable String nothing;
        private List<BinGroup> groups = List.of();

        @Override
        public void onCause(long address) {
            causes.add(address);
        }

        @Override
        public void onThreshold(CauseThreshold found) {
            threshold = found;
        }

        @Override
        public void onMatched(MatchSummary summary) {
            matched = summary;
        }

        @Override
        public void onAggregate(AggregateRequest request, IndexedAggregate.Result result) {
            aggregate = result;
        }

        @Override
        public void onHistogram(HistogramRequest request, Histogram.Counts found, List<BinGroup> groupsFound) {
            counts = found;
            groups = groupsFound;
        }

        @Override
        public void onNothing(String reason) {
            nothing = reason;
        }
    }

    @BeforeEach
    void fill() {
        store = new TimedStore(directory);
        for (long i = 0; i < COUNT; i++) {
            store.push(i % 100 == 0 ? -1 : COUNT - i, 200);
        }
    }

    @AfterEach
    void close() {
        store.close();
    }

    private RecordSelection all(String... where) {
        return store.records(TimeRange.ALL, false, where);
    }

    private QueryReport run(QueryRequest request) {
        try (Snapshot snapshot = store.snapshot();
                QueryMemory part = memory.part()) {
            return TimedStore.service(part, () -> cancelled).run(snapshot, request, results);
        } finally {
            assertEquals(0, memory.reserved());
        }
    }

    private List<Long> numbers() {
        return results.rows.stream().map(row -> row.get(1)).toList();
    }

    @Test
    void shouldScanByArrivalInBothOrdersUpToTheLimit() {
        QueryReport report = run(new ScanRequest(
                store.records(new TimeRange(10_000, 20_000), false, "i != 15"),
                Order.OLDEST_FIRST,
                5,
                QueryLimits.NONE));
        assertEquals(List.of(10L, 11L, 12L, 13L, 14L), numbers());
        assertEquals(List.of(10_000L, 10L), results.rows.get(0));
        assertEquals(1, report.scans());
        assertTrue(report.completeness().complete());
        assertTrue(report.statistics().pagesRead() > 0);
        results.rows.clear();
        run(new ScanRequest(all("i < 3"), Order.NEWEST_FIRST, Long.MAX_VALUE, QueryLimits.NONE));
        assertEquals(List.of(2L, 1L, 0L), numbers());
        results.rows.clear();
        assertEquals(
                0,
                run(new ScanRequest(all(), Order.NEWEST_FIRST, 0, QueryLimits.NONE))
                        .scans());
        assertEquals(List.of(), results.rows);
    }

    @Test
    void shouldScanByEventTimeAndCountRecordsWithoutOne() {
        QueryReport report = run(new ScanRequest(
                store.records(TimeRange.ALL, true, "i < 201"), Order.OLDEST_FIRST, Long.MAX_VALUE, QueryLimits.NONE));
        assertEquals(
                LongStream.rangeClosed(0, 200)
                        .map(i -> 200 - i)
                        .filter(i -> i % 100 != 0)
                        .boxed()
                        .toList(),
                numbers());
        assertEquals(List.of(COUNT - 199, 199L), results.rows.get(0));
        assertEquals(3, report.withoutTime());
    }

    @Test
    void shouldScanEventTimesInTheOrderOfArrival() {
        QueryReport report = run(new ScanRequest(
                store.records(new TimeRange(COUNT - 203, COUNT - 198), true),
                Order.OLDEST_FIRST,
                Long.MAX_VALUE,
                true,
                QueryLimits.NONE));
        // event times fall, and the 200th record has none
        assertEquals(List.of(199L, 201L, 202L, 203L), numbers());
        assertEquals(List.of(COUNT - 199, 199L), results.rows.get(0));
        assertEquals(1, report.scans());
        assertTrue(report.withoutTime() > 0);
    }

    @Test
    void shouldScanSomeAddressesByEitherTime() {
        run(new ScanRequest(all("i > 496"), Order.OLDEST_FIRST, 4, QueryLimits.NONE));
        AddressRange last = new AddressRange(results.addresses.get(1), results.addresses.get(3));
        for (boolean eventTime : new boolean[] {false, true}) {
            results.rows.clear();
            run(new ScanRequest(
                    store.records(TimeRange.ALL, eventTime),
                    last,
                    Order.OLDEST_FIRST,
                    Long.MAX_VALUE,
                    false,
                    QueryLimits.NONE));
            assertEquals(eventTime ? List.of(499L, 498L) : List.of(498L, 499L), numbers());
        }
    }

    @Test
    void shouldFindTheLargestAndTheSmallest() {
        run(new TopRequest(all("i < 500"), "i", 2, false, QueryLimits.NONE));
        run(new TopRequest(all(), "i", 2, true, QueryLimits.NONE));
        assertEquals(List.of(499L, 498L, 0L, 1L), numbers());
    }

    @Test
    void shouldAggregateAFieldOrCountRecords() {
        run(new AggregateRequest(all("i < 100"), "i", List.of(new BigDecimal("50")), 0, QueryLimits.NONE));
        IndexedAggregate.Result found = results.aggregate;
        assertNotNull(found);
        assertEquals("4950", found.sum());
        assertEquals(49, found.percentiles().get(new BigDecimal("50")).longValue());
        run(new AggregateRequest(all("i < 100"), null, List.of(), 0, QueryLimits.NONE));
        assertEquals(100, results.aggregate.count());
    }

    @Test
    void shouldCountBySizeByTimeAndByBoth() {
        run(new HistogramRequest(all(), "i", true, 10, null, QueryLimits.NONE));
        assertTrue(results.groups.size() <= 10 && results.groups.size() > 5, results.groups.toString());
        assertEquals(
                COUNT,
                results.groups.stream()
                        .mapToLong(group -> group.count(results.counts, 0))
                        .sum());
        HistogramRequest.Steps steps = new HistogramRequest.Steps(Duration.ofNanos(500_000), 80);
        run(new HistogramRequest(all(), null, false, 0, steps, QueryLimits.NONE));
        assertEquals(4, results.counts.steps());
        assertEquals(500, results.counts.count(3));
        run(new HistogramRequest(
                all("i >= 1000"), "i", true, 10, new HistogramRequest.Steps(null, 8), QueryLimits.NONE));
        assertEquals(results.groups.size(), results.counts.bins());
        long sum = 0;
        for (int step = 0; step < results.counts.steps(); step++) {
            sum += results.counts.count(step);
        }
        assertEquals(1_000, sum);
        assertNull(results.nothing);
        run(new HistogramRequest(
                store.records(new TimeRange(1L << 60, 1L << 61), false), null, false, 0, steps, QueryLimits.NONE));
        assertEquals("no records in the range", results.nothing);
    }

    @Test
    void shouldCountInStepsThatBeginWithTheRangeIfThatIsAsked() {
        RecordSelection records = store.records(new TimeRange(-2_500, 5_000), false);
        HistogramRequest.Steps whole = new HistogramRequest.Steps(Duration.ofNanos(1_000), 80, -2_500);
        run(new HistogramRequest(records, null, false, 0, whole, QueryLimits.NONE));
        assertEquals(new TimeRange(-500, 500), results.counts.range(0));
        assertEquals(1, results.counts.count(0));
        assertEquals(5, results.counts.count());
        HistogramRequest.Steps round = new HistogramRequest.Steps(Duration.ofNanos(1_000), 80);
        run(new HistogramRequest(records, null, false, 0, round, QueryLimits.NONE));
        assertEquals(new TimeRange(0, 1_000), results.counts.range(0));
        // the range begins so early that its length is no long
        run(new HistogramRequest(
                store.records(new TimeRange(Long.MIN_VALUE + 1, 5_000), false),
                null,
                false,
                0,
                new HistogramRequest.Steps(Duration.ofNanos((1L << 61) + 1_000), 80, Long.MIN_VALUE + 1),
                QueryLimits.NONE));
        assertEquals(new TimeRange(3_001 - (1L << 61), 4_001), results.counts.range(0));
        assertEquals(5, results.counts.count());
    }

    @Test
    void shouldCountInStepsThatEndWithTheRange() {
        HistogramRequest.Steps steps = new HistogramRequest.Steps(Duration.ofNanos(4_000), 80);
        run(new HistogramRequest(
                store.records(new TimeRange(10_000, 20_000), false), null, false, 0, steps, QueryLimits.NONE));
        assertEquals(3, results.counts.steps());
        assertEquals(new TimeRange(18_000, 20_000), results.counts.range(2));
        assertEquals(4, results.counts.count(0));
        assertEquals(2, results.counts.count(2));
        assertEquals(10, results.counts.count());
    }

    @Test
    void shouldCountTheSameWithAndWithoutKnowingWhichBinsStayEmpty() {
        // 262,144 cells at most are counted in at once; a limit of groups asks for the bins that are not empty first
        for (int steps : new int[] {1, 7, 200, 2_000}) {
            HistogramRequest.Steps byTime = new HistogramRequest.Steps(Duration.ofNanos(1 + 2_000_000 / steps), 80);
            QueryReport one = run(new HistogramRequest(all(), "i", true, Integer.MAX_VALUE, byTime, QueryLimits.NONE));
            Map<List<Object>, Long> cells = cells();
            assertEquals(
                    2_000, cells.values().stream().mapToLong(Long::longValue).sum());
            assertEquals(results.groups.size(), results.counts.bins());
            QueryReport two =
                    run(new HistogramRequest(all(), "i", true, Integer.MAX_VALUE - 1, byTime, QueryLimits.NONE));
            assertEquals(cells(), cells);
            assertEquals(two.completeness(), one.completeness());
            run(new HistogramRequest(all("i < 0"), "i", true, Integer.MAX_VALUE, byTime, QueryLimits.NONE));
            assertEquals("no values in the range", results.nothing);
            results.nothing = null;
        }
    }

    private Map<List<Object>, Long> cells() {
        Map<List<Object>, Long> cells = new HashMap<>();
        for (int step = 0; step < results.counts.steps(); step++) {
            for (int bin = 0; bin < results.counts.bins(); bin++) {
                if (results.counts.count(step, bin) > 0) {
                    cells.put(
                            List.of(results.counts.range(step), results.counts.low(bin), results.counts.high(bin)),
                            results.counts.count(step, bin));
                }
            }
        }
        return cells;
    }

    @Test
    void shouldCorrelateAroundAValueAndAPercentile() {
        CorrelationRequest.Threshold value = new CorrelationRequest.Threshold.Above(Literal.Numeric.parse("1997"));
        run(correlate(value, Long.MAX_VALUE));
        assertEquals(List.of(1997L, 1998L, 1998L, 1999L), numbers());
        assertEquals(4, results.causes.size());
        assertEquals(new MatchSummary(2, 0, 0), results.matched);
        assertEquals(new BigDecimal(1997), results.threshold.number());
        results.rows.clear();
        run(correlate(new CorrelationRequest.Threshold.Percentile(new BigDecimal("99.9")), 1));
        assertEquals(List.of(1997L), numbers());
        assertEquals(1997, results.threshold.value().longValue());
        assertFalse(results.threshold.inclusive());
    }

    @Test
    void shouldCorrelateAroundTheCausesAtSomeAddresses() {
        run(new ScanRequest(all("i == 1998"), Order.OLDEST_FIRST, 1, QueryLimits.NONE));
        long address = results.addresses.get(0);
        results.rows.clear();
        run(correlate(
                new AddressRange(address, address + 1),
                new CorrelationRequest.Threshold.Above(Literal.Numeric.parse("1900")),
                Long.MAX_VALUE));
        assertEquals(List.of(1997L, 1998L), numbers());
        assertEquals(new MatchSummary(1, 0, 0), results.matched);
    }

    private CorrelationRequest correlate(CorrelationRequest.Threshold above, long limit) {
        return correlate(AddressRange.ALL, above, limit);
    }

    private CorrelationRequest correlate(AddressRange addresses, CorrelationRequest.Threshold above, long limit) {
        return correlate(addresses, above, limit, QueryLimits.NONE);
    }

    private CorrelationRequest correlate(
            AddressRange addresses, CorrelationRequest.Threshold above, long limit, QueryLimits limits) {
        Duration before = Duration.ofNanos(1_000);
        return new CorrelationRequest(
                all(),
                addresses,
                "i",
                above,
                store.source(),
                List.of(),
                before,
                Duration.ZERO,
                null,
                limit,
                false,
                limits);
    }

    @Test
    void shouldEndWithWhatWasFoundWhenCancelledOrOutOfBudget() {
        QueryLimits bytes = new QueryLimits(new QueryBudget(1, Duration.ofMinutes(1)), QueryIndex.ALL);
        assertEquals(
                Completeness.Limit.BYTES,
                run(new ScanRequest(all(), Order.NEWEST_FIRST, Long.MAX_VALUE, bytes))
                        .completeness()
                        .limit());
        QueryLimits time = QueryLimits.NONE.withTimeMax(Duration.ZERO);
        assertEquals(
                Completeness.Limit.TIME,
                run(new AggregateRequest(all(), "i", List.of(), 0, time))
                        .completeness()
                        .limit());
        cancelled = true;
        QueryReport report = run(new ScanRequest(all(), Order.NEWEST_FIRST, Long.MAX_VALUE, QueryLimits.NONE));
        assertEquals(Completeness.Limit.CANCELLED, report.completeness().limit());
        assertFalse(report.completeness().complete());
    }

    /** Both scans read the whole source; neither reads as much as the budget has, but both together do. */
    @Test
    void shouldShareTheBudgetOfACorrelationAmongItsScans() {
        checkSharedBudget(ABOVE_0, 2, COUNT, 16 << 20);
        checkSharedBudget(new CorrelationRequest.Threshold.Percentile(BigDecimal.ZERO), 4, COUNT, 16 << 20);
    }

    /** Causes are read again for each batch, as there is no memory for all at once. */
    @Test
    void shouldShareTheBudgetOfACorrelationAmongItsBatches() {
        long count = 20_000;
        for (long i = COUNT; i < count; i++) {
            store.push(i, 0);
        }
        checkSharedBudget(ABOVE_0, 6, count, 2_200 << 10);
    }

    private void checkSharedBudget(CorrelationRequest.Threshold above, int scans, long records, long memoryMax) {
        long together = correlate(above, Long.MAX_VALUE, memoryMax).statistics().bytesRead();
        assertEquals(new MatchSummary(records - 1, 0, 0), results.matched);
        long ofOne = run(new ScanRequest(all("i > 0"), Order.OLDEST_FIRST, Long.MAX_VALUE, QueryLimits.NONE))
                .statistics()
                .bytesRead();
        assertTrue(together >= scans * ofOne, "together=" + together + ", ofOne=" + ofOne);
        for (long budget = 1; budget < together; budget += PageDescriptor.PAGE_LENGTH / 2) {
            QueryReport report = correlate(above, budget, memoryMax);
            long read = report.statistics().bytesRead();
            String context = "read=" + read + ", budget=" + budget + ", together=" + together;
            assertTrue(read <= budget + BLOCK_LENGTH, context);
            boolean complete = results.rows.size() == 2 * (records - 1);
            assertEquals(
                    complete ? Completeness.Limit.NONE : Completeness.Limit.BYTES,
                    report.completeness().limit(),
                    context);
            assertTrue(!complete || budget > together - BLOCK_LENGTH, context);
        }
    }

    private QueryReport correlate(CorrelationRequest.Threshold above, long bytesReadMax, long memoryMax) {
        results.rows.clear();
        QueryLimits limits = new QueryLimits(new QueryBudget(bytesReadMax, Duration.ofMinutes(1)), QueryIndex.ALL);
        try (Snapshot snapshot = store.snapshot()) {
            return TimedStore.service(new QueryMemory(memoryMax), () -> cancelled)
                    .run(snapshot, correlate(AddressRange.ALL, above, Long.MAX_VALUE, limits), results);
        }
    }

    @Test
    void shouldReserveMemoryForLongPayloadsAndReleaseAllWhenRefused() {
        store.push(1, 120_000);
        ScanRequest newest = new ScanRequest(all(), Order.NEWEST_FIRST, 1, QueryLimits.NONE);
        run(newest);
        assertEquals(List.of(COUNT), numbers());
        long most = (15 << 20) - (100 << 10);
        memory.reserve(most);
        try (Snapshot snapshot = store.snapshot();
                QueryMemory part = memory.part()) {
            QueryService tight = TimedStore.service(part, () -> cancelled);
            assertThrows(QueryMemory.Exhausted.class, () -> tight.run(snapshot, newest, results));
        }
        assertEquals(most, memory.reserved());
    }

    @Test
    void shouldPassOnWhatAHandlerThrowsAndReleaseTheScan() {
        ResultHandler failing = new ResultHandler() {
            @Override
            public void onRecord(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
                throw new IllegalStateException("full");
            }
        };
        ScanRequest scan = new ScanRequest(all(), Order.NEWEST_FIRST, 9, QueryLimits.NONE);
        try (Snapshot snapshot = store.snapshot()) {
            assertThrows(IllegalStateException.class, () -> service.run(snapshot, scan, failing));
        }
        assertEquals(0, memory.reserved());
    }

    @Test
    void shouldHandOverTheLastRecordsAndThenThoseThatArriveEachOnce() {
        long[] flushes = {0};
        Results following = new Results() {
            @Override
            public void onFlush() {
                if (++flushes[0] <= 3) {
                    store.push(5, 0);
                } else {
                    cancelled = true;
                }
            }
        };
        QueryReport report = service.tail(
                store::reader,
                snapshot ->
                        new TailRequest(store.source(), List.of(Where.parse("i != 1999")), 2, true, QueryLimits.NONE),
                following);
        assertEquals(
                List.of(1997L, 1998L, 2000L, 2001L, 2002L),
                following.rows.stream().map(row -> row.get(1)).toList());
        assertEquals(5, report.scans());
        assertEquals(0, memory.reserved());
    }

    /** A source that is defined again is another one, though it has the name. */
    @Test
    void shouldEndWhenTheSourceThatItFollowsIsClosed() {
        TailRequest request = new TailRequest(store.source(), List.of(), 2, true, QueryLimits.NONE);
        List<Source> closed = new ArrayList<>();
        long[] asked = {0};
        Results following = new Results() {
            private boolean begun;

            @Override
            public void onFlush() {
                if (!begun) {
                    begun = true;
                    store.push(5, 0);
                    store.defineAgain();
                }
            }

            @Override
            public void onClosed(Source source) {
                closed.add(source);
            }
        };
        QueryReport report = TimedStore.service(memory, () -> ++asked[0] > ASKED_MAX)
                .tail(store::reader, snapshot -> request, following);
        assertEquals(List.of(request.source()), closed);
        assertEquals(
                List.of(1998L, 1999L, 2000L),
                following.rows.stream().map(row -> row.get(1)).toList());
        assertTrue(report.completeness().complete());
        assertEquals(0, memory.reserved());
    }

    /** What follows has no other end, so nothing is missing for it. */
    @Test
    void shouldMissWhatIsLeftWhenCancelledUnlessItFollows() {
        for (boolean follow : new boolean[] {false, true}) {
            cancelled = false;
            Results handed = new Results() {
                @Override
                public void onRecord(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
                    super.onRecord(timeNs, address, buffer, offset, length);
                    cancelled = true;
                }
            };
            QueryReport report = service.tail(
                    store::reader,
                    snapshot -> new TailRequest(store.source(), List.of(), COUNT, follow, QueryLimits.NONE),
                    handed);
            assertTrue(handed.rows.size() < COUNT, () -> "rows=" + handed.rows.size());
            assertEquals(
                    follow ? Completeness.Limit.NONE : Completeness.Limit.CANCELLED,
                    report.completeness().limit());
        }
    }

    @Test
    void shouldSayThatRecordsAreMissingThatWereDeletedBeforeATailReachedThem() {
        store.limit(8 << 20);
        Results slow = new Results() {
            private int flushes;

            @Override
            public void onFlush() {
                if (++flushes == 1) {
                    for (int i = 0; i < 300; i++) {
                        store.push(5, 100_000);
                    }
                    store.force();
                } else {
                    cancelled = true;
                }
            }
        };
        QueryReport report = service.tail(
                store::reader, snapshot -> new TailRequest(store.source(), List.of(), 3, true, QueryLimits.NONE), slow);
        assertTrue(report.completeness().expired());
        List<Long> numbers = slow.rows.stream().map(row -> row.get(1)).toList();
        assertEquals(List.of(1997L, 1998L, 1999L), numbers.subList(0, 3));
        assertTrue(numbers.get(3) > 2000, numbers::toString);
        for (int i = 4; i < numbers.size(); i++) {
            assertEquals(numbers.get(i - 1) + 1, numbers.get(i));
        }
    }

    @Test
    void shouldGoOnBehindTheLastRecordWhenTheWriterRestartsInTheMidst() {
        Results restarted = new Results() {
            private boolean failed;

            @Override
            public void onRecord(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
                if (rows.size() == 2 && !failed) {
                    failed = true;
                    throw new StoreReopenedException("store was reopened");
                }
                super.onRecord(timeNs, address, buffer, offset, length);
            }

            @Override
            public void onFlush() {
                cancelled = true;
            }
        };
        service.tail(
                store::reader,
                snapshot -> new TailRequest(store.source(), List.of(), 3, true, QueryLimits.NONE),
                restarted);
        assertEquals(
                List.of(1997L, 1998L, 1999L),
                restarted.rows.stream().map(row -> row.get(1)).toList());
        assertEquals(0, memory.reserved());
    }
}
