package dev.loom.api;

/**
 * A sum of doubles with Neumaier's compensation: its error is about one rounding, however many values are added, unless
 * they cancel almost completely. With infinities it equals plain addition. Not thread-safe; adding allocates nothing.
 */
public final class DoubleSum {
    private double sum;
    private double compensation;

    /** Makes a sum that is 0. */
    public DoubleSum() {}

    public void clear() {
        set(0, 0);
    }

    /** Continues a sum from its {@link #sum()} and {@link #compensation()}. */
    public void set(double newSum, double newCompensation) {
        sum = newSum;
        compensation = newCompensation;
    }

    /** The sum as plain addition gives it. */
    public double sum() {
        return sum;
    }

    /** What plain addition has lost, about. */
    public double compensation() {
        return compensation;
    }

    public void add(double value) {
        double total = sum + value;
        compensation += error(sum, value, total);
        sum = total;
    }

    /** Adds another sum and its compensation. */
    public void add(DoubleSum other) {
        add(other.sum);
        compensation += other.compensation;
    }

    /** The sum and the compensation as one double. */
    public double value() {
        return value(sum, compensation);
    }

    /** A sum and its compensation as one double. */
    public static double value(double sum, double compensation) {
        return Double.isInfinite(sum) || Double.isNaN(sum) ? sum : sum + compensation;
    }

    /** The rounding error of {@code a + b = total}; NaN if one of them is infinite. */
    public static double error(double a, double b, double total) {
        return Math.abs(a) >= Math.abs(b) ? (a - total) + b : (b - total) + a;
    }

    @Override
    public String toString() {
        return Double.toString(value());
    }
}
