package dev.loom.server.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random questions in LogQL, answered by a server and by reading all records. */
final class LokiApiTest {
    private static final int RECORDS = 400;
    private static final int QUESTIONS = Integer.getInteger("loom.loki.questions", 150);
    private static final long SECOND_NS = 1_000_000_000L;

    @TempDir
    Path temp;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final LokiOracle oracle = new LokiOracle(random);
    private Loom loom;
    private LoomServer server;
    private LokiAnswers loki;

    @BeforeEach
    void start() throws Exception {
        loom = Loom.open(
                LoomConfig.at(temp.resolve("store")).recordRingBytes(8 << 20).build());
        oracle.fill(loom, RECORDS);
        server = LoomServer.start(
                loom,
                ServerSettings.builder().api(Endpoint.parse("127.0.0.1:0")).build());
        loki = new LokiAnswers(server);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        loom.close();
    }

    private long anyTime() {
        long timeNs = oracle.records.get(random.nextInt(RECORDS)).timeNs();
        return timeNs + random.nextInt(3) - 1;
    }

    private String told(Object... of) {
        return "seed=" + seed + " " + List.of(of);
    }

    @Test
    void shouldFindTheLinesThatAQuestionMeans() throws Exception {
        for (int i = 0; i < QUESTIONS; i++) {
            LokiOracle.Asked asked = oracle.selection(random.nextBoolean());
            long startNs = anyTime();
            long endNs = Math.max(startNs, anyTime() + (random.nextInt(3) == 0 ? SECOND_NS * 1000 : 0));
            boolean forward = random.nextBoolean();
            int limit = 1 + random.nextInt(random.nextBoolean() ? 10 : 1000);
            List<String> expected = oracle.records.stream()
                    .filter(record -> record.timeNs() >= startNs && record.timeNs() < endNs)
                    .filter(asked.test())
                    .map(record -> record.timeNs() + " {source=" + record.source() + "} " + record.line())
                    .toList();
            // equal times may be cut anywhere, so where a limit cuts, times decide
            List<String> found = new ArrayList<>();
            List<Long> times = new ArrayList<>();
            for (LokiAnswers.Line line : loki.lines(
                    "query",
                    asked.query(),
                    "start",
                    "" + startNs,
                    "end",
                    "" + endNs,
                    "direction",
                    forward ? "forward" : "BACKWARD",
                    "limit",
                    "" + limit)) {
                found.add(line.timeNs() + " " + line.labels() + " " + line.text());
                times.add(line.timeNs());
            }
            String what = told(asked.query(), startNs, endNs, forward, limit);
            if (expected.size() <= limit) {
                assertEquals(sorted(expected), sorted(found), what);
            } else {
                assertEquals(limit, found.size(), what);
                List<Long> all = new ArrayList<>(expected.stream()
                        .map(each -> Long.parseLong(each.split(" ", 2)[0]))
                        .toList());
                all.sort(forward ? Comparator.naturalOrder() : Comparator.reverseOrder());
                times.sort(forward ? Comparator.naturalOrder() : Comparator.reverseOrder());
                assertEquals(all.subList(0, limit), times, what);
                assertEquals(
                        List.of(),
                        found.stream().filter(each -> !expected.contains(each)).toList(),
                        what);
            }
        }
    }

    private static List<String> sorted(List<String> texts) {
        List<String> sorted = new ArrayList<>(texts);
        Collections.sort(sorted);
        return sorted;
    }

    /** What a function makes of the records of a range. */
    private interface Function {
        double of(List<Double> values, double rangeS);
    }

    private record Computed(String before, String behind, Function function) {}

    private Computed function(boolean unwraps) {
        if (!unwraps) {
            return random.nextBoolean()
                    ? new Computed("count_over_time(", "", (values, s) -> values.size())
                    : new Computed("rate(", "", (values, s) -> values.size() / s);
        }
        double quantile = random.nextInt(101) / 100.0;
        return switch (random.nextInt(6)) {
            case 0 -> new Computed("sum_over_time(", " | unwrap took_ms", (values, s) -> sum(values));
            case 1 -> new Computed("rate(", " | unwrap took_ms", (values, s) -> sum(values) / s);
            case 2 -> new Computed("avg_over_time(", " | unwrap took_ms", (values, s) -> sum(values) / values.size());
            case 3 -> new Computed("min_over_time(", " | unwrap took_ms", (values, s) -> Collections.min(values));
            case 4 -> new Computed("max_over_time(", " | unwrap took_ms", (values, s) -> Collections.max(values));
            default ->
                new Computed("quantile_over_time(" + quantile + ", ", " | unwrap took_ms", (values, s) -> {
                    List<Double> sorted = new ArrayList<>(values);
                    Collections.sort(sorted);
                    int rank = BigDecimal.valueOf(quantile)
                            .multiply(BigDecimal.valueOf(sorted.size()))
                            .setScale(0, java.math.RoundingMode.CEILING)
                            .intValueExact();
                    return sorted.get(Math.max(1, rank) - 1);
                });
        };
    }

