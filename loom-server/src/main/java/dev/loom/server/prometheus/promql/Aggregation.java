package dev.loom.server.prometheus.promql;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How series are brought together. */
enum Aggregation {
    SUM,
    AVG,
    COUNT,
    MIN,
    MAX,
    GROUP,
    STDDEV,
    STDVAR,
    QUANTILE,
    TOPK,
    BOTTOMK;

    boolean takesParameter() {
        return this == QUANTILE || this == TOPK || this == BOTTOMK;
    }

    /** The one of a name in any case; null if there is none. */
    static @Nullable Aggregation of(String name) {
        for (Aggregation each : values()) {
            if (each.name().toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))) {
                return each;
            }
        }
        return null;
    }
}
