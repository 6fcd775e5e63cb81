package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.query.OperatorStore.Row;
import dev.loom.query.model.AddressRange;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.ValueRange;
import dev.loom.query.plan.QueryTerms;
import dev.loom.query.where.Where;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Largest records, histograms and correlations of random data by random questions, with indexes and without, against what
 * the pushed records say. {@code -Dloom.operators.rounds=N} for a long run, {@code -Dloom.test.seed=N} to repeat one.
 */
class OperatorOracleTest {
    private static final int ROUNDS = Integer.getInteger("loom.operators.rounds", 3);
    private static final int QUESTIONS = 40;
    private static final int RECORDS = 2_500;

    @TempDir
    Path directory;

    private Random random = new Random();
    private long skipped;

    private interface Question {
        void ask(OperatorStore store, Snapshot snapshot);
    }

    private void rounds(String name, Question question) {
        for (int round = 0; round < ROUNDS; round++) {
            long seed = Long.getLong("loom.test.seed", System.nanoTime());
            System.out.println("OperatorOracleTest " + name + ": -Dloom.test.seed=" + seed);
            random = new Random(seed);
            try (OperatorStore store = new OperatorStore(directory.resolve(name + round), random)) {
                store.fill(RECORDS);
                try (Snapshot snapshot = store.loom().snapshot()) {
                    for (int i = 0; i < QUESTIONS; i++) {
                        question.ask(store, snapshot);
                    }
                }
            }
        }
        assertTrue(skipped > 0, "no page was passed over by an index");
    }

    /** Asks for a random part of the records, and tells which that is. */
    private Predicate<Row> narrow(Query<?> query, OperatorStore store) {
        TimeRange range = store.range();
        query.range(range)
                .use(QueryIndex.TIME, random.nextInt(4) > 0)
                .use(QueryIndex.CHUNK, random.nextInt(4) > 0)
                .use(QueryIndex.ROLLUP, random.nextInt(4) > 0);
        Predicate<Row> all = row -> row.timeNs() >= range.fromNs() && row.timeNs() < range.toNs();
        if (random.nextInt(3) == 0) {
            int limit = random.nextInt(1_000);
            query.where(Where.parse("duration < " + limit));
            all = all.and(row -> row.duration() < limit);
        }
        if (random.nextInt(3) == 0) {
            TimeRange event = store.range();
            query.eventRange(OperatorStore.clock(), event);
            all = all.and(row -> row.ts() != -1 && row.ts() >= event.fromNs() && row.ts() < event.toNs());
        }
        return all;
    }

    /** A function and what it gives: null for no value. */
    private record Valued(IndexFunction function, Function<Row, @Nullable Double> of) {}

    private Valued valued() {
        return switch (random.nextInt(3)) {
            case 0 -> new Valued(OperatorStore.SCORE, row -> Double.isNaN(row.score()) ? null : (Double) row.score());
            case 1 ->
                new Valued(OperatorStore.SPARSE, row -> row.value() % 7 == 0 ? null : (Double) (double) row.value());
            default -> new Valued(OperatorStore.DURATION, row -> (double) row.duration());
        };
    }

