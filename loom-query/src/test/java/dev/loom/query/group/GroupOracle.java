package dev.loom.query.group;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.query.Group;
import dev.loom.query.Groups;
import dev.loom.query.model.GroupOrder;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a grouped aggregate has to answer, from all records in lists, with exact numbers and nothing of the code under test. */
final class GroupOracle {
    private static final Comparator<List<KeyValue>> BY_KEY = GroupOracle::compareKeys;

    private GroupOracle() {}

    /**
     * A record as it was pushed.
     *
     * @param value the value to sum up; null for none
     */
    record Row(
            long timeNs,
            long eventNs,
            Map<String, KeyValue> fields,
            @Nullable BigDecimal value) {
        KeyValue field(String name) {
            return fields.getOrDefault(name, KeyValue.ABSENT);
        }
    }

    /**
     * A question.
     *
     * @param values whether values are summed up; otherwise records are counted
     * @param range of event times if {@code eventTime}, otherwise of arrival
     * @param groupsMax the cap; records of more groups count with the rest
     */
    record Question(
            List<String> by,
            boolean values,
            boolean eventTime,
            TimeRange range,
            long stepNs,
            List<BigDecimal> percentiles,
            @Nullable String distinct,
            GroupOrder order,
            int limit,
            int groupsMax) {
        boolean holds(Row row) {
            long timeNs = eventTime ? row.eventNs() : row.timeNs();
            // nothing but a range without an end includes the last of all times
            return timeNs >= range.fromNs()
                    && (timeNs < range.toNs() || range.toNs() == Long.MAX_VALUE)
                    && !(eventTime && row.eventNs() == Long.MIN_VALUE);
        }

        int step(Row row) {
            return stepNs == 0
                    ? 0
                    : Math.toIntExact(((eventTime ? row.eventNs() : row.timeNs()) - range.fromNs()) / stepNs);
        }

        TimeRange range(int step) {
            if (stepNs == 0) {
                return range;
            }
            long fromNs = range.fromNs() + step * stepNs;
            boolean last = range.toNs() - fromNs <= stepNs;
            return new TimeRange(fromNs, last ? range.toNs() : fromNs + stepNs);
        }
    }

