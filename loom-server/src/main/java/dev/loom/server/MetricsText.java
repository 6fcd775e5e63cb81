package dev.loom.server;

import dev.loom.otlp.server.LatencyHistogram;
import java.math.BigDecimal;
import java.util.Arrays;

/** Metrics in the Prometheus text format, 0.0.4. Add all values of a metric before the next one. For one thread. */
final class MetricsText {
    static final String MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final StringBuilder text = new StringBuilder(4096);
    private String name = "";

    /** Begins a counter. */
    MetricsText counter(String metric, String help) {
        return begin(metric, "counter", help);
    }

    /** Begins a histogram of times. */
    MetricsText histogram(String metric, String help) {
        return begin(metric, "histogram", help);
    }

    /** Begins a summary of times: their count and sum. */
    MetricsText summary(String metric, String help) {
        return begin(metric, "summary", help);
    }

    /** Begins a gauge. */
    MetricsText gauge(String metric, String help) {
        return begin(metric, "gauge", help);
    }

    private MetricsText begin(String metric, String type, String help) {
        name = metric;
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        return this;
    }

    /**
     * Adds a value of the metric.
     *
     * @param labels names and values, alternating
     */
    MetricsText value(long value, String... labels) {
        begin("", labels);
        text.append(value).append('\n');
        return this;
    }

    /** Adds a time in seconds, Prometheus' base unit. */
    MetricsText seconds(long ns, String... labels) {
        begin("", labels);
        text.append(inSeconds(ns)).append('\n');
        return this;
    }

    /** Adds a histogram's buckets, sum and count. */
    void times(LatencyHistogram times, String... labels) {
        long count = 0;
        String[] bounded = Arrays.copyOf(labels, labels.length + 2);
        bounded[labels.length] = "le";
        for (int i = 0; i < times.buckets(); i++) {
            count += times.count(i);
            bounded[labels.length + 1] =
                    i == times.buckets() - 1 ? "+Inf" : inSeconds(times.bound(i).toNanos());
            begin("_bucket", bounded);
            text.append(count).append('\n');
        }
        times(count, times.sum().toNanos(), labels);
    }

    /** Adds a count and a sum of times. */
    void times(long count, long sumNs, String... labels) {
        begin("_sum", labels);
        text.append(inSeconds(sumNs)).append('\n');
        begin("_count", labels);
        text.append(count).append('\n');
    }

    private static String inSeconds(long ns) {
        return BigDecimal.valueOf(ns, 9).stripTrailingZeros().toPlainString();
    }

    private void begin(String suffix, String[] labels) {
        text.append(name).append(suffix);
        for (int i = 0; i < labels.length; i += 2) {
            text.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"");
            text.append(labels[i + 1]
                            .replace("\\", "\\\\")
                            .replace("\"", "\\\"")
                            .replace("\n", "\\n"))
                    .append('"');
        }
        text.append(labels.length == 0 ? " " : "} ");
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