    private static double sum(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).sum();
    }

    @Test
    void shouldComputeWhatAQuestionMeans() throws Exception {
        for (int i = 0; i < QUESTIONS; i++) {
            boolean unwraps = random.nextBoolean();
            Computed computed = function(unwraps);
            LokiOracle.Asked asked = oracle.selection(unwraps);
            long stepNs = List.of(SECOND_NS, 3 * SECOND_NS, 250_000_000L, 7 * SECOND_NS)
                    .get(random.nextInt(4));
            long rangeNs = stepNs * (1 + random.nextInt(3)) + (random.nextInt(3) == 0 ? SECOND_NS / 2 : 0);
            long offsetNs = random.nextInt(4) == 0 ? 2 * SECOND_NS : 0;
            boolean instant = random.nextInt(4) == 0;
            long startNs = anyTime() - random.nextInt(5) * SECOND_NS;
            int count = instant ? 1 : 1 + random.nextInt(30);
            boolean ownGrouping = computed.before().matches("(avg|min|max|quant).*");
            String grouping =
                    List.of("", " by (op)", " by (source, http_code)", " by ()").get(random.nextInt(4));
            String range = "[" + rangeNs / 1_000_000 + "ms]" + (offsetNs == 0 ? "" : " offset 2s");
            String inner = computed.before() + asked.query() + computed.behind() + range + ")";
            boolean sums = !grouping.isEmpty() && !ownGrouping;
            String query = sums ? "sum" + grouping + "(" + inner + ")" : inner + grouping;
            Map<String, Double> expected = new TreeMap<>();
            for (int p = 0; p < count; p++) {
                long atNs = startNs + p * stepNs;
                Map<String, List<Double>> groups = new TreeMap<>();
                for (LokiOracle.Stored record : oracle.records) {
                    Object value = record.fields().get("took_ms");
                    if (record.timeNs() > atNs - offsetNs - rangeNs
                            && record.timeNs() <= atNs - offsetNs
                            && asked.test().test(record)
                            && (!unwraps || value != null)) {
                        groups.computeIfAbsent(labels(record, grouping), added -> new ArrayList<>())
                                .add(unwraps ? (Double) value : 1.0);
                    }
                }
                groups.forEach((labels, values) ->
                        expected.put(key(atNs, labels), computed.function().of(values, rangeNs / 1e9)));
            }
            Map<String, Double> found = new TreeMap<>();
            List<LokiAnswers.Point> points = instant
                    ? loki.points("query", "query", query, "time", "" + startNs)
                    : loki.points(
                            "query_range",
                            "query",
                            query,
                            "start",
                            "" + startNs,
                            "end",
                            "" + (startNs + (count - 1) * stepNs),
                            "step",
                            stepNs / 1_000_000 + "ms");
            for (LokiAnswers.Point point : points) {
                found.put(point.seconds().setScale(3) + " " + point.labels(), point.value());
            }
            String what = told(query, startNs, stepNs, count);
            assertEquals(expected.keySet(), found.keySet(), what);
            expected.forEach((key, value) -> assertEquals(value, found.get(key), Math.abs(value) * 1e-12, what + key));
        }
    }

    private static String key(long timeNs, String labels) {
        return BigDecimal.valueOf(timeNs / 1_000_000, 3) + " " + labels;
    }

    private static String labels(LokiOracle.Stored record, String grouping) {
        Map<String, String> labels = new TreeMap<>();
        for (String label : List.of("source", "op", "http_code")) {
            boolean wanted = grouping.isEmpty() ? label.equals("source") : grouping.contains(label);
            if (wanted && !record.text(label).isEmpty()) {
                labels.put(label, record.text(label));
            }
        }
        return labels.toString();
    }
}