    private static int compareKeys(List<KeyValue> left, List<KeyValue> right) {
        for (int i = 0; i < left.size(); i++) {
            int order = left.get(i).compareTo(right.get(i));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /** The totals of some records. */
    private static final class Totals {
        private final List<Row> rows;
        private final List<BigDecimal> values = new ArrayList<>();

        Totals(List<Row> rows) {
            this.rows = rows;
            rows.stream().map(Row::value).filter(Objects::nonNull).sorted().forEach(values::add);
        }

        long count(Question question) {
            return question.values() ? values.size() : rows.size();
        }

        BigDecimal sum() {
            return values.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
        }

        BigDecimal percentile(BigDecimal p) {
            BigDecimal rank = p.multiply(BigDecimal.valueOf(values.size()))
                    .divide(BigDecimal.valueOf(100), 0, RoundingMode.CEILING);
            return values.get(Math.max(1, rank.intValueExact()) - 1);
        }

        double mean() {
            return values.isEmpty()
                    ? Double.NaN
                    : sum().divide(BigDecimal.valueOf(values.size()), MathContext.DECIMAL128)
                            .doubleValue();
        }

        long distinct(String field) {
            Set<KeyValue> found = new HashSet<>();
            rows.stream().map(row -> row.field(field)).forEach(found::add);
            found.remove(KeyValue.ABSENT);
            return found.size();
        }

        /** What groups are ordered by; null if they have none. */
        @Nullable
        BigDecimal orderedBy(Question question) {
            GroupOrder order = question.order();
            return switch (order.by()) {
                case KEY -> BigDecimal.ZERO;
                case COUNT -> BigDecimal.valueOf(count(question));
                case DISTINCT -> BigDecimal.valueOf(question.distinct() == null ? 0 : distinct(question.distinct()));
                case SUM -> values.isEmpty() ? null : sum();
                case MIN -> values.isEmpty() ? null : values.get(0);
                case MAX -> values.isEmpty() ? null : values.get(values.size() - 1);
                case MEAN -> values.isEmpty() ? null : new BigDecimal(mean());
                case PERCENTILE -> values.isEmpty() ? null : percentile(Objects.requireNonNull(order.percentile()));
            };
        }
    }

    /** Compares an answer with what the rows say, row by row. */
    static void check(List<Row> rows, Question question, Groups found) {
        Map<List<KeyValue>, List<Row>> groups = new TreeMap<>(BY_KEY);
        List<Row> rest = new ArrayList<>();
        for (Row row : rows) {
            if (question.holds(row)) {
                List<KeyValue> key = question.by().stream().map(row::field).toList();
                if (groups.containsKey(key) || groups.size() < question.groupsMax()) {
                    groups.computeIfAbsent(key, any -> new ArrayList<>()).add(row);
                } else {
                    rest.add(row);
                }
            }
        }
        assertEquals(groups.size(), found.found());
        Map<List<KeyValue>, @Nullable BigDecimal> orderedBy = new HashMap<>();
        groups.forEach((key, of) -> orderedBy.put(key, new Totals(of).orderedBy(question)));
        Comparator<@Nullable BigDecimal> values = question.order().descending()
                ? Comparator.nullsLast(Comparator.reverseOrder())
                : Comparator.nullsLast(Comparator.naturalOrder());
        Comparator<List<KeyValue>> byKey =
                question.order().by() == GroupOrder.By.KEY && question.order().descending()
                        ? BY_KEY.reversed()
                        : BY_KEY;
        List<List<KeyValue>> order = groups.keySet().stream()
                .sorted(Comparator.<List<KeyValue>, @Nullable BigDecimal>comparing(orderedBy::get, values)
                        .thenComparing(byKey))
                .toList();
        int at = 0;
        for (int i = 0; i < order.size(); i++) {
            List<KeyValue> key = order.get(i);
            List<Row> of = Objects.requireNonNull(groups.get(key));
            if (i < question.limit()) {
                at = check(key, of, question, found, at);
            } else {
                rest.addAll(of);
            }
        }
        at = check(null, rest, question, found, at);
        assertEquals(at, found.size());
    }

    /** Compares the steps of a group, or of the rest; returns the place of the next row. */
    private static int check(@Nullable List<KeyValue> key, List<Row> rows, Question question, Groups found, int first) {
        Map<Integer, List<Row>> steps = new TreeMap<>();
        rows.forEach(row -> steps.computeIfAbsent(question.step(row), any -> new ArrayList<>())
                .add(row));
        int at = first;
        for (Map.Entry<Integer, List<Row>> step : steps.entrySet()) {
            Group group = found.get(at++);
            assertEquals(key == null, group.isOther(), () -> "expected " + key);
            assertEquals(
                    key == null ? List.of() : key,
                    group.key().stream().map(KeyValue::of).toList());
            assertEquals(question.range(step.getKey()), group.range());
            check(new Totals(step.getValue()), question, group);
        }
        return at;
    }

    private static void check(Totals expected, Question question, Group group) {
        assertEquals(expected.rows.size(), group.records());
        assertEquals(expected.count(question), group.count());
        String distinct = question.distinct();
        assertEquals(distinct == null ? -1 : expected.distinct(distinct), group.distinct());
        if (!question.values()) {
            return;
        }
        boolean none = expected.values.isEmpty();
        assertEquals(none, group.min().isEmpty());
        assertEquals(none, group.max().isEmpty());
        assertEquals(
                none ? 0 : question.percentiles().size(), group.percentiles().size());
        assertEquals(expected.mean(), group.mean());
        assertNumber(expected.sum(), new BigDecimal(group.sum()));
        assertEquals(expected.sum().doubleValue(), group.doubleSum());
        if (!none) {
            assertNumber(expected.values.get(0), group.min().orElseThrow().toBigDecimal());
            assertNumber(
                    expected.values.get(expected.values.size() - 1),
                    group.max().orElseThrow().toBigDecimal());
            for (BigDecimal p : question.percentiles()) {
                Value value = Objects.requireNonNull(group.percentiles().get(p), p::toString);
                assertNumber(expected.percentile(p), value.toBigDecimal());
            }
        }
    }

    private static void assertNumber(BigDecimal expected, BigDecimal actual) {
        assertEquals(0, expected.compareTo(actual), () -> "expected=" + expected + ", actual=" + actual);
    }
}
