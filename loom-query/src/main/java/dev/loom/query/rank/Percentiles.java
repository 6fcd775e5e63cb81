package dev.loom.query.rank;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Percentiles that are asked for, and their ranks. */
public final class Percentiles {
    private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

    private Percentiles() {}

    /**
     * A copy of those wanted.
     *
     * @throws IllegalArgumentException if one is not from 0 to 100, or if there are too many
     */
    public static List<BigDecimal> checked(List<BigDecimal> wanted, int countMax) {
        if (wanted.size() > countMax) {
            throw new IllegalArgumentException("too many percentiles: count=" + wanted.size() + ", max=" + countMax);
        }
        for (BigDecimal percentile : wanted) {
            if (percentile.signum() < 0 || percentile.compareTo(HUNDRED) > 0) {
                throw new IllegalArgumentException("percentile out of range: p=" + percentile + ", min=0, max=100");
            }
        }
        return List.copyOf(wanted);
    }

    /** What was found for a percentile, in whatever form it was asked for: 50 is 50.0. */
    public static <T> Optional<T> find(Map<BigDecimal, T> found, double percentile) {
        BigDecimal wanted = BigDecimal.valueOf(percentile);
        return found.entrySet().stream()
                .filter(entry -> entry.getKey().compareTo(wanted) == 0)
                .map(Map.Entry::getValue)
                .findFirst();
    }

    /** The rank of a percentile among {@code count} values, from 1: {@code ceil(p / 100 * count)}. */
    public static long rank(BigDecimal percentile, long count) {
        BigDecimal rank = percentile.multiply(BigDecimal.valueOf(count)).movePointLeft(2);
        return Math.max(1, rank.setScale(0, RoundingMode.CEILING).longValueExact());
    }
}
