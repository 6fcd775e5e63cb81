package dev.loom.bench.query;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.query.Group;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.Groups;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.IndexedScan;
import dev.loom.query.QueryCursor;
import dev.loom.query.model.GroupOrder;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import dev.loom.query.model.ValueRange;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A question about the latency of system calls, in the form that each system takes.
 *
 * @param name the name in reports
 * @param loom asks a store
 * @param duckDb ask a table, each in another form; all return the same integers in the same order
 */
public record Question(String name, Loom loom, List<DuckDb> duckDb) {
    private static final int GROUPS_MAX = 1 << 16;

    /** Asks a store. */
    @FunctionalInterface
    public interface Loom {
        Answer ask(Snapshot snapshot, Index latency);
    }

    /** Asks a table. */
    @FunctionalInterface
    public interface DuckDb {
        List<BigInteger> ask(DuckDbTable table) throws SQLException;
    }

    private Question(String name, Loom loom, String sql) {
        this(name, loom, List.of(table -> table.query(sql)));
    }

    /**
     * A store's answer.
     *
     * @param values the integers, row by row
     * @param statistics the work done
     */
    public record Answer(List<BigInteger> values, QueryStatistics statistics) {}

    /**
     * The questions; they cover the whole capture unless their names say otherwise.
     *
     * @param keyed whether there is an index by threads
     */
    public static List<Question> all(SimulatedCapture telemetry, boolean keyed) {
        final List<Question> questions = new ArrayList<>(ofIndex(telemetry, true));
        questions.add(groups("by no field, no index"));
        questions.add(groups("by 64 threads", "thread"));
        questions.add(groups("by 1,024 threads and calls", "thread", "call"));
        questions.add(groups("by 65,536 numbers of bytes", "bytes"));
        questions.add(percentilesByThread("p99 by 64 threads", false));
        if (keyed) {
            questions.add(groups("by 64 threads, by its index", true, "thread"));
            questions.add(percentilesByThread("p99 by 64 threads, by its index", true));
        }
        return questions;
    }

    /**
     * Those that the index answers.
     *
     * @param rollups whether the store may use what runs of chunks hold, summed up
     */
    public static List<Question> ofIndex(SimulatedCapture telemetry, boolean rollups) {
        final long lengthNs = telemetry.endNs() - SimulatedCapture.BEGIN_NS;
        final TimeRange fifth = new TimeRange(
                SimulatedCapture.BEGIN_NS + lengthNs * 2 / 5 + 1, SimulatedCapture.BEGIN_NS + lengthNs * 3 / 5 + 1);
        final long rareNs = telemetry.latencyExceededBy(1e-5);
        final List<Question> questions = new ArrayList<>(List.of(
                aggregate(rollups, "max", TimeRange.ALL, "max(latency_ns)", answer -> List.of(max(answer))),
                aggregate(
                        rollups,
                        "count and sum, a fifth of the time",
                        fifth,
                        "count(latency_ns), sum(latency_ns)",
                        answer -> List.of(BigInteger.valueOf(answer.count()), new BigInteger(answer.sum()))),
                rowsAbove(rollups, "rows above p99.999, a fifth of the time", fifth, rareNs),
                countAbove(rollups, "count above p99.999", rareNs)));
        for (final String percentile : List.of("99.99", "99", "50")) {
            questions.add(percentile(rollups, percentile));
        }
        return questions;
    }

    /** Extracts the answer from an aggregate. */
    @FunctionalInterface
    private interface Part {
        List<BigInteger> of(IndexedAggregate.Result aggregate);
    }

    private static Question aggregate(boolean rollups, String name, TimeRange range, String columns, Part part) {
        return new Question(
                name,
                (snapshot, latency) -> {
                    final IndexedAggregate.Result answer = IndexedAggregate.of(snapshot, latency)
                            .use(QueryIndex.ROLLUP, rollups)
                            .range(range)
                            .run();
                    return new Answer(part.of(answer), answer.statistics());
                },
                "SELECT " + columns + " FROM calls" + where(range));
    }

    private static Question rowsAbove(boolean rollups, String name, TimeRange range, long latencyNs) {
        return new Question(
                name,
                (snapshot, latency) -> rows(IndexedScan.of(snapshot, latency)
                        .use(QueryIndex.ROLLUP, rollups)
                        .range(range)
                        .values(ValueRange.above(latencyNs))
                        .open()),
                "SELECT * FROM calls" + where(range) + " AND latency_ns > " + latencyNs + " ORDER BY number DESC");
    }

    private static Answer rows(QueryCursor opened) {
        final List<BigInteger> values = new ArrayList<>();
        try (QueryCursor cursor = opened) {
            while (cursor.next()) {
                for (int at = 0; at < cursor.length(); at += Long.BYTES) {
                    values.add(
                            BigInteger.valueOf(cursor.buffer().getLong(cursor.offset() + at, ByteOrder.LITTLE_ENDIAN)));
                }
            }
            return new Answer(values, cursor.statistics());
        }
    }

