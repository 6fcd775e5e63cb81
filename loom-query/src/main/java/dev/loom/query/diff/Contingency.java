package dev.loom.query.diff;

/**
 * How many of the chosen records, and of the others, have some property; and what that tells.
 *
 * @param selected chosen records with it
 * @param selectedOf chosen records
 * @param against other records with it
 * @param againstOf other records
 */
public record Contingency(long selected, long selectedOf, long against, long againstOf) {
    /** The quantile of the normal distribution for 95 % on both sides. */
    private static final double Z = 1.959963984540054;

    private static final double HALF = 0.5;

    /** Below this, sums of logarithms; above, Stirling's series, whose error is less than 1e-15 there. */
    private static final int FACTORIALS = 256;

    private static final double[] LOG_FACTORIALS = new double[FACTORIALS];

    static {
        for (int i = 2; i < FACTORIALS; i++) {
            LOG_FACTORIALS[i] = LOG_FACTORIALS[i - 1] + Math.log(i);
        }
    }

    /** An estimate with the interval that holds the true value in 95 of 100 cases. */
    public record Ratio(double value, double low, double high) {}

    /** The share of the chosen records that have it; 0 if there are none. */
    public double selectedShare() {
        return selectedOf == 0 ? 0 : (double) selected / selectedOf;
    }

    /** The share of the others that have it. */
    public double againstShare() {
        return againstOf == 0 ? 0 : (double) against / againstOf;
    }

    /** Whether a greater share of the chosen records has it. */
    public boolean isMoreFrequent() {
        return (double) selected * againstOf > (double) against * selectedOf;
    }

    /**
     * The risk ratio: how many times as likely a record with it is chosen as one without. The interval is that of the ratio's
     * logarithm. If one of the four numbers of records is 0, a half is added to each (Haldane's correction).
     */
    public Ratio riskRatio() {
        double a = selected;
        double b = against;
        double c = selectedOf - selected;
        double d = againstOf - against;
        if (a == 0 || b == 0 || c == 0 || d == 0) {
            a += HALF;
            b += HALF;
            c += HALF;
            d += HALF;
        }
        double ratio = a / (a + b) / (c / (c + d));
        double deviation = Math.sqrt(1 / a - 1 / (a + b) + 1 / c - 1 / (c + d));
        return new Ratio(ratio, ratio * Math.exp(-Z * deviation), ratio * Math.exp(Z * deviation));
    }

    /**
     * The share of what there is to know about which records are chosen that it tells, from 0 to 1: mutual information by the entropy
     * of the choice.
     */
    public double information() {
        double all = (double) selectedOf + againstOf;
        double entropy = -(plogp(selectedOf / all) + plogp(againstOf / all));
        if (entropy <= 0) {
            return 0;
        }
        double with = ((double) selected + against) / all;
        double joint = plogp(selected / all)
                + plogp(against / all)
                + plogp((selectedOf - selected) / all)
                + plogp((againstOf - against) / all);
        double information = joint - plogp(with) - plogp(1 - with) + entropy;
        return Math.max(0, Math.min(1, information / entropy));
    }

    private static double plogp(double p) {
        return p <= 0 ? 0 : p * Math.log(p);
    }

    /**
     * The logarithm of the probability that at least as many chosen records have it by chance: that of Fisher's exact test, one-sided.
     */
    public double logProbability() {
        long all = selectedOf + againstOf;
        long with = selected + against;
        double expected = (double) with * selectedOf / all;
        if (selected <= expected) {
            return 0;
        }
        long most = Math.min(with, selectedOf);
        double sum = 0;
        double term = 1;
        // relative to the first term; terms fall faster and faster
        for (long x = selected; x <= most && term > sum * 1e-17; x++) {
            sum += term;
            term *= (double) (with - x) / (x + 1) * ((double) (selectedOf - x) / (all - with - selectedOf + x + 1));
        }
        double first =
                logChoose(with, selected) + logChoose(all - with, selectedOf - selected) - logChoose(all, selectedOf);
        return Math.min(0, first + Math.log(sum));
    }

    private static double logChoose(long of, long count) {
        return logFactorial(of) - logFactorial(count) - logFactorial(of - count);
    }

    private static double logFactorial(long n) {
        if (n < FACTORIALS) {
            return LOG_FACTORIALS[(int) n];
        }
        double x = n;
        return x * Math.log(x) - x + HALF * Math.log(2 * Math.PI * x) + 1 / (12 * x) - 1 / (360 * x * x * x);
    }
}
