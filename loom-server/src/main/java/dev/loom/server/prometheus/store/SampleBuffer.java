package dev.loom.server.prometheus.store;

import dev.loom.query.model.QueryMemory;
import dev.loom.server.prometheus.promql.Labels;
import dev.loom.server.prometheus.promql.NativeHistogram;
import dev.loom.server.prometheus.promql.StoredSeries;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The samples of one series, as they come. For one thread. */
final class SampleBuffer {
    private static final int FEW = 8;
    private static final long SAMPLE_BYTES = 16;
    private static final long REFERENCE_BYTES = 8;
    private static final long SERIES_BYTES = 160;

    private final Labels labels;
    private final boolean ofHistograms;
    private final boolean delta;
    private final QueryMemory memory;
    private long[] timesMs = new long[FEW];
    private double[] values = new double[FEW];
    private NativeHistogram @Nullable [] histograms;
    private int size;

    SampleBuffer(Labels labels, boolean ofHistograms, boolean delta, QueryMemory memory) {
        this.labels = labels;
        this.ofHistograms = ofHistograms;
        this.delta = delta;
        this.memory = memory;
        memory.reserve(SERIES_BYTES + labels.bytes() + FEW * (SAMPLE_BYTES + REFERENCE_BYTES));
        histograms = ofHistograms ? new NativeHistogram[FEW] : null;
    }

    void add(long timeMs, double value) {
        add(timeMs, value, null);
    }

    void add(long timeMs, NativeHistogram histogram) {
        memory.reserve(histogram.bytes());
        add(timeMs, 0, histogram);
    }

    /** The series has no value for now. */
    void end(long timeMs) {
        add(timeMs, StoredSeries.Samples.STALE, null);
    }

    /** Of several samples of one time the first counts. */
    private void add(long timeMs, double value, @Nullable NativeHistogram histogram) {
        if (size > 0 && timeMs <= timesMs[size - 1]) {
            return;
        }
        if (size == timesMs.length) {
            // the old ones are garbage only once they are copied
            memory.reserve(2L * size * (SAMPLE_BYTES + (ofHistograms ? REFERENCE_BYTES : 0)));
            timesMs = Arrays.copyOf(timesMs, 2 * size);
            values = Arrays.copyOf(values, 2 * size);
            histograms = histograms == null ? null : Arrays.copyOf(histograms, 2 * size);
            memory.release(size * (SAMPLE_BYTES + (ofHistograms ? REFERENCE_BYTES : 0)));
        }
        timesMs[size] = timeMs;
        values[size] = value;
        if (histograms != null && histogram != null) {
            histograms[size] = histogram;
        }
        size++;
    }

    int size() {
        return size;
    }

    Labels labels() {
        return labels;
    }

    StoredSeries.Samples build() {
        return new StoredSeries.Samples(
                labels,
                Arrays.copyOf(timesMs, size),
                Arrays.copyOf(values, size),
                histograms == null ? null : Arrays.copyOf(histograms, size),
                delta);
    }
}
