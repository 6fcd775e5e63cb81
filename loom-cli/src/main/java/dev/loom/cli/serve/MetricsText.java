package dev.loom.cli.serve;

import java.util.Locale;

/** Metrics in the text form of Prometheus (0.0.4). Those of one name come one after the other. For one thread. */
final class MetricsText {
    static final String MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final StringBuilder text = new StringBuilder(4096);
    private String name = "";

    /** Begins a metric that only grows. */
    MetricsText counter(String metric, String help) {
        return begin(metric, "counter", help);
    }

    /** Begins a metric that goes up and down. */
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
     * @param labels names and values in turn
     */
    MetricsText value(long value, String... labels) {
        begin(labels);
        text.append(value).append('\n');
        return this;
    }

    /** Adds a time of the metric, in seconds as is the custom. */
    MetricsText seconds(long ns, String... labels) {
        begin(labels);
        text.append(String.format(Locale.ROOT, "%.9f", ns / 1e9)).append('\n');
        return this;
    }

    private void begin(String... labels) {
        text.append(name);
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
