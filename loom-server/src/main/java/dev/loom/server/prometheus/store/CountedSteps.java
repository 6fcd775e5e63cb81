package dev.loom.server.prometheus.store;

import dev.loom.query.Group;
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
    private boolean infiniteSums;

    /** Counts that are changed. */
    static final class Cell {
        private final Map<Integer, Long> counts = new TreeMap<>();
        private BigDecimal sum = BigDecimal.ZERO; // of finite values
        private long notSummed; // values that are not finite
        private boolean infinite; // the sum alone

        /** Adds the counts of another, times 1 or -1. */
        void add(@Nullable Cell other, int sign) {
            if (other != null) {
                other.counts.forEach((bin, count) -> add(bin, sign * count));
                sum = sign > 0 ? sum.add(other.sum) : sum.subtract(other.sum);
                notSummed += sign * other.notSummed;
                infinite |= other.infinite;
            }
        }

        void add(int bin, long count) {
            counts.merge(bin, count, (a, b) -> a + b == 0 ? null : (Long) (a + b));
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
            return builder.build((double) all, infinite || notSummed != 0 ? Double.NaN : sum.doubleValue());
        }
    }

    /** Adds the sum of all values of a step; one that is not finite is left to {@link #addFiniteSum}. */
    void addSum(int step, Group group) {
        BigDecimal sum = finite(group.sum());
        if (sum == null) {
            infiniteSums = true;
            cell(step).notSummed += group.count();
        } else {
            cell(step).sum = cell(step).sum.add(sum);
        }
    }

    /** Whether some sums were not finite. */
    boolean hasInfiniteSums() {
        return infiniteSums;
    }

    /** Adds the sum of the finite values of a step, if that of all was not finite. */
    void addFiniteSum(int step, Group group) {
        Cell cell = cell(step);
        if (cell.notSummed == 0) {
            return;
        }
        BigDecimal sum = finite(group.sum());
        if (sum == null) {
            cell.infinite = true;
        } else {
            cell.sum = cell.sum.add(sum);
            cell.notSummed -= group.count();
        }
    }

    private static @Nullable BigDecimal finite(String number) {
        try {
            return new BigDecimal(number);
        } catch (NumberFormatException e) {
            return null;
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
