package dev.loom.server.prometheus.store;

import dev.loom.query.model.QueryMemory;
import dev.loom.server.prometheus.promql.Labels;
import dev.loom.server.prometheus.promql.NativeHistogram;
import dev.loom.server.prometheus.promql.StoredSeries;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;
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
    private boolean ascending = true;

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

    private void add(long timeMs, double value, @Nullable NativeHistogram histogram) {
        ascending &= size == 0 || timeMs > timesMs[size - 1];
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

    /** The samples in the order of their times; of several of one time the one that came first. */
    StoredSeries.Samples build() {
        int[] order = IntStream.range(0, size).toArray();
        if (!ascending) {
            memory.reserve(size * REFERENCE_BYTES * 4);
            int[] sorted = IntStream.range(0, size)
                    .boxed()
                    .sorted(Comparator.comparingLong(i -> timesMs[i]))
                    .mapToInt(Integer::intValue)
                    .toArray();
            order = IntStream.range(0, size)
                    .filter(i -> i == 0 || timesMs[sorted[i]] != timesMs[sorted[i - 1]])
                    .map(i -> sorted[i])
                    .toArray();
            memory.release(size * REFERENCE_BYTES * 4);
        }
        NativeHistogram[] all = histograms;
        return new StoredSeries.Samples(
                labels,
                Arrays.stream(order).mapToLong(i -> timesMs[i]).toArray(),
                Arrays.stream(order).mapToDouble(i -> values[i]).toArray(),
                all == null ? null : Arrays.stream(order).mapToObj(i -> all[i]).toArray(NativeHistogram[]::new),
                delta);
    }
}
