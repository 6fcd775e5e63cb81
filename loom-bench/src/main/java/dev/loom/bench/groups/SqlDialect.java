package dev.loom.bench.groups;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Where the SQL of engines differs. */
public enum SqlDialect {
    DUCKDB {
        @Override
        String percentiles(double... percentiles) {
            return "quantile_disc(latency_ns, [" + levels(BigDecimal.ZERO, percentiles) + "])";
        }

        @Override
        String step(long beginNs, long stepNs) {
            return "(epoch_ns(ts) - " + beginNs + ") // " + stepNs;
        }
    },

    /**
     * A percentile's rank is one higher there if a level times the number of values is a whole number. Levels that are lower by less
     * than one of any number of values here make no other difference.
     */
    CLICKHOUSE {
        @Override
        String percentiles(double... percentiles) {
            return "quantilesExact(" + levels(new BigDecimal("1e-11"), percentiles) + ")(latency_ns)";
        }

        @Override
        String step(long beginNs, long stepNs) {
            return "intDiv(toUnixTimestamp64Nano(ts) - " + beginNs + ", " + stepNs + ")";
        }
    };

    /** An array of exact percentiles of the latency, each a value: the nearest rank. */
    abstract String percentiles(double... percentiles);

    /** The number of the step that a request is in. */
    abstract String step(long beginNs, long stepNs);

    private static String levels(BigDecimal less, double... percentiles) {
        return Arrays.stream(percentiles)
                .mapToObj(p -> BigDecimal.valueOf(p)
                        .movePointLeft(2)
                        .subtract(less)
                        .stripTrailingZeros()
                        .toPlainString())
                .collect(Collectors.joining(", "));
    }
}
