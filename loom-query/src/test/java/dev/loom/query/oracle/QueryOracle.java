package dev.loom.query.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.ValueType;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.IndexedScan;
import dev.loom.query.Query;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import dev.loom.query.model.PercentileBounds;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import dev.loom.query.model.ValueRange;
import dev.loom.query.where.Where;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Predicate;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Random queries on one source of a snapshot, against a scan that reads everything and knows nothing of indexes. */
final class QueryOracle {
    private static final List<List<String>> BY = List.of(
            List.of("i"),
            List.of("f"),
            List.of("u"),
            List.of("f", "u"),
            List.of("u", "f"),
            List.of("i", "f"),
            List.of());
    private static final double[] WITHIN = {1e-4, 0.01, 0.125, 0.5, 1};
    private static final double[] PERCENTILES = {0, 0.01, 25, 50, 90, 99, 99.9, 99.99, 100};

    private final Random random;
    private final Snapshot snapshot;
    private final int source;
    private final List<Row> rows = new ArrayList<>();
    private QueryStatistics work = QueryStatistics.NONE;

    QueryOracle(Snapshot snapshot, int source, Random random) {
        this.snapshot = snapshot;
        this.source = source;
        this.random = random;
        try (QueryCursor cursor = RawScan.of(snapshot, source)
                .use(QueryIndex.TIME, false)
                .use(QueryIndex.CHUNK, false)
                .use(QueryIndex.TEXT, false)
                .order(Order.OLDEST_FIRST)
                .open()) {
            while (cursor.next()) {
                rows.add(Row.decode(
                        cursor.address(), cursor.timeNs(), cursor.buffer(), cursor.offset(), cursor.length()));
            }
            assertTrue(cursor.completeness().complete());
        }
        Source.Statistics counts = snapshot.statistics(source);
        assertEquals(rows.size(), counts.records());
        if (!rows.isEmpty()) {
            assertEquals(rows.get(0).timeNs(), counts.firstTimeNs());
            assertEquals(rows.get(rows.size() - 1).timeNs(), counts.lastTimeNs());
        }
    }

    /** The work of all queries, without their plans. */
    QueryStatistics work() {
        return work;
    }

    private void add(QueryStatistics more) {
        work = work.plus(new QueryStatistics(
                more.pagesConsidered(),
                more.pagesSkipped(),
                more.pagesSkippedByBins(),
                more.pagesSkippedByTokens(),
                more.pagesRead(),
                more.bytesRead(),
                more.recordsReturned(),
                more.chunksFromTotals(),
                more.chunksFromBins(),
                more.chunksRead(),
                more.runs(),
                List.of(),
                Map.of()));
    }

    int rows() {
        return rows.size();
    }

    /** One query of each kind. */
    void query() {
        TimeRange times = times();
        where(times);
        List<Index> indexes = snapshot.indexes(source);
        if (!indexes.isEmpty()) {
            Index index = RandomStore.readable(indexes.get(random.nextInt(indexes.size())));
            ValueRange values = ValueRange.ALL;
            Predicate<BigDecimal> inValues = value -> true;
            if (random.nextInt(3) > 0) {
                Bound low = bound(index);
                Bound high = bound(index);
                values = random.nextInt(3) == 0
                        ? low.from()
                        : random.nextInt(3) == 0 ? high.to() : low.from().to(high.to());
                ValueRange chosen = values;
                inValues = value -> low.admits(value, chosen, true) && high.admits(value, chosen, false);
            }
            scan(index, times, values, inValues);
            aggregate(index, times, values, inValues);
            if (random.nextInt(3) == 0) {
                groups(index, times);
            }
        }
    }

    private void groups(Index index, TimeRange times) {
        @Nullable
        Where condition = random.nextInt(3) == 0 ? Where.parse(random.nextBoolean() ? "f < 1" : "i > 0") : null;
        Where.Predicate predicate = condition == null ? (b, o, l) -> true : condition.bind(Row.FORMAT);
        GroupedAggregate query =
                choose(GroupedAggregate.of(snapshot, source, index.function()).range(times));
        if (condition != null) {
            query.where(condition);
        }
        boolean stepped = !times.equals(TimeRange.ALL) && times.toNs() > times.fromNs() && random.nextInt(3) == 0;
        long stepNs = stepped ? 1 + (times.toNs() - times.fromNs()) / (1 + random.nextInt(5)) : 0;
        List<String> by = BY.get(random.nextInt(BY.size()));
        double percentile = PERCENTILES[random.nextInt(PERCENTILES.length)];
        add(new GroupedRows(by, times, stepNs, index.function(), percentile)
                .check(
                        select(times, row -> test(predicate, row)),
                        query,
                        "index=" + index + ", where=" + condition + ", indexes=" + snapshot.indexes(source)));
    }

