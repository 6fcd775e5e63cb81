package dev.loom.server.loki;

import java.util.BitSet;
import java.util.Map;

/** The points of a series on a grid, of which some may be missing. For one thread. */
final class Series {
    private static final int OVERHEAD = 512;

    private final Map<String, String> labels;
    private final double[] values;
    private final BitSet present;

    Series(Map<String, String> labels, int points) {
        this.labels = labels;
        values = new double[points];
        present = new BitSet(points);
    }

    /** Bytes of memory of a series, at most. */
    static long size(int points) {
        return OVERHEAD + points * (long) (Double.BYTES + 1);
    }

    Map<String, String> labels() {
        return labels;
    }

    int points() {
        return values.length;
    }

    boolean has(int point) {
        return present.get(point);
    }

    boolean isEmpty() {
        return present.isEmpty();
    }

    double get(int point) {
        return values[point];
    }

    void set(int point, double value) {
        values[point] = value;
        present.set(point);
    }

    void clear(int point) {
        present.clear(point);
    }
}
