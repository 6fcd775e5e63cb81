package dev.loom.query.series;

/** A sum of numbers: exact as long as they are integers and fit into 64 bits, a double otherwise. For one thread. */
public final class Amount {
    private boolean integral = true;
    private long exact;
    private double rounded;

    /** Makes 0. */
    public Amount() {}

    void set(long value) {
        integral = true;
        exact = value;
    }

    void set(double value) {
        integral = false;
        rounded = value;
    }

    void set(Amount other) {
        integral = other.integral;
        exact = other.exact;
        rounded = other.rounded;
    }

    void add(Amount other) {
        if (integral && other.integral) {
            long sum = exact + other.exact;
            if (((exact ^ sum) & (other.exact ^ sum)) >= 0) {
                exact = sum;
                return;
            }
        }
        set(doubleValue() + other.doubleValue());
    }

    /** Sets this to one number less another one. */
    void setDifference(Amount from, Amount less) {
        if (from.integral && less.integral) {
            long difference = from.exact - less.exact;
            if (((from.exact ^ less.exact) & (from.exact ^ difference)) >= 0) {
                set(difference);
                return;
            }
        }
        set(from.doubleValue() - less.doubleValue());
    }

    boolean isLess(Amount than) {
        return (integral && than.integral) ? exact < than.exact : doubleValue() < than.doubleValue();
    }

    /** The number as a double. */
    public double doubleValue() {
        return integral ? exact : rounded;
    }

    /** A {@link Long} if the number is exact, otherwise a {@link Double}. */
    public Number number() {
        return integral ? (Number) exact : (Number) rounded;
    }
}