    @Test
    void shouldGiveTheLargestRecords() {
        rounds("top", (store, snapshot) -> {
            int source = random.nextBoolean() ? store.sourceA : store.sourceB;
            int count = 1 + random.nextInt(random.nextBoolean() ? 5 : 3_000);
            boolean scores = random.nextBoolean();
            TopRecords query =
                    TopRecords.of(snapshot, source, scores ? OperatorStore.SCORE : OperatorStore.VALUE, count);
            boolean smallest = random.nextBoolean();
            if (smallest) {
                query.smallest();
            }
            Predicate<Row> wanted = narrow(query, store);
            Comparator<Row> least =
                    scores ? Comparator.comparingDouble(Row::score) : Comparator.comparingLong(Row::value);
            List<String> expected = store.rows(source).stream()
                    .filter(wanted.and(row -> !scores || !Double.isNaN(row.score())))
                    .sorted((smallest ? least.reversed() : least)
                            .thenComparingLong(Row::address)
                            .reversed())
                    .limit(count)
                    .map(row -> row.address() + " " + row.timeNs() + " " + (scores ? "" + row.score() : row.value()))
                    .toList();
            List<String> found = new ArrayList<>();
            try (TopRecords.Cursor cursor = query.open()) {
                while (cursor.next()) {
                    found.add(cursor.address() + " " + cursor.timeNs() + " " + cursor.value());
                }
                assertTrue(cursor.completeness().complete());
                skipped += cursor.statistics().pagesSkippedByBins();
            }
            assertEquals(expected, found);
        });
    }

    @Test
    void shouldGiveTheRecordsAtSomeAddresses() {
        rounds("addresses", (store, snapshot) -> {
            int source = random.nextBoolean() ? store.sourceA : store.sourceB;
            List<Row> rows = store.rows(source);
            long first = rows.get(random.nextInt(rows.size())).address() + random.nextInt(2);
            AddressRange addresses = new AddressRange(
                    random.nextInt(3) == 0 ? 0 : first,
                    switch (random.nextInt(3)) {
                        case 0 -> Long.MAX_VALUE;
                        case 1 -> first + 1;
                        default -> rows.get(random.nextInt(rows.size())).address();
                    });
            Order order = random.nextBoolean() ? Order.OLDEST_FIRST : Order.NEWEST_FIRST;
            boolean raw = random.nextBoolean();
            RawScan rawScan = RawScan.of(snapshot, source).addresses(addresses).order(order);
            IndexedScan indexedScan = IndexedScan.of(snapshot, source, OperatorStore.VALUE)
                    .addresses(addresses)
                    .order(order);
            Predicate<Row> wanted = raw ? narrow(rawScan, store) : narrow(indexedScan, store);
            Comparator<Row> oldestFirst = Comparator.comparingLong(Row::address);
            List<Long> expected = rows.stream()
                    .filter(wanted.and(row -> row.address() >= addresses.from() && row.address() < addresses.to()))
                    .sorted(order == Order.OLDEST_FIRST ? oldestFirst : oldestFirst.reversed())
                    .map(Row::address)
                    .toList();
            List<Long> found = new ArrayList<>();
            try (QueryCursor cursor = raw ? rawScan.open() : indexedScan.open()) {
                while (cursor.next()) {
                    found.add(cursor.address());
                }
                assertTrue(cursor.completeness().complete());
                skipped += cursor.statistics().pagesSkipped();
            }
            assertEquals(expected, found, () -> addresses + " " + order);
        });
    }

    @Test
    void shouldTellTheFirstAndTheLastEventTime() {
        rounds("extent", (store, snapshot) -> {
            int source = random.nextBoolean() ? store.sourceA : store.sourceB;
            EventExtent query = EventExtent.of(snapshot, source, OperatorStore.clock());
            Predicate<Row> wanted = narrow(query, store);
            LongSummaryStatistics expected = store.rows(source).stream()
                    .filter(wanted.and(row -> row.ts() != -1))
                    .mapToLong(Row::ts)
                    .summaryStatistics();
            EventExtent.Result found = query.run();
            assertTrue(found.completeness().complete());
            skipped += found.statistics().chunksFromTotals();
            assertEquals(
                    expected.getCount() == 0 ? null : new TimeRange(expected.getMin(), expected.getMax() + 1),
                    found.times());
        });
    }