    private static Question countAbove(boolean rollups, String name, long latencyNs) {
        return new Question(
                name,
                (snapshot, latency) -> {
                    final IndexedAggregate.Result answer = IndexedAggregate.of(snapshot, latency)
                            .use(QueryIndex.ROLLUP, rollups)
                            .values(ValueRange.above(latencyNs))
                            .run();
                    return new Answer(List.of(BigInteger.valueOf(answer.count())), answer.statistics());
                },
                "SELECT count(*) FROM calls WHERE latency_ns > " + latencyNs);
    }

    /** DuckDB may sort for it, or keep the largest by their rank, which it does if that is a constant and few are above it. */
    private static Question percentile(boolean rollups, String text) {
        final double percentile = Double.parseDouble(text);
        return new Question(
                "p" + text,
                (snapshot, latency) -> {
                    final IndexedAggregate.Result answer = IndexedAggregate.of(snapshot, latency)
                            .use(QueryIndex.ROLLUP, rollups)
                            .percentiles(percentile)
                            .run();
                    final Value value = answer.percentile(percentile).orElseThrow();
                    return new Answer(List.of(value.toBigDecimal().toBigIntegerExact()), answer.statistics());
                },
                List.of(
                        table -> table.query("SELECT quantile_disc(latency_ns, " + fraction(text) + ") FROM calls"),
                        table -> byRank(table, fraction(text))));
    }

    private static List<BigInteger> byRank(DuckDbTable table, BigDecimal fraction) throws SQLException {
        final BigDecimal count =
                new BigDecimal(table.query("SELECT count(*) FROM calls").get(0));
        final BigInteger above =
                BigDecimal.ONE.subtract(fraction).multiply(count).toBigInteger();
        return table.query("SELECT latency_ns FROM calls ORDER BY latency_ns DESC LIMIT 1 OFFSET " + above);
    }

    /** Count, sum and maximum for each value of some fields. */
    private static Question groups(String name, String... fields) {
        return groups(name, false, fields);
    }

    private static Question groups(String name, boolean indexed, String... fields) {
        final String by = String.join(", ", fields);
        return new Question(
                name,
                (snapshot, latency) ->
                        answer(groupsOf(snapshot, latency, fields).use(QueryIndex.CHUNK, indexed), group -> {
                            final List<BigInteger> row = key(group);
                            row.add(BigInteger.valueOf(group.count()));
                            row.add(new BigInteger(group.sum()));
                            row.add(group.max().orElseThrow().toBigDecimal().toBigIntegerExact());
                            return row;
                        }),
                "SELECT " + (by.isEmpty() ? "" : by + ", ")
                        + "count(latency_ns), sum(latency_ns), max(latency_ns) FROM calls"
                        + (by.isEmpty() ? "" : " GROUP BY " + by + " ORDER BY " + by));
    }

    private static Question percentilesByThread(String name, boolean indexed) {
        return new Question(
                name,
                (snapshot, latency) -> answer(
                        groupsOf(snapshot, latency, "thread")
                                .use(QueryIndex.CHUNK, indexed)
                                .percentiles(99),
                        group -> {
                            final List<BigInteger> row = key(group);
                            row.add(group.percentile(99)
                                    .orElseThrow()
                                    .toBigDecimal()
                                    .toBigIntegerExact());
                            return row;
                        }),
                "SELECT thread, quantile_disc(latency_ns, 0.99) FROM calls GROUP BY thread ORDER BY thread");
    }

    private static GroupedAggregate groupsOf(Snapshot snapshot, Index latency, String... fields) {
        return GroupedAggregate.of(snapshot, latency.sourceId(), latency.function())
                .by(fields)
                .groupsMax(GROUPS_MAX)
                .order(GroupOrder.ascending(GroupOrder.By.KEY));
    }

    private static List<BigInteger> key(Group group) {
        final List<BigInteger> row = new ArrayList<>();
        group.key().forEach(value -> row.add(BigInteger.valueOf(value.longValue())));
        return row;
    }

    private static Answer answer(GroupedAggregate query, Function<Group, List<BigInteger>> row) {
        final List<BigInteger> values = new ArrayList<>();
        try (Groups groups = query.run()) {
            groups.forEach(group -> values.addAll(row.apply(group)));
            return new Answer(values, groups.statistics());
        }
    }

    private static BigDecimal fraction(String percentile) {
        return new BigDecimal(percentile).movePointLeft(2);
    }

    private static BigInteger max(IndexedAggregate.Result answer) {
        return answer.max().orElseThrow().toBigDecimal().toBigIntegerExact();
    }

    private static String where(TimeRange range) {
        return range.equals(TimeRange.ALL) ? "" : " WHERE ts_ns >= " + range.fromNs() + " AND ts_ns < " + range.toNs();
    }
}
