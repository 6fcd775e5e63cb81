package dev.loom.server.loki;

import dev.loom.query.Group;
import dev.loom.server.loki.LogQl.RangeOperation;
import java.util.Map;

/** Adds up what a series has in the range before each point. For one thread. */
final class RangeTally {
    private static final int OVERHEAD = 512;
    private static final double NS_PER_S = 1e9;

    private final RangeOperation operation;
    private final double rangeS;
    private final long[] counts;
    /** The sums, or the extremes. */
    private final double[] values;

    RangeTally(RangeOperation operation, long rangeNs, int points) {
        this.operation = operation;
        rangeS = rangeNs / NS_PER_S;
        counts = new long[points];
        values = new double[points];
    }

    /** Bytes of memory, at most. */
    static long size(int points) {
        return OVERHEAD + 2L * Long.BYTES * points;
    }

    /** Adds a group of records, or a step of it, to a point. */
    void add(int point, Group group, boolean countsRecords) {
        long count = countsRecords ? group.records() : group.count();
        if (count == 0) {
            return;
        }
        boolean first = counts[point] == 0;
        counts[point] += count;
        switch (operation) {
            case COUNT_OVER_TIME -> {}
            case RATE, SUM_OVER_TIME, AVG_OVER_TIME -> values[point] += countsRecords ? count : group.doubleSum();
            case MIN_OVER_TIME -> {
                double min = group.min().orElseThrow().doubleValue();
                values[point] = first ? min : Math.min(values[point], min);
            }
            case MAX_OVER_TIME -> {
                double max = group.max().orElseThrow().doubleValue();
                values[point] = first ? max : Math.max(values[point], max);
            }
            case QUANTILE_OVER_TIME -> throw new IllegalStateException("quantiles don't add up");
        }
    }

    /** The series; a point without records is missing. */
    Series series(Map<String, String> labels) {
        Series series = new Series(labels, counts.length);
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                series.set(i, value(i));
            }
        }
        return series;
    }

    private double value(int point) {
        return switch (operation) {
            case COUNT_OVER_TIME -> counts[point];
            case RATE -> values[point] / rangeS;
            case AVG_OVER_TIME -> values[point] / counts[point];
            default -> values[point];
        };
    }
}
