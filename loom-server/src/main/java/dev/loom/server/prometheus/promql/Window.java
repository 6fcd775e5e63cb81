package dev.loom.server.prometheus.promql;

/** The samples of a series in a time, from the first to the last. A view that is moved. For one thread. */
final class Window {
    private final StoredSeries.Samples samples;
    private int begin;
    private int end;
    private long startMs;
    private long endMs;

    Window(StoredSeries.Samples samples) {
        this.samples = samples.withoutStale();
    }

    /** Moves to the samples after a time and up to another. */
    void move(long afterMs, long upToMs) {
        startMs = afterMs;
        endMs = upToMs;
        begin = samples.upTo(afterMs);
        end = samples.upTo(upToMs);
    }

    Labels labels() {
        return samples.labels();
    }

    /** Whether it has histograms instead of numbers. */
    boolean ofHistograms() {
        return samples.histograms() != null;
    }

    boolean isDelta() {
        return samples.delta();
    }

    int size() {
        return end - begin;
    }

    long timeMs(int i) {
        return samples.timesMs()[begin + i];
    }

    double value(int i) {
        return samples.values()[begin + i];
    }

    NativeHistogram histogram(int i) {
        NativeHistogram[] histograms = samples.histograms();
        if (histograms == null) {
            throw new IllegalStateException("series has no histograms: " + labels());
        }
        return histograms[begin + i];
    }

    /** The moment before the first that belongs to the time. */
    long startMs() {
        return startMs;
    }

    /** The last moment of the time. */
    long endMs() {
        return endMs;
    }

    double seconds() {
        return (endMs - startMs) / 1_000.0;
    }
}