    /** An end of a range of values, as the query has it and as the oracle compares with it. */
    private record Bound(BigDecimal number, BigDecimal compared, boolean included) {
        ValueRange from() {
            return included ? ValueRange.atLeast(number) : ValueRange.above(number);
        }

        ValueRange to() {
            return included ? ValueRange.atMost(number) : ValueRange.below(number);
        }

        boolean admits(BigDecimal value, ValueRange range, boolean low) {
            boolean bounded = low
                    ? !range.toString().startsWith("(..")
                    : !range.toString().endsWith("..)");
            int comparison = low ? value.compareTo(compared) : compared.compareTo(value);
            return !bounded || comparison > 0 || (included && comparison == 0);
        }
    }

    private Bound bound(Index index) {
        BigDecimal number = BigDecimal.valueOf(random.nextInt(30) - 5);
        if (!rows.isEmpty() && random.nextInt(5) > 0) {
            BigDecimal value = rows.get(random.nextInt(rows.size())).value(index.function());
            if (value != null && value.abs().compareTo(Row.INFINITY) < 0) {
                number = value;
            }
        }
        number = switch (random.nextInt(5)) {
            case 0 -> number.add(BigDecimal.ONE);
            case 1 -> number.subtract(BigDecimal.ONE);
            case 2 -> number.add(new BigDecimal("0.1"));
            default -> number;
        };
        boolean whole = number.stripTrailingZeros().scale() <= 0;
        BigDecimal compared = number;
        if (index.function().type() == ValueType.F64 && !whole) {
            double nearest = Double.parseDouble(number.toString());
            compared = Double.isInfinite(nearest) ? number : new BigDecimal(nearest);
        }
        return new Bound(number, compared, random.nextBoolean());
    }

    private TimeRange times() {
        if (rows.isEmpty() || random.nextInt(4) == 0) {
            return TimeRange.ALL;
        }
        int first = random.nextInt(rows.size());
        int last = random.nextBoolean()
                ? random.nextInt(rows.size())
                : Math.min(rows.size() - 1, first + random.nextInt(20));
        long from = rows.get(Math.min(first, last)).timeNs() + random.nextInt(3) - 1;
        long to = rows.get(Math.max(first, last)).timeNs() + random.nextInt(3) - 1;
        return new TimeRange(Math.min(from, to), Math.max(from, to));
    }

    private List<Row> select(TimeRange times, Predicate<Row> condition) {
        return rows.stream()
                .filter(row -> row.timeNs() >= times.fromNs() && row.timeNs() < times.toNs() && condition.test(row))
                .toList();
    }

    /** Uses both indexes mostly, and now and then one or none. */
    private <Q extends Query<Q>> Q choose(Q query) {
        return query.use(QueryIndex.TIME, random.nextInt(5) > 0)
                .use(QueryIndex.ROLLUP, random.nextInt(5) > 0)
                .use(QueryIndex.CHUNK, random.nextInt(5) > 0)
                .use(QueryIndex.TEXT, random.nextInt(5) > 0);
    }

    private void scan(Index index, TimeRange times, ValueRange values, Predicate<BigDecimal> inValues) {
        Order order = random.nextBoolean() ? Order.NEWEST_FIRST : Order.OLDEST_FIRST;
        IndexedScan scan = choose(
                IndexedScan.of(snapshot, index).range(times).values(values).order(order));
        List<Row> expected = select(times, row -> {
            BigDecimal value = row.value(index.function());
            return value != null && inValues.test(value);
        });
        try (QueryCursor cursor = scan.open()) {
            check(expected, order, cursor, () -> "index=" + index + ", times=" + times + ", values=" + values);
        }
    }

