package dev.loom.query.series;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.MetricSeries;
import dev.loom.query.SeriesStep;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random points of gauges and sums against an oracle that holds all of them in maps and follows the definitions, point by point. {@code
 * -Dloom.test.seed=S} sets the seed, {@code -Dloom.series.rounds=N} how often.
 */
class SeriesOracleTest {
    private static final PayloadFormat FORMAT = Formats.parse("json");
    private static final int ROUNDS = Integer.getInteger("loom.series.rounds", 400);

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());

    /** A point as it is written. */
    private record Written(
            Map<String, String> attributes,
            String kind,
            @Nullable String temporality,
            boolean monotonic,
            long timeNs,
            long startNs,
            @Nullable BigDecimal value,
            boolean noValue) {
        String json(Random random) {
            List<Map.Entry<String, String>> shuffled = new ArrayList<>(attributes.entrySet());
            Collections.shuffle(shuffled, random);
            String space = random.nextInt(3) == 0 ? " " : "";
            String object = shuffled.stream()
                    .map(entry -> "\"" + entry.getKey() + "\":" + space + entry.getValue())
                    .collect(Collectors.joining("," + space));
            return "{\"name\":\"m\",\"kind\":\"" + kind + "\","
                    + (temporality == null ? "" : "\"temporality\":\"" + temporality + "\",")
                    + "\"monotonic\":" + monotonic + ",\"time\":" + timeNs
                    + (startNs == 0 ? "" : ",\"start\":" + startNs)
                    + (value == null ? "" : ",\"value\":" + value)
                    + (noValue ? ",\"flags\":1" : "")
                    + ",\"resource\":{\"r\":1},\"attributes\":{" + space + object + "}}";
        }

        /** What makes the series, by the values themselves. */
        List<Object> series() {
            return List.of(attributes, kind, String.valueOf(temporality), monotonic);
        }
    }

    /** What is expected of a group in a step. */
    private static final class Cell {
        private BigDecimal increase = BigDecimal.ZERO;
        private boolean increased;
        private BigDecimal last = BigDecimal.ZERO;
        private boolean lasts;
        private final Set<Object> series = new HashSet<>();
        private long points;

        @Override
        public String toString() {
            return "points=" + points + " series=" + series.size() + " last="
                    + (lasts ? last.stripTrailingZeros().toPlainString() : "-") + " increase="
                    + (increased ? increase.stripTrailingZeros().toPlainString() : "-");
        }
    }

    @Test
    void shouldAddUpAsTheDefinitionsSay() {
        System.out.println("SeriesOracleTest: -Dloom.test.seed=" + seed);
        for (int round = 0; round < ROUNDS; round++) {
            Random random = new Random(seed + round);
            TimeRange range = new TimeRange(1_000, 1_000 + 1 + random.nextInt(2_000));
            long stepNs = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(700);
            long lookbackNs = random.nextInt(800);
            List<Written> points = points(random, range, lookbackNs);
            List<String> by = random.nextBoolean() ? List.of() : List.of("attributes.a");
            MetricSeries.Terms terms = new MetricSeries.Terms(
                    by, range, Duration.ofNanos(stepNs), Duration.ofNanos(lookbackNs), true, true, List.of(), 100);
            String expected = expected(points, terms).entrySet().stream()
                    .filter(cell -> cell.getValue().points > 0 || cell.getValue().lasts)
                    .map(cell -> cell.getKey() + ": " + cell.getValue())
                    .collect(Collectors.joining("\n"));
            assertEquals(expected, found(points, terms, random), "-Dloom.test.seed=" + (seed + round) + " " + terms);
        }
    }

    private static List<Written> points(Random random, TimeRange range, long lookbackNs) {
        List<Written> points = new ArrayList<>();
        int series = 1 + random.nextInt(6);
        for (int s = 0; s < series; s++) {
            Map<String, String> attributes = new TreeMap<>();
            attributes.put("a", "\"" + (char) ('x' + random.nextInt(2)) + "\"");
            attributes.put("b,\\\"c", Integer.toString(random.nextInt(3)));
            if (random.nextBoolean()) {
                attributes.put("d", "[1,{\"a\":\",\"}]");
            }
            String kind = random.nextInt(4) == 0 ? "gauge" : "sum";
            String temporality = kind.equals("gauge") ? null : random.nextInt(3) == 0 ? "delta" : "cumulative";
            boolean monotonic = random.nextInt(3) > 0;
            long time = range.fromNs() - random.nextInt((int) lookbackNs + 400);
            long start = random.nextInt(3) == 0 ? 0 : time - random.nextInt(300);
            BigDecimal value = BigDecimal.valueOf(random.nextInt(50));
            while (time < range.toNs()) {
                int what = random.nextInt(14);
                if (what == 0) {
                    // restarts, and says so
                    start = start == 0 ? 0 : time - random.nextInt(20) + 10;
                    value = BigDecimal.valueOf(random.nextInt(30));
                } else if (what == 1) {
                    value = value.subtract(BigDecimal.valueOf(random.nextInt(40)));
                } else if (what == 2) {
                    start = time;
                } else {
                    value = value.add(BigDecimal.valueOf(random.nextInt(20), random.nextInt(2))
                            .add(random.nextInt(3) == 0 ? new BigDecimal("0.5") : BigDecimal.ZERO));
                }
                boolean noValue = random.nextInt(15) == 0;
                boolean halves = value.multiply(BigDecimal.valueOf(2))
                                .stripTrailingZeros()
                                .scale()
                        <= 0;
                BigDecimal said = halves ? value : value.setScale(0, java.math.RoundingMode.FLOOR);
                points.add(new Written(
                        attributes,
                        kind,
                        temporality,
                        monotonic,
                        time,
                        start,
                        noValue || random.nextInt(40) == 0 ? null : said,
                        noValue));
                time += random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(random.nextInt(6) == 0 ? 900 : 150);
            }
        }
        Collections.shuffle(points, random);
        // by time, and of one time in any order
        points.sort(Comparator.comparingLong(Written::timeNs));
        points.removeIf(point -> point.timeNs() < range.fromNs() - lookbackNs || point.timeNs() >= range.toNs());
        return points;
    }

    private static Map<String, Cell> expected(List<Written> points, MetricSeries.Terms terms) {
        Map<List<Object>, List<Written>> series = new HashMap<>();
        for (Written point : points) {
            if (point.value() != null || point.noValue()) {
                List<Written> all = series.computeIfAbsent(point.series(), each -> new ArrayList<>());
                if (all.stream().noneMatch(other -> other.timeNs() == point.timeNs())) {
                    all.add(point);
                }
            }
        }
        Map<String, Cell> cells = new TreeMap<>();
        TimeRange range = terms.range();
        long length = terms.step().isZero()
                ? range.toNs() - range.fromNs()
                : terms.step().toNanos();
        series.forEach((key, all) -> {
            String group = terms.by().isEmpty() ? "" : all.get(0).attributes().get("a");
            for (long from = range.fromNs(); from < range.toNs(); from += length) {
                long to = Math.min(from + length, range.toNs());
                Cell cell = cells.computeIfAbsent(String.format("%08d %s", from, group), each -> new Cell());
                step(all, from, to, terms, cell, key);
            }
        });
        return cells;
    }

    private static void step(List<Written> all, long from, long to, MetricSeries.Terms terms, Cell cell, Object key) {
        for (int i = 0; i < all.size(); i++) {
            Written point = all.get(i);
            BigDecimal value = point.value();
            if (value == null || point.timeNs() < from || point.timeNs() >= to) {
                continue;
            }
            cell.points++;
            cell.series.add(key);
            BigDecimal more =
                    increase(all.subList(0, i), point, value, terms.range().fromNs());
            if (more != null) {
                cell.increase = cell.increase.add(more);
                cell.increased = true;
            }
        }
        List<Written> before = all.stream().filter(point -> point.timeNs() < to).toList();
        Written newest = before.isEmpty() ? null : before.get(before.size() - 1);
        if (newest != null && newest.value() != null) {
            boolean fresh = newest.timeNs() >= from
                    || to - newest.timeNs() <= terms.lookback().toNanos();
            if (fresh) {
                cell.last = cell.last.add(newest.value());
                cell.lasts = true;
                cell.series.add(key);
            }
        }
    }

    private static @Nullable BigDecimal increase(
            List<Written> before, Written point, BigDecimal value, long rangeFromNs) {
        if (point.kind().equals("gauge")) {
            return null;
        } else if ("delta".equals(point.temporality())) {
            return value;
        }
        List<Written> valued =
                before.stream().filter(each -> each.value() != null).toList();
        if (valued.isEmpty()) {
            boolean wholly = point.startNs() != 0 && point.startNs() >= rangeFromNs && point.startNs() < point.timeNs();
            return wholly ? value : null;
        }
        Written previous = valued.get(valued.size() - 1);
        BigDecimal earlier = previous.value();
        if (earlier == null) {
            throw new IllegalStateException();
        }
        boolean newStart = point.startNs() != 0 && previous.startNs() != 0 && point.startNs() != previous.startNs();
        boolean restarted = newStart && point.startNs() >= previous.timeNs();
        boolean fell = point.monotonic() && value.compareTo(earlier) < 0;
        if (restarted || fell) {
            return point.startNs() == point.timeNs() ? null : value;
        }
        return value.subtract(earlier);
    }

    private static String found(List<Written> points, MetricSeries.Terms terms, Random random) {
        List<String> rows = new ArrayList<>();
        QueryMemory memory = new QueryMemory(1 << 20);
        try (MetricSeries series =
                new MetricSeries(FORMAT, null, terms, memory, () -> false, step -> rows.add(row(step)))) {
            for (Written point : points) {
                byte[] payload = point.json(random).getBytes(StandardCharsets.UTF_8);
                series.add(point.timeNs(), new UnsafeBuffer(payload), 0, payload.length);
            }
            series.end();
            long without = points.stream()
                    .filter(point -> point.value() == null && !point.noValue())
                    .count();
            assertEquals(without, series.withoutValue());
            assertTrue(memory.reserved() > 0 || points.size() == without);
        }
        assertEquals(0, memory.reserved());
        Collections.sort(rows);
        return String.join("\n", rows);
    }

    private static String row(SeriesStep step) {
        String group = step.key().isEmpty() ? "" : "\"" + step.key().get(0).text() + "\"";
        return String.format("%08d %s: ", step.range().fromNs(), group) + "points=" + step.points() + " series="
                + step.series() + " last=" + text(step.last()) + " increase=" + text(step.increase());
    }

    private static String text(@Nullable Number number) {
        return number == null
                ? "-"
                : new BigDecimal(number.toString()).stripTrailingZeros().toPlainString();
    }
}
