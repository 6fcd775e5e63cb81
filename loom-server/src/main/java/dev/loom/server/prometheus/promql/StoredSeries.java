package dev.loom.server.prometheus.promql;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A series as a store has it. Immutable. */
public sealed interface StoredSeries {
    Labels labels();

    /**
     * Samples of moments.
     *
     * @param timesMs ascending epoch milliseconds, no two the same
     * @param values of each; {@link #STALE} ends a series for now. Of a histogram, it is not used
     * @param histograms of each; null for a series of numbers
     * @param delta whether each sample is what was added since the one before
     */
    @SuppressWarnings("ArrayRecordComponent") // as many as there are samples; handed over, and compared by nobody
    record Samples(
            Labels labels, long[] timesMs, double[] values, NativeHistogram @Nullable [] histograms, boolean delta)
            implements StoredSeries {
        /** The number that says that there is no value any more, a NaN like no other. */
        public static final double STALE = Double.longBitsToDouble(0x7FF0_0000_0000_0002L);

        /** Whether a number is {@link #STALE}. */
        public static boolean isStale(double value) {
            return Double.doubleToRawLongBits(value) == 0x7FF0_0000_0000_0002L;
        }

        /** How many samples are not after a time. */
        int upTo(long timeMs) {
            int at = Arrays.binarySearch(timesMs, timeMs);
            return at < 0 ? -at - 1 : at + 1;
        }

        /** The same without samples that say that there is none. */
        Samples withoutStale() {
            int left = 0;
            for (double value : values) {
                left += isStale(value) ? 0 : 1;
            }
            if (left == values.length) {
                return this;
            }
            long[] times = new long[left];
            double[] numbers = new double[left];
            NativeHistogram[] all = histograms;
            NativeHistogram @Nullable [] kept = all == null ? null : new NativeHistogram[left];
            int size = 0;
            for (int i = 0; i < values.length; i++) {
                if (!isStale(values[i])) {
                    times[size] = timesMs[i];
                    numbers[size] = values[i];
                    if (all != null && kept != null) {
                        kept[size] = all[i];
                    }
                    size++;
                }
            }
            return new Samples(labels, times, numbers, kept, delta);
        }
    }

    /**
     * A counter that is known at every moment: not sampled, but counted for what is asked.
     *
     * @param steps the answer at each step: what was counted up to then or, of a time, what was added in it; null where the series does
     *     not exist yet
     */
    @SuppressWarnings("ArrayRecordComponent") // as above
    record Counted(Labels labels, @Nullable NativeHistogram[] steps) implements StoredSeries {}
}
