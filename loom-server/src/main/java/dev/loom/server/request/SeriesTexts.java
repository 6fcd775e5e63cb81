package dev.loom.server.request;

import dev.loom.query.MetricSeries;
import dev.loom.query.service.RequestException;
import dev.loom.query.service.SeriesRequest;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of series, as options and JSON hold it; null is what was not asked for.
 *
 * @param by the fields of a group's key
 * @param step a duration
 * @param functions of {@link #FUNCTIONS}, or percentiles such as {@code p99}; empty for those
 * @param lookback a duration
 */
public record SeriesTexts(
        List<String> by,
        @Nullable String step,
        List<String> functions,
        @Nullable String lookback,
        @Nullable Long seriesMax) {
    /** The functions besides percentiles. */
    public static final List<String> FUNCTIONS = List.of("last", "increase", "rate");

    public SeriesTexts {
        by = List.copyOf(by);
        functions = List.copyOf(functions);
    }

    SeriesRequest.Functions asked() {
        List<String> names = functions.isEmpty() ? FUNCTIONS : functions;
        boolean[] simple = new boolean[FUNCTIONS.size()];
        List<BigDecimal> percentiles = new ArrayList<>();
        for (String name : names) {
            int known = FUNCTIONS.indexOf(name.toLowerCase(Locale.ROOT));
            if (known >= 0) {
                simple[known] = true;
            } else if (name.startsWith("p")) {
                percentiles.add(RequestTexts.percentile(name));
            } else {
                throw new RequestException(
                        "fn", " is none of " + String.join(", ", FUNCTIONS) + " or a percentile such as p99: " + name);
            }
        }
        return new SeriesRequest.Functions(simple[0], simple[1], simple[2], percentiles);
    }

    Duration lookbackOrDefault() {
        return lookback == null ? SeriesRequest.LOOKBACK_DEFAULT : RequestTexts.duration("lookback", lookback);
    }

    /** A cap on series, or the default. */
    static int cap(@Nullable Long seriesMax) {
        return seriesMax == null
                ? MetricSeries.SERIES_MAX_DEFAULT
                : (int) Math.max(-1, Math.min(seriesMax, Integer.MAX_VALUE));
    }
}
