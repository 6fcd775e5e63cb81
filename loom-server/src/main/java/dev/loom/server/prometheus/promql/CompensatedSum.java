package dev.loom.server.prometheus.promql;

/** A sum that carries along what rounding lost (Kahan, as improved by Neumaier). For one thread. */
final class CompensatedSum {
    private double sum;
    private double lost;

    CompensatedSum() {}

    CompensatedSum(double begin) {
        sum = begin;
    }

    void add(double value) {
        double next = sum + value;
        if (Double.isInfinite(next)) {
            lost = 0;
        } else if (Math.abs(sum) >= Math.abs(value)) {
            lost += (sum - next) + value;
        } else {
            lost += (value - next) + sum;
        }
        sum = next;
    }

    void times(double factor) {
        sum *= factor;
        lost *= factor;
    }

    /** Whether the next value would make it infinite. */
    boolean overflowsWith(double value) {
        return Double.isInfinite(sum + value);
    }

    double value() {
        return Double.isInfinite(sum) ? sum : sum + lost;
    }

    /** The sum of some values. */
    static double of(Window window) {
        CompensatedSum sum = new CompensatedSum();
        for (int i = 0; i < window.size(); i++) {
            sum.add(window.value(i));
        }
        return sum.value();
    }

    /** The mean, which is finite where the sum is not. For one thread. */
    static final class Mean {
        private final CompensatedSum sum = new CompensatedSum();
        private boolean ofMeans;
        private double count;

        void add(double value) {
            count++;
            if (!ofMeans && count > 1 && sum.overflowsWith(value)) {
                ofMeans = true;
                sum.times(1 / (count - 1));
            }
            if (ofMeans) {
                sum.times((count - 1) / count);
                sum.add(value / count);
            } else {
                sum.add(value);
            }
        }

        double value() {
            return ofMeans ? sum.value() : sum.sum / count + sum.lost / count;
        }
    }

    /** The mean square of how far values are from their mean. For one thread. */
    static final class Variance {
        private final CompensatedSum mean = new CompensatedSum();
        private final CompensatedSum squares = new CompensatedSum();
        private double count;

        void add(double value) {
            count++;
            double off = value - mean.value();
            mean.add(off / count);
            squares.add(off * (value - mean.value()));
        }

        double value() {
            return squares.value() / count;
        }
    }
}
