package dev.loom.bench.groups;

import static dev.loom.bench.groups.RequestStore.LATENCY;
import static dev.loom.bench.groups.RequestStore.REQUESTS;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.format.FieldValue;
import dev.loom.query.Difference;
import dev.loom.query.Group;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.Groups;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.model.GroupOrder;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import dev.loom.query.model.ValueRange;
import dev.loom.query.where.Where;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A question about requests by groups, in the form that each engine takes.
 *
 * @param name the name in reports
 * @param loom asks a store
 * @param sql asks a table; gives the same rows in the same order
 * @param partial whether a store's rows are some of a table's, in any order, as it leaves out what tells nothing
 */
public record GroupQuestion(
        String name, Function<Snapshot, List<List<Object>>> loom, Function<SqlDialect, String> sql, boolean partial) {
    private static final List<String> KEYS = List.of("region", "service", "route", "customer");
    private static final int STEPS = 60;
    private static final int TOP = 10;
    private static final int GROUPS_MAX = 1 << 16;
    private static final double MEDIAN = 50;
    private static final double HIGH = 99;
    private static final double HIGHEST = 99.99;
    private static final double ROUNDING = 1e-14;
    private static final String TOTALS = "count(latency_ns), sum(latency_ns), avg(latency_ns), max(latency_ns)";

    /** All questions about some requests. */
    public static List<GroupQuestion> all(SimulatedRequests requests) {
        final Steps steps = Steps.of(requests);
        final List<GroupQuestion> questions = new ArrayList<>();
        questions.add(totals());
        questions.add(percentile(MEDIAN));
        questions.add(percentile(HIGHEST));
        questions.add(byRank(HIGHEST, requests.records()));
        KEYS.forEach(key -> questions.add(totals(key)));
        KEYS.subList(0, KEYS.size() - 1).forEach(key -> questions.add(percentiles(key)));
        questions.add(steps("count in 60 steps", steps, false));
        questions.add(steps("p99 in 60 steps", steps, true));
        questions.add(steps("count by service in 60 steps", steps, false, "service"));
        questions.add(steps("p99 by service in 60 steps", steps, true, "service"));
        questions.add(one("totals and p99 of one service", "service", "reviews"));
        questions.add(one("totals and p99 of one customer", "customer", SimulatedRequests.rareCustomer()));
        questions.add(top("route"));
        questions.add(top("customer"));
        questions.add(difference());
        return questions;
    }

    /** The number of the first row in which a store's answer and a table's say different things; negative if they agree. */
    public int disagreement(List<List<Object>> store, List<List<Object>> table) {
        if (partial) {
            final List<String> all = table.stream().map(Object::toString).toList();
            return first(
                    Math.max(1, store.size()),
                    row -> row < store.size() && all.contains(store.get(row).toString()));
        }
        return first(
                Math.max(store.size(), table.size()),
                row -> row < Math.min(store.size(), table.size()) && agree(store.get(row), table.get(row)));
    }

    private static int first(int rows, IntPredicate agrees) {
        return IntStream.range(0, rows)
                .filter(row -> !agrees.test(row))
                .findFirst()
                .orElse(-1);
    }

    private static boolean agree(List<Object> mine, List<Object> theirs) {
        return mine.size() == theirs.size()
                && IntStream.range(0, mine.size()).allMatch(i -> agree(mine.get(i), theirs.get(i)));
    }

    private static boolean agree(Object mine, Object theirs) {
        return mine instanceof Double mean
                ? Math.abs(mean / Double.parseDouble(theirs.toString()) - 1) < ROUNDING
                : mine.toString().equals(theirs.toString());
    }

    private static GroupQuestion totals() {
        return new GroupQuestion(
                "totals of all",
                snapshot -> {
                    final IndexedAggregate.Result answer =
                            IndexedAggregate.of(snapshot, latency(snapshot)).run();
                    return List.of(List.of(
                            answer.count(),
                            answer.sum(),
                            answer.mean(),
                            answer.max().orElseThrow()));
                },
                dialect -> "SELECT " + TOTALS + " FROM requests",
                false);
    }

    private static GroupQuestion percentile(double percentile) {
        return new GroupQuestion(
                "p" + level(percentile).toPlainString() + " of all",
                snapshot -> percentile(snapshot, percentile),
                dialect -> "SELECT q[1] FROM (SELECT " + dialect.percentiles(percentile) + " AS q FROM requests)",
                false);
    }

    /** The same, as a table may answer it faster: the largest values are kept, and the last of them is the answer. */
    private static GroupQuestion byRank(double percentile, long records) {
        final BigDecimal count = BigDecimal.valueOf(records);
        final BigDecimal rank =
                level(percentile).movePointLeft(2).multiply(count).setScale(0, RoundingMode.CEILING);
        return new GroupQuestion(
                "p" + level(percentile).toPlainString() + " of all, by rank",
                snapshot -> percentile(snapshot, percentile),
                dialect -> "SELECT latency_ns FROM requests ORDER BY latency_ns DESC LIMIT 1 OFFSET "
                        + count.subtract(rank).toBigIntegerExact(),
                false);
    }

    private static List<List<Object>> percentile(Snapshot snapshot, double percentile) {
        return List.of(List.of(IndexedAggregate.of(snapshot, latency(snapshot))
                .percentiles(percentile)
                .run()
                .percentile(percentile)
                .orElseThrow()));
    }

    private static BigDecimal level(double percentile) {
        return BigDecimal.valueOf(percentile).stripTrailingZeros();
    }

    private static GroupQuestion totals(String key) {
        return new GroupQuestion(
                "totals by " + key,
                snapshot -> rows(groups(snapshot, key), GroupQuestion::withTotals),
                dialect -> "SELECT " + key + ", " + TOTALS + " FROM requests GROUP BY " + key + " ORDER BY " + key,
                false);
    }

    private static List<Object> withTotals(Group group) {
        final List<Object> row = key(group);
        row.addAll(List.of(group.count(), group.sum(), group.mean(), group.max().orElseThrow()));
        return row;
    }

    private static GroupQuestion percentiles(String key) {
        return new GroupQuestion(
                "p50 and p99 by " + key,
                snapshot -> rows(groups(snapshot, key).percentiles(MEDIAN, HIGH), group -> {
                    final List<Object> row = key(group);
                    row.addAll(group.percentiles().values());
                    return row;
                }),
                dialect -> "SELECT " + key + ", q[1], q[2] FROM (SELECT " + key + ", "
                        + dialect.percentiles(MEDIAN, HIGH) + " AS q FROM requests GROUP BY " + key + ") ORDER BY "
                        + key,
                false);
    }

    /** The time of all requests, in equal parts. */
    private record Steps(long beginNs, long endNs, long stepNs) {
        private static Steps of(SimulatedRequests requests) {
            final long lengthNs = requests.endNs() - requests.beginNs();
            return new Steps(requests.beginNs(), requests.endNs(), -Math.floorDiv(-lengthNs, STEPS));
        }

        private TimeRange range() {
            return new TimeRange(beginNs, endNs);
        }

        private long number(Group group) {
            return (group.range().fromNs() - beginNs) / stepNs;
        }
    }

    /** @param high whether it asks for percentiles; otherwise for counts of records */
    private static GroupQuestion steps(String name, Steps steps, boolean high, String... keys) {
        final String by = Arrays.stream(keys).map(key -> key + ", ").collect(Collectors.joining());
        return new GroupQuestion(
                name,
                snapshot -> {
                    final GroupedAggregate query = high
                            ? groups(snapshot, keys).percentiles(HIGH)
                            : GroupedAggregate.of(snapshot, source(snapshot))
                                    .by(keys)
                                    .order(GroupOrder.ascending(GroupOrder.By.KEY));
                    return rows(query.range(steps.range()).step(Duration.ofNanos(steps.stepNs)), group -> {
                        final List<Object> row = key(group);
                        row.add(steps.number(group));
                        row.add(high ? group.percentile(HIGH).orElseThrow() : group.count());
                        return row;
                    });
                },
                dialect -> "SELECT " + by + "step, " + (high ? "q[1]" : "q") + " FROM (SELECT " + by
                        + dialect.step(steps.beginNs, steps.stepNs) + " AS step, "
                        + (high ? dialect.percentiles(HIGH) : "count(*)") + " AS q FROM requests GROUP BY " + by
                        + "step) ORDER BY " + by + "step",
                false);
    }

    private static GroupQuestion one(String name, String key, Object value) {
        final boolean text = value instanceof String;
        final Where condition = Where.parse(key + " == " + (text ? "\"" + value + "\"" : value));
        return new GroupQuestion(
                name,
                snapshot -> {
                    final IndexedAggregate.Result answer = IndexedAggregate.of(snapshot, latency(snapshot))
                            .where(condition)
                            .percentiles(HIGH)
                            .run();
                    return List.of(List.of(
                            answer.count(),
                            answer.sum(),
                            answer.mean(),
                            answer.max().orElseThrow(),
                            answer.percentile(HIGH).orElseThrow()));
                },
                dialect -> "SELECT a, b, c, d, q[1] FROM (SELECT count(latency_ns) AS a, sum(latency_ns) AS b,"
                        + " avg(latency_ns) AS c, max(latency_ns) AS d, " + dialect.percentiles(HIGH)
                        + " AS q FROM requests WHERE " + key + " = " + (text ? "'" + value + "'" : value) + ")",
                false);
    }

    private static GroupQuestion top(String key) {
        return new GroupQuestion(
                "values of " + key + " by count, the first " + TOP,
                snapshot -> rows(
                        GroupedAggregate.of(snapshot, source(snapshot))
                                .by(key)
                                .groupsMax(GROUPS_MAX)
                                .limit(TOP),
                        group -> {
                            final List<Object> row = key(group);
                            row.add(group.count());
                            return row;
                        }),
                dialect -> "SELECT " + key + ", count(*) AS found FROM requests GROUP BY " + key
                        + " ORDER BY found DESC, " + key + " LIMIT " + TOP,
                false);
    }

    /** A table counts each value in both sets; a store shows those that are more frequent among the chosen, without ranges. */
    private static GroupQuestion difference() {
        return new GroupQuestion(
                "difference of requests above p99, by each key",
                snapshot -> {
                    final Value high = IndexedAggregate.of(snapshot, latency(snapshot))
                            .percentiles(HIGH)
                            .run()
                            .percentile(HIGH)
                            .orElseThrow();
                    return counts(Difference.of(snapshot, source(snapshot))
                            .selected(LATENCY, latency(snapshot).function(), ValueRange.above(high))
                            .fields(KEYS)
                            .order(1)
                            .run());
                },
                dialect -> KEYS.stream()
                        .map(key -> "SELECT '" + key + "', CAST(" + key
                                + " AS VARCHAR), count(*) FILTER (WHERE latency_ns > high),"
                                + " count(*) FILTER (WHERE latency_ns <= high) FROM requests, p GROUP BY " + key)
                        .collect(Collectors.joining(
                                " UNION ALL ",
                                "WITH p AS (SELECT q[1] AS high FROM (SELECT " + dialect.percentiles(HIGH)
                                        + " AS q FROM requests)) ",
                                "")),
                true);
    }

    private static List<List<Object>> counts(Difference.Result difference) {
        final List<List<Object>> rows = new ArrayList<>();
        for (final Difference.Finding found : difference.findings()) {
            final Difference.Part part = found.parts().get(0);
            final FieldValue value = part.value();
            if (value != null) {
                rows.add(List.of(part.field(), value.text(), found.selected(), found.against()));
            }
        }
        return rows;
    }

    private static int source(Snapshot snapshot) {
        return snapshot.source(REQUESTS).orElseThrow().id();
    }

    private static Index latency(Snapshot snapshot) {
        return snapshot.index(source(snapshot), LATENCY).orElseThrow();
    }

    private static GroupedAggregate groups(Snapshot snapshot, String... keys) {
        return GroupedAggregate.of(snapshot, source(snapshot), latency(snapshot).function())
                .by(keys)
                .groupsMax(GROUPS_MAX)
                .order(GroupOrder.ascending(GroupOrder.By.KEY));
    }

    private static List<List<Object>> rows(GroupedAggregate query, Function<Group, List<Object>> row) {
        final List<List<Object>> rows = new ArrayList<>();
        try (Groups groups = query.run()) {
            for (final Group group : groups) {
                if (!group.isOther()) {
                    rows.add(row.apply(group));
                }
            }
        }
        return rows;
    }

    private static List<Object> key(Group group) {
        final List<Object> row = new ArrayList<>();
        group.key().forEach(value -> row.add(value.text()));
        return row;
    }
}
