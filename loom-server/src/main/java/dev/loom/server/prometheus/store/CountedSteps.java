package dev.loom.server.prometheus.store;

import dev.loom.server.prometheus.promql.BucketLayout;
import dev.loom.server.prometheus.promql.NativeHistogram;
import java.math.BigDecimal;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What was counted in each of some steps: values by bin, and their sums. Steps without values are empty. For one thread.
 */
final class CountedSteps {
    private final Map<Integer, Cell> cells = new TreeMap<>();

    /** Counts that are changed. */
    static final class Cell {
        private final Map<Integer, Long> counts = new TreeMap<>();
        private BigDecimal sum = BigDecimal.ZERO;
        private boolean infinite;

        /** Adds the counts of another, times 1 or -1. */
        void add(@Nullable Cell other, int sign) {
            if (other != null) {
                other.counts.forEach((bin, count) -> add(bin, sign * count));
                sum = sign > 0 ? sum.add(other.sum) : sum.subtract(other.sum);
                infinite |= other.infinite;
            }
        }

        void add(int bin, long count) {
            counts.merge(bin, count, (a, b) -> a + b == 0 ? null : (Long) (a + b));
        }

        /** @param text a number, which may be infinite or none */
        void addSum(String text) {
            try {
                sum = sum.add(new BigDecimal(text));
            } catch (NumberFormatException e) {
                infinite = true;
            }
        }

        boolean isEmpty() {
            return counts.isEmpty();
        }

        NativeHistogram histogram(BucketLayout layout) {
            NativeHistogram.Builder builder = new NativeHistogram.Builder(layout);
            long all = 0;
            for (Map.Entry<Integer, Long> each : counts.entrySet()) {
                builder.positive(each.getKey(), (double) each.getValue());
                all += each.getValue();
            }
            return builder.build((double) all, infinite ? Double.NaN : sum.doubleValue());
        }
    }

    /** What is counted in a step, for more to be added. */
    Cell cell(int step) {
        return cells.computeIfAbsent(step, any -> new Cell());
    }

    /** What was counted in a step; null if nothing was. */
    @Nullable
    Cell found(int step) {
        return cells.get(step);
    }
}