    @Test
    void shouldCountByValueAndTime() {
        rounds("histogram", (store, snapshot) -> {
            int source = random.nextBoolean() ? store.sourceA : store.sourceB;
            Valued valued = valued();
            Histogram query = Histogram.of(snapshot, source, valued.function());
            Predicate<Row> wanted = narrow(query, store);
            QueryTerms terms = query.terms();
            boolean event = terms.eventRange() != null;
            TimeRange range = event ? terms.eventRange().range() : terms.range();
            boolean steps = range.fromNs() != Long.MIN_VALUE && range.toNs() != Long.MAX_VALUE && random.nextBoolean();
            long lengthNs = range.toNs() - range.fromNs();
            long stepNs = steps ? 1 + (random.nextBoolean() ? lengthNs / 3 : lengthNs / (1 + random.nextInt(60))) : 0;
            query.step(Duration.ofNanos(stepNs));
            boolean oneBin = random.nextInt(3) == 0;
            // a histogram of doubles has a few thousand bins even so
            Bins bins = steps && valued.function().equals(OperatorStore.SCORE) ? Bins.logLinear(0) : store.bins();
            Histogram.Counts counts = (oneBin ? query.oneBin() : query.bins(bins)).run();
            assertTrue(counts.completeness().complete());
            skipped +=
                    counts.statistics().chunksFromBins() + counts.statistics().chunksFromTotals();

            Map<Integer, List<Double>> bySteps = new HashMap<>();
            for (Row row : store.rows(source)) {
                Double value = valued.of().apply(row);
                if (value != null && wanted.test(row)) {
                    int step = stepNs == 0 ? 0 : (int) (((event ? row.ts() : row.timeNs()) - range.fromNs()) / stepNs);
                    bySteps.computeIfAbsent(step, any -> new ArrayList<>()).add(value);
                }
            }
            for (int step = 0; step < counts.steps(); step++) {
                List<Double> values = bySteps.getOrDefault(step, List.of());
                assertEquals(values.size(), counts.count(step));
                if (!values.isEmpty()) {
                    assertEquals(
                            values.stream().min(Comparator.naturalOrder()).get(),
                            counts.min(step).doubleValue());
                    assertEquals(
                            values.stream().max(Comparator.naturalOrder()).get(),
                            counts.max(step).doubleValue());
                }
                requireBins(counts, step, values);
            }
            assertEquals(bySteps.values().stream().mapToLong(List::size).sum(), counts.count());
        });
    }

    @Test
    void shouldCountInRounds() {
        rounds("count", (store, snapshot) -> {
            int source = random.nextBoolean() ? store.sourceA : store.sourceB;
            ProgressiveCount query = ProgressiveCount.of(snapshot, source).firstSample(1 + random.nextInt(20));
            Predicate<Row> wanted = narrow(query, store);
            QueryTerms terms = query.terms();
            boolean event = terms.eventRange() != null;
            TimeRange range = event ? terms.eventRange().range() : terms.range();
            boolean steps = range.fromNs() != Long.MIN_VALUE && range.toNs() != Long.MAX_VALUE && random.nextBoolean();
            long stepNs = steps ? 1 + (range.toNs() - range.fromNs()) / (1 + random.nextInt(20)) : 0;
            ProgressiveCount.Counts counts =
                    query.step(Duration.ofNanos(stepNs)).run();
            assertTrue(counts.isExact() && counts.completeness().complete());
            skipped += counts.statistics().chunksFromTotals();
            long[] expected = new long[counts.steps()];
            store.rows(source).stream()
                    .filter(wanted)
                    .mapToLong(row -> (event ? row.ts() : row.timeNs()) - range.fromNs())
                    .forEach(sinceNs -> expected[stepNs == 0 ? 0 : (int) (sinceNs / stepNs)]++);
            for (int step = 0; step < expected.length; step++) {
                assertEquals(expected[step], counts.count(step));
            }
        });
    }

