package dev.loom.api;

/**
 * A sum of doubles with Neumaier's compensation: off by about one rounding, however many are added, unless they cancel out
 * almost wholly. With infinities it is what plain addition gives. Not thread-safe; adding allocates nothing.
 */
public final class DoubleSum {
    private double sum;
    private double compensation;

    /** Makes a sum that is 0. */
    public DoubleSum() {}

    public void clear() {
        sum = 0;
        compensation = 0;
    }

    public void add(double value) {
        double total = sum + value;
        compensation += error(sum, value, total);
        sum = total;
    }

    /** Adds another sum with its compensation. */
    public void add(DoubleSum other) {
        add(other.sum);
        compensation += other.compensation;
    }

    /** The sum and the compensation as one double. */
    public double value() {
        return value(sum, compensation);
    }

    /** What a sum and its compensation are together. */
    public static double value(double sum, double compensation) {
        return Double.isInfinite(sum) || Double.isNaN(sum) ? sum : sum + compensation;
    }

    /** What rounding {@code a + b} to {@code total} left out; not a number if one of them is infinite. */
    public static double error(double a, double b, double total) {
        return Math.abs(a) >= Math.abs(b) ? (a - total) + b : (b - total) + a;
    }

    @Override
    public String toString() {
        return Double.toString(value());
    }
}
