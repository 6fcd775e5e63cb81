package dev.loom.server.prometheus.promql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random queries, as Prometheus 3.11.3 answered them. {@code docs/examples/clients/promql} made samples, queries and answers; {@code
 * -Dloom.promql.answers=FILE} takes others.
 */
final class PrometheusAnswersTest {
    /** Differences of rounding, relative to the greater of both. */
    private static final double ROUNDING = 1e-11;

    private static final Meter FREE = new Meter() {
        @Override
        public void reserve(long bytes) {}

        @Override
        public void check() {}
    };

    private static BufferedReader answers() throws IOException {
        String file = System.getProperty("loom.promql.answers", "");
        InputStream in = file.isEmpty()
                ? PrometheusAnswersTest.class.getResourceAsStream("/prometheus/answers.jsonl.gz")
                : Files.newInputStream(Path.of(file));
        return new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Objects.requireNonNull(in)), StandardCharsets.UTF_8));
    }

    @Test
    void shouldAnswerAsPrometheusDoes() throws IOException {
        try (BufferedReader lines = answers()) {
            SeriesSource source = source(Json.list(Json.parse(lines.readLine())));
            List<String> different = new ArrayList<>();
            int queries = 0;
            long values = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Map<String, Object> each = Json.object(Json.parse(line));
                Map<String, Object> query = Json.object(each.get("query"));
                String asked = query.get("query") + " " + query.get("start") + " " + query.get("step");
                Map<String, Object> answer = Json.object(each.get("answer"));
                boolean refused = !"".equals(answer.get("error"));
                Map<String, Map<Long, String>> expected = expected(answer);
                Map<String, Map<Long, String>> found;
                try {
                    found = answer(query, source);
                } catch (PromQlException | EvaluationException e) {
                    if (!refused) {
                        different.add(asked + ": " + e);
                    }
                    continue;
                }
                String difference = refused ? "refused: " + answer.get("error") : difference(expected, found);
                if (!difference.isEmpty()) {
                    different.add(asked + ": " + difference);
                }
                queries++;
                values += expected.values().stream().mapToLong(Map::size).sum();
            }
            String report = different.size() + " of " + queries + " differ:\n"
                    + String.join("\n", different.subList(0, Math.min(20, different.size())));
            assertTrue(different.isEmpty(), report);
            assertTrue(queries >= 300 && values >= 3_000, "queries=" + queries + ", values=" + values);
        }
    }

    private static long number(@Nullable Object text) {
        return Long.parseLong(String.valueOf(text));
    }

    private static SeriesSource source(List<Object> series) {
        List<StoredSeries> stored = new ArrayList<>();
        for (Object each : series) {
            Map<String, Object> row = Json.object(each);
            Map<String, String> labels = new TreeMap<>();
            Json.object(row.get("labels")).forEach((name, value) -> labels.put(name, value.toString()));
            List<Object> times = Json.list(row.get("t"));
            List<Object> values = Json.list(row.get("v"));
            List<Object> histograms = Json.list(row.get("h"));
            stored.add(new StoredSeries.Samples(
                    Labels.of(labels),
                    times.stream().mapToLong(PrometheusAnswersTest::number).toArray(),
                    values.stream()
                            .mapToDouble(value -> sample(value.toString()))
                            .toArray(),
                    histograms.isEmpty()
                            ? null
                            : histograms.stream()
                                    .map(value -> histogram(Json.object(value)))
                                    .toArray(NativeHistogram[]::new),
                    false));
        }
        return selection -> stored.stream()
                .filter(each -> selection.matches(each.labels()))
                .map(each -> cut((StoredSeries.Samples) each, selection))
                .toList();
    }

    /** Only what a selection may need, so that one that asks for too little is seen. */
    private static StoredSeries cut(StoredSeries.Samples samples, SeriesSource.Selection selection) {
        int from = samples.upTo(selection.afterMs());
        int to = samples.upTo(selection.steps().lastMs());
        NativeHistogram[] histograms = samples.histograms();
        return new StoredSeries.Samples(
                samples.labels(),
                Arrays.copyOfRange(samples.timesMs(), from, to),
                Arrays.copyOfRange(samples.values(), from, to),
                histograms == null ? null : Arrays.copyOfRange(histograms, from, to),
                false);
    }

    private static double sample(String text) {
        return text.equals("stale") ? StoredSeries.Samples.STALE : PromNumber.parse(text);
    }

    private static NativeHistogram histogram(Map<String, Object> row) {
        NativeHistogram.Builder builder = new NativeHistogram.Builder(
                        new BucketLayout.Exponential((int) number(row.get("Schema"))))
                .zero(parse(row.get("ZeroThreshold")), parse(row.get("ZeroCount")));
        side(row, "Positive").forEach(builder::positive);
        side(row, "Negative").forEach(builder::negative);
        return builder.build(parse(row.get("Count")), parse(row.get("Sum")));
    }

    private static double parse(@Nullable Object text) {
        return Double.parseDouble(String.valueOf(text));
    }

    private static Map<Integer, Double> side(Map<String, Object> row, String side) {
        Map<Integer, Double> counts = new TreeMap<>();
        List<Object> buckets = Json.list(row.get(side + "Buckets"));
        int at = 0;
        int number = 0;
        for (Object each : Json.list(row.get(side + "Spans"))) {
            Map<String, Object> span = Json.object(each);
            number += (int) number(span.get("Offset"));
            for (int i = 0; i < number(span.get("Length")); i++) {
                counts.put(number++, parse(buckets.get(at++)));
            }
        }
        return counts;
    }

    private static Map<String, Map<Long, String>> answer(Map<String, Object> query, SeriesSource source) {
        Expr expr = PromQl.parse(query.get("query").toString());
        assertEquals(expr, reparsed(expr));
        long startMs = number(query.get("start"));
        long stepMs = number(query.get("step"));
        Steps steps = stepMs == 0 ? Steps.at(startMs) : new Steps(startMs, number(query.get("end")), stepMs);
        Map<String, Map<Long, String>> found = new TreeMap<>();
        Evaluator.run(expr, steps, source, new Remarks(), FREE, new Evaluator.Results() {
            @Override
            public void onVector(long timeMs, List<Element> vector) {
                for (Element element : vector) {
                    NativeHistogram histogram = element.histogram();
                    StringBuilder text = new StringBuilder();
                    if (histogram == null) {
                        text.append(PromNumber.value(element.value()));
                    } else {
                        text.append(histogram.count()).append(' ').append(histogram.sum());
                        histogram
                                .buckets()
                                .forEach(bucket -> text.append(' ')
                                        .append(bucket.ends().number())
                                        .append(' ')
                                        .append(bucket.low())
                                        .append(' ')
                                        .append(bucket.high())
                                        .append(' ')
                                        .append(bucket.count()));
                    }
                    found.computeIfAbsent(element.labels().map().toString(), any -> new LinkedHashMap<>())
                            .put(timeMs, text.toString());
                }
            }
        });
        return found;
    }

    /** What it is written as means the same. Matchers are compared as texts. */
    private static Expr reparsed(Expr expr) {
        Expr again = PromQl.parse(expr.toString());
        assertEquals(expr.toString(), again.toString());
        return expr;
    }

    private static Map<String, Map<Long, String>> expected(Map<String, Object> answer) {
        Map<String, Map<Long, String>> expected = new TreeMap<>();
        for (Object each : Json.list(answer.get("result"))) {
            Map<String, Object> row = Json.object(each);
            Map<Long, String> points = new LinkedHashMap<>();
            for (String name : new String[] {"value", "histogram"}) {
                if (row.containsKey(name)) {
                    add(Json.list(row.get(name)), points);
                }
            }
            Json.list(row.get("values")).forEach(point -> add(Json.list(point), points));
            Json.list(row.get("histograms")).forEach(point -> add(Json.list(point), points));
            expected.put(new TreeMap<>(Json.object(row.get("metric"))).toString(), points);
        }
        return expected;
    }

    private static void add(List<Object> point, Map<Long, String> points) {
        long timeMs = Math.round(parse(point.get(0)) * 1_000);
        if (point.get(1) instanceof Map<?, ?> histogram) {
            StringBuilder text = new StringBuilder(histogram.get("count") + " " + histogram.get("sum"));
            Json.list(histogram.get("buckets"))
                    .forEach(bucket ->
                            Json.list(bucket).forEach(part -> text.append(' ').append(part)));
            points.put(timeMs, text.toString());
        } else {
            points.put(timeMs, point.get(1).toString());
        }
    }

    /** Where two answers differ by more than rounding; empty if nowhere. */
    private static String difference(Map<String, Map<Long, String>> expected, Map<String, Map<Long, String>> found) {
        if (!expected.keySet().equals(found.keySet())) {
            return "series " + expected.keySet() + " but found " + found.keySet();
        }
        for (Map.Entry<String, Map<Long, String>> series : expected.entrySet()) {
            Map<Long, String> points = Objects.requireNonNull(found.get(series.getKey()));
            if (!series.getValue().keySet().equals(points.keySet())) {
                return series.getKey() + " at " + series.getValue() + " but found " + points;
            }
            for (Map.Entry<Long, String> point : series.getValue().entrySet()) {
                String other = Objects.requireNonNull(points.get(point.getKey()));
                if (!equal(point.getValue().split(" "), other.split(" "))) {
                    return series.getKey() + " at " + point.getKey() + " is " + point.getValue() + " but found "
                            + other;
                }
            }
        }
        return "";
    }

    private static boolean equal(String[] expected, String[] found) {
        if (expected.length != found.length) {
            return false;
        }
        for (int i = 0; i < expected.length; i++) {
            double a = PromNumber.parse(expected[i]);
            double b = PromNumber.parse(found[i].replace("Infinity", "Inf"));
            double size = Math.max(Math.abs(a), Math.abs(b));
            boolean same = Double.compare(a, b) == 0 || a == b || Math.abs(a - b) <= ROUNDING * size;
            if (!same) {
                return false;
            }
        }
        return true;
    }
}
