package dev.loom.bench.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One metric of one benchmark with one set of parameters, from a file that JMH wrote with {@code -rf json}.
 *
 * @param unit as JMH names it, {@code ops/s} or {@code ns/op}
 */
record JmhResult(String unit, Measurement measurement) {
    /** Reads a file; the keys are benchmark, mode, parameters and metric as one line of text. */
    static Map<String, JmhResult> read(File file) throws IOException {
        final JsonNode root = new ObjectMapper().readTree(file);
        if (!root.isArray()) {
            throw new IllegalArgumentException("not a JMH result in JSON: file=" + file);
        }
        final Map<String, JmhResult> results = new LinkedHashMap<>();
        for (final JsonNode run : root) {
            final String key = key(run);
            final JsonNode primary = run.path("primaryMetric");
            if (results.put(key, of(primary)) != null) {
                throw new IllegalArgumentException("measured twice: file=" + file + ", benchmark=" + key);
            }
            run.path("secondaryMetrics")
                    .properties()
                    .forEach(metric -> results.put(key + " :" + metric.getKey(), of(metric.getValue())));
        }
        return results;
    }

    /** Whether a higher score is better; the unit tells a rate from a cost. */
    boolean moreIsBetter() {
        return unit.startsWith("ops/"); // MB/sec is the rate of garbage
    }

    private static String key(JsonNode run) {
        final Map<String, String> parameters = new TreeMap<>();
        run.path("params")
                .properties()
                .forEach(e -> parameters.put(e.getKey(), e.getValue().asText()));
        parameters.remove("dir");
        final String name = run.path("benchmark").asText();
        final int method = name.lastIndexOf('.');
        final int type = name.lastIndexOf('.', method - 1);
        return name.substring(type + 1) + " " + run.path("mode").asText() + " " + parameters;
    }

    private static JmhResult of(JsonNode metric) {
        if (metric.has("rawDataHistogram")) {
            throw new IllegalArgumentException("times of single calls can't be compared; measure without -bm sample");
        }
        final List<Double> samples = new ArrayList<>();
        for (final JsonNode fork : metric.path("rawData")) {
            fork.forEach(sample -> samples.add(sample.asDouble()));
        }
        return new JmhResult(
                metric.path("scoreUnit").asText(),
                Measurement.of(samples.stream().mapToDouble(Double::doubleValue).toArray()));
    }
}
