package dev.loom.bench.search;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * How long the questions of a class took, ms.
 *
 * @param cpu of the engine, mean, or NaN where it was not measured
 * @param queries how many were measured
 */
public record Latencies(double mean, double p50, double p99, double cpu, int queries) {
    private static final double MILLI = 1e6;

    static Latencies of(List<Long> elapsedNs, double cpuNs) {
        final double[] sorted =
                elapsedNs.stream().mapToDouble(each -> each / MILLI).sorted().toArray();
        return new Latencies(
                Arrays.stream(sorted).average().orElseThrow(),
                quantile(sorted, 0.5),
                quantile(sorted, 0.99),
                cpuNs / MILLI / sorted.length,
                sorted.length);
    }

    /** The least value that so large a part of all values does not exceed. */
    private static double quantile(double[] sorted, double part) {
        return sorted[Math.max(0, (int) Math.ceil(part * sorted.length) - 1)];
    }

    /** Mean, p50 and p99. */
    public String text() {
        return text(mean) + "; " + text(p50) + "; " + text(p99);
    }

    /** The CPU time a question, and its share of the time. */
    public String cpuText() {
        return text(cpu) + String.format(Locale.ROOT, "; %.0f %%", 100 * cpu / mean);
    }

    /** Three digits that count, or whole milliseconds. */
    private static String text(double millis) {
        final int decimals = millis < 1 ? 3 : millis < 10 ? 2 : millis < 100 ? 1 : 0;
        return String.format(Locale.ROOT, "%." + decimals + "f", millis);
    }
}