    private static void requireBins(Histogram.Counts counts, int step, List<Double> values) {
        Map<Double, Integer> rest = new HashMap<>();
        values.forEach(value -> rest.merge(value, 1, Integer::sum));
        for (int bin = 0; bin < counts.bins(); bin++) {
            long count = counts.count(step, bin);
            if (count > 0) {
                double low = counts.low(bin).doubleValue();
                double high = counts.high(bin).doubleValue();
                long inBin = values.stream()
                        .filter(value -> value >= low && value <= high)
                        .count();
                assertEquals(inBin, count, () -> "from " + low + " to " + high);
            }
        }
    }

    @Test
    void shouldFindWhatLiesAroundCauses() {
        rounds("correlate", this::correlate);
    }

    private void correlate(OperatorStore store, Snapshot snapshot) {
        boolean event = random.nextBoolean();
        boolean overlap = random.nextBoolean();
        boolean causesFromStart = random.nextInt(3) == 0;
        boolean fromStart = random.nextInt(3) == 0;
        boolean distinct = random.nextBoolean();
        long before = overlap ? 0 : random.nextInt(4_000);
        long after = random.nextInt(3) == 0 ? 0 : overlap ? 0 : random.nextInt(4_000);
        long above = random.nextInt(10) == 0 ? -1_000 : 940;
        TimeRange causeRange = store.range();
        IndexedScan causes = IndexedScan.of(snapshot, store.sourceA, OperatorStore.VALUE)
                .values(ValueRange.above(above))
                .range(causeRange)
                .order(random.nextBoolean() ? Order.NEWEST_FIRST : Order.OLDEST_FIRST);
        Correlation query = Correlation.of(snapshot, store.sourceB, causes::open)
                .window(Duration.ofNanos(before), Duration.ofNanos(after))
                .distinct(distinct)
                .causesAtATime(random.nextBoolean() ? 1 + random.nextInt(20) : Correlation.CAUSES_AT_A_TIME);
        if (event) {
            query.eventTime(OperatorStore.clock(), OperatorStore.clock());
        }
        if (overlap) {
            query.durations(OperatorStore.DURATION, OperatorStore.DURATION).fromStart(causesFromStart, fromStart);
        }
        Predicate<Row> wanted = narrow(query, store);

        List<Span> causeSpans = new ArrayList<>();
        for (Row row : store.a) {
            boolean in = row.timeNs() >= causeRange.fromNs() && row.timeNs() < causeRange.toNs() && row.value() > above;
            if (in && !(event && row.ts() == -1) && !(overlap && row.duration() < 0)) {
                causeSpans.add(Span.of(row, event, overlap, causesFromStart, before, after));
            }
        }
        causeSpans.sort(Comparator.comparingLong(Span::start).thenComparingLong(Span::address));
        List<String> expected = new ArrayList<>();
        for (Row row : store.b) {
            if (wanted.test(row) && !(event && row.ts() == -1) && !(overlap && row.duration() < 0)) {
                Span span = Span.of(row, event, overlap, fromStart, 0, 0);
                causeSpans.stream()
                        .filter(cause -> cause.start() <= span.end() && cause.end() >= span.start())
                        .limit(distinct ? 1 : Long.MAX_VALUE)
                        .forEach(cause -> expected.add(row.address() + " of " + cause.address()));
            }
        }
        List<String> found = new ArrayList<>();
        try (Correlation.Cursor cursor = query.open()) {
            while (cursor.next()) {
                found.add(cursor.address() + " of " + cursor.causeAddress());
            }
            assertTrue(cursor.completeness().complete());
            skipped += cursor.statistics().pagesSkippedByBins()
                    + cursor.statistics().pagesSkipped();
        }
        // batches come one after the other
        expected.sort(null);
        found.sort(null);
        assertEquals(expected, found);
    }

    private record Span(long start, long end, long address) {
        static Span of(Row row, boolean event, boolean overlap, boolean fromStart, long before, long after) {
            long time = event ? row.ts() : row.timeNs();
            long start = overlap && !fromStart ? time - row.duration() : time;
            long end = overlap && fromStart ? time + row.duration() : time;
            return new Span(start - before, end + after, row.address());
        }
    }
}
