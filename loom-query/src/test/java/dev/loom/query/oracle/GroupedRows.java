package dev.loom.query.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.format.FieldValue;
import dev.loom.query.Group;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.Groups;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The groups of rows, and of each step of time, put together here.
 *
 * @param stepNs 0 without steps
 */
record GroupedRows(List<String> by, TimeRange times, long stepNs, IndexFunction function, double percentile) {
    /** Runs the query, and compares it with the rows that it is about. Returns the work. */
    QueryStatistics check(List<Row> rows, GroupedAggregate query, String asked) {
        Map<String, List<Row>> expected =
                rows.stream().collect(Collectors.groupingBy(this::key, TreeMap::new, Collectors.toList()));
        query.by(by).percentiles(percentile).groupsMax(GroupedAggregate.GROUPS_MAX);
        if (stepNs > 0) {
            query.step(Duration.ofNanos(stepNs));
        }
        try (Groups groups = query.run()) {
            String what = this + ", " + asked + ", plan=" + groups.statistics();
            assertTrue(groups.completeness().complete(), what);
            assertEquals(expected.size(), groups.size(), what);
            for (Group group : groups) {
                check(expected.getOrDefault(key(group), List.of()), group, key(group) + " of " + what);
            }
            return groups.statistics();
        }
    }

    private void check(List<Row> rows, Group group, String what) {
        List<BigDecimal> values = rows.stream()
                .flatMap(row -> Stream.ofNullable(row.value(function)))
                .sorted()
                .toList();
        assertEquals(rows.size(), group.records(), what);
        assertEquals(values.size(), group.count(), what);
        assertEquals(values.isEmpty(), group.min().isEmpty(), what);
        if (values.isEmpty()) {
            return;
        }
        int rank = BigDecimal.valueOf(percentile)
                .multiply(BigDecimal.valueOf(values.size()))
                .divide(BigDecimal.valueOf(100))
                .setScale(0, RoundingMode.CEILING)
                .intValueExact();
        assertEquals(0, values.get(0).compareTo(number(group.min().orElseThrow())), what);
        assertEquals(
                0, values.get(values.size() - 1).compareTo(number(group.max().orElseThrow())), what);
        assertEquals(
                0,
                values.get(Math.max(1, rank) - 1)
                        .compareTo(number(group.percentile(percentile).orElseThrow())),
                what);
        if (function.type() != ValueType.F64) {
            BigDecimal sum = values.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
            assertEquals(sum.toBigIntegerExact().toString(), group.sum(), what);
        }
    }

    private static BigDecimal number(Value value) {
        double approximate = value.doubleValue();
        return Double.isInfinite(approximate)
                ? approximate > 0 ? Row.INFINITY : Row.INFINITY.negate()
                : value.toBigDecimal();
    }

    private String key(Row row) {
        return by.stream().map(field -> text(field, row)).collect(Collectors.joining(" ")) + step(row.timeNs());
    }

    private String step(long timeNs) {
        return stepNs == 0 ? "" : " @" + (timeNs - times.fromNs()) / stepNs;
    }

    private String key(Group group) {
        String step = stepNs == 0 ? "" : step(group.range().fromNs());
        return group.key().stream().map(GroupedRows::text).collect(Collectors.joining(" ")) + step;
    }

    private static String text(String field, Row row) {
        return switch (field) {
            case "i" -> Long.toString(row.i());
            case "u" -> row.u() == null ? "-" : Long.toUnsignedString(row.u());
            case "f" -> text(row.f());
            default -> throw new IllegalStateException(field);
        };
    }

    private static String text(double number) {
        return Double.isNaN(number) || Double.isInfinite(number)
                ? Double.toString(number)
                : new BigDecimal(number).stripTrailingZeros().toPlainString();
    }

    private static String text(FieldValue value) {
        return switch (value.kind()) {
            case ABSENT -> "-";
            case INTEGER -> Long.toString(value.longValue());
            case UNSIGNED -> Long.toUnsignedString(value.longValue());
            case DOUBLE -> text(value.doubleValue());
            default -> throw new IllegalStateException(value.kind().toString());
        };
    }
}
