package dev.loom.query.sampling;

/** Student's t distribution: how far an estimate may lie off, in standard errors that are estimated too. */
final class StudentT {
    /** The quantile of the normal distribution that 97.5 % lie below. */
    private static final double Z = 1.959964;

    private StudentT() {}

    /**
     * The quantile that 97.5 % lie below, by the expansion of Cornish and Fisher (Abramowitz and Stegun, 26.7.5); from 3 degrees on it is
     * off by less than 1.5 %.
     *
     * @param degrees of freedom, at least 1
     */
    static double quantile(double degrees) {
        double z2 = Z * Z;
        double g1 = Z * (z2 + 1) / 4;
        double g2 = Z * ((5 * z2 + 16) * z2 + 3) / 96;
        double g3 = Z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
        return Z + (g1 + (g2 + g3 / degrees) / degrees) / degrees;
    }
}