    private void check(List<Row> expected, Order order, QueryCursor cursor, java.util.function.Supplier<String> what) {
        List<Long> addresses =
                new ArrayList<>(expected.stream().map(Row::address).toList());
        if (order == Order.NEWEST_FIRST) {
            Collections.reverse(addresses);
        }
        List<Long> found = new ArrayList<>();
        while (cursor.next()) {
            found.add(cursor.address());
        }
        assertEquals(addresses, found, what);
        assertTrue(cursor.completeness().complete(), what);
        add(cursor.statistics());
    }

    /** A random expression that can hold: one that never does is refused. */
    private Where condition(int depth) {
        while (true) {
            Where expression = Where.parse(expression(depth));
            try {
                expression.bind(Row.FORMAT);
                return expression;
            } catch (IllegalArgumentException e) {
                assertTrue(
                        e.getMessage().startsWith("comparison gives the same result for every value"), e.getMessage());
            }
        }
    }

    private void where(TimeRange times) {
        Where expression = condition(2);
        Where.Predicate predicate = expression.bind(Row.FORMAT);
        Order order = random.nextBoolean() ? Order.NEWEST_FIRST : Order.OLDEST_FIRST;
        RawScan scan = choose(
                RawScan.of(snapshot, source).range(times).where(expression).order(order));
        try (QueryCursor cursor = scan.open()) {
            check(
                    select(times, row -> test(predicate, row)),
                    order,
                    cursor,
                    () -> "expression=" + expression + ", times=" + times + ", indexes=" + snapshot.indexes(source));
        }
    }

    private static boolean test(Where.Predicate predicate, Row row) {
        return predicate.test(new UnsafeBuffer(row.payload()), 0, row.payload().length);
    }

    private String expression(int depth) {
        return switch (depth == 0 ? 9 : random.nextInt(12)) {
            case 0, 1 -> "(" + expression(depth - 1) + " and " + expression(depth - 1) + ")";
            case 2 -> "(" + expression(depth - 1) + " or " + expression(depth - 1) + ")";
            case 3 -> "not (" + expression(depth - 1) + ")";
            case 4 -> field() + " in (" + number() + ", " + number() + ")";
            case 5 -> "pad contains \"x\"";
            case 6 -> calculation();
            default -> {
                String[] operators = {"<", "<=", ">", ">=", "==", "==", "!="};
                yield field() + " " + operators[random.nextInt(operators.length)] + " " + number();
            }
        };
    }

    /** Mostly such that it can be solved for the field that an index may be over. */
    private String calculation() {
        String operator = List.of("<", "<=", ">", ">=", "==", "!=").get(random.nextInt(6));
        String field = field();
        int factor = random.nextInt(5) - 2;
        return switch (random.nextInt(5)) {
            case 0 -> field + " + " + number() + " " + operator + " " + number();
            case 1 -> number() + " - " + field + " " + operator + " " + number();
            case 2 -> factor + " * " + field + " - 1 " + operator + " " + number();
            case 3 -> field + " / 3 " + operator + " " + number() + " - " + number();
            default -> field + " - " + field() + " " + operator + " " + number();
        };
    }

    private String field() {
        return List.of("i", "u", "d", "f").get(random.nextInt(4));
    }

    /** A literal at or near a value that there is. */
    private String number() {
        if (rows.isEmpty() || random.nextInt(5) == 0) {
            return List.of("0", "0.1", "1us", "9007199254740993", "9007199254740993.0", "1e39", "-1e309", "10.5")
                    .get(random.nextInt(8));
        }
        Row row = rows.get(random.nextInt(rows.size()));
        return switch (random.nextInt(4)) {
            case 0 -> Long.toString(row.i());
            case 1 -> row.u() == null ? "3" : Long.toUnsignedString(row.u());
            case 2 -> row.d() == null || Double.isNaN(row.d()) || Double.isInfinite(row.d()) ? "-1" : row.d() + "";
            default -> Float.isNaN(row.f()) || Float.isInfinite(row.f()) ? "0.0" : row.f() + "";
        };
    }

    private void aggregate(Index index, TimeRange times, ValueRange values, Predicate<BigDecimal> inValues) {
        @Nullable Where condition = random.nextInt(3) == 0 ? condition(1) : null;
        Where.Predicate predicate = condition == null ? (b, o, l) -> true : condition.bind(Row.FORMAT);
        List<BigDecimal> expected = select(times, row -> test(predicate, row)).stream()
                .map(row -> row.value(index.function()))
                .filter(value -> value != null && inValues.test(value))
                .sorted()
                .toList();
        // one alone is looked for in fewer chunks than all together
        double[] percentiles = switch (random.nextInt(3)) {
            case 0 -> PERCENTILES;
            case 1 -> new double[] {PERCENTILES[random.nextInt(PERCENTILES.length)]};
            default -> new double[] {random.nextInt(10_001) / 100.0};
        };
        IndexedAggregate query = choose(
                IndexedAggregate.of(snapshot, index).range(times).values(values).percentiles(percentiles));
        if (condition != null) {
            query.where(condition);
        }
        double within = random.nextBoolean() ? 0 : WITHIN[random.nextInt(WITHIN.length)];
        IndexedAggregate.Result found = query.within(within).run();
        String what = "within=" + within + ", index=" + index + ", times=" + times + ", values=" + values + ", where="
                + condition + ", plan=" + found.statistics();
        assertTrue(found.completeness().complete(), what);
        assertEquals(expected.size(), found.count(), what);
        assertEquals(index.kind() == Index.Kind.VALUE, found.hasSum(), what);
        add(found.statistics());
        if (expected.isEmpty()) {
            assertTrue(
                    found.min().isEmpty()
                            && found.max().isEmpty()
                            && found.bounds().isEmpty(),
                    what);
            return;
        }
        assertEquals(0, expected.get(0).compareTo(number(found.min().orElseThrow())), what);
        assertEquals(
                0,
                expected.get(expected.size() - 1).compareTo(number(found.max().orElseThrow())),
                what);
        for (double p : percentiles) {
            int rank = BigDecimal.valueOf(p)
                    .multiply(BigDecimal.valueOf(expected.size()))
                    .divide(BigDecimal.valueOf(100))
                    .setScale(0, RoundingMode.CEILING)
                    .intValueExact();
            BigDecimal value = expected.get(Math.max(1, rank) - 1);
            checkPercentile(value, found.bounds().get(BigDecimal.valueOf(p)), within, "p=" + p + ", " + what);
        }
        if (found.hasSum()) {
            checkSum(expected, found, index.function().type(), what);
        }
    }

    private static void checkPercentile(
            BigDecimal value, @Nullable PercentileBounds found, double within, String what) {
        PercentileBounds bounds = Objects.requireNonNull(found, what);
        BigDecimal low = number(bounds.lower());
        BigDecimal high = number(bounds.upper());
        String where = what + ", value=" + value + ", found=" + bounds;
        assertTrue(low.compareTo(value) <= 0 && high.compareTo(value) >= 0, where);
        BigDecimal apart =
                BigDecimal.valueOf(within * (1 + 1e-9)).multiply(low.abs().min(high.abs()));
        boolean one = high.compareTo(low) == 0;
        assertTrue(one || high.subtract(low).compareTo(apart) <= 0, where);
        assertEquals(one, bounds.isExact(), where);
    }

    private static BigDecimal number(Value value) {
        double approximate = value.doubleValue();
        return Double.isInfinite(approximate)
                ? approximate > 0 ? Row.INFINITY : Row.INFINITY.negate()
                : value.toBigDecimal();
    }

    private static void checkSum(List<BigDecimal> values, IndexedAggregate.Result found, ValueType type, String what) {
        BigDecimal sum = values.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
        if (type != ValueType.F64) {
            assertEquals(sum.toBigIntegerExact().toString(), found.sum(), what);
            double mean = sum.divide(BigDecimal.valueOf(values.size()), MathContext.DECIMAL128)
                    .doubleValue();
            assertEquals(mean, found.mean(), what);
            return;
        }
        BigDecimal absolute = values.stream().map(BigDecimal::abs).reduce(BigDecimal.ZERO, BigDecimal::add);
        if (absolute.compareTo(new BigDecimal(Double.MAX_VALUE)) < 0) {
            double error = absolute.doubleValue() * 1e-14;
            assertEquals(sum.doubleValue(), found.doubleSum(), error + Double.MIN_VALUE, what);
        }
    }
}
