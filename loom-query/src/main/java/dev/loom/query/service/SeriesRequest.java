package dev.loom.query.service;

import dev.loom.format.UnknownFieldException;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.MetricSeries;
import dev.loom.query.service.HistogramRequest.Steps;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks what the series of a metric say, in groups and steps, by the times of the points.
 *
 * @param records with event time
 * @param name of the metric
 * @param by the fields whose values make a group; empty for one group
 * @param steps null for one step
 * @param seriesMax the cap on series
 */
public record SeriesRequest(
        RecordSelection records,
        String name,
        List<String> by,
        @Nullable Steps steps,
        Functions functions,
        Duration lookback,
        int seriesMax,
        QueryLimits limits)
        implements SourceRequest {
    /** How long before the range points are read, and how old a last value may be, if nothing is said. */
    public static final Duration LOOKBACK_DEFAULT = Duration.ofMinutes(5);

    /**
     * What of the series is asked for.
     *
     * @param percentiles of what histograms counted, each from 0 to 100
     */
    public record Functions(boolean last, boolean increase, boolean rate, List<BigDecimal> percentiles) {
        /** @throws RequestException if nothing is asked for, or percentiles are too many or out of range */
        public Functions {
            percentiles = List.copyOf(percentiles);
            if (!last && !increase && !rate && percentiles.isEmpty()) {
                throw new RequestException("fn", " names nothing");
            } else if (percentiles.size() > MetricSeries.PERCENTILES_MAX) {
                throw new RequestException(
                        "fn",
                        " has too many percentiles: count=" + percentiles.size() + ", max="
                                + MetricSeries.PERCENTILES_MAX);
            }
            percentiles.forEach(AggregateRequest::checkPercentile);
        }
    }

    /** @throws RequestException if the source's records are no points, a field is unknown, or a number is out of range */
    public SeriesRequest {
        by = List.copyOf(by);
        MetricsRequest.checkSource(records);
        MetricsRequest.checkCap(seriesMax);
        if (!records.eventTime()) {
            throw new RequestException("time", " must be event: series go by the times of their points");
        } else if (by.size() > GroupedAggregate.FIELDS_MAX) {
            throw new RequestException(
                    "by", " has too many fields: count=" + by.size() + ", max=" + GroupedAggregate.FIELDS_MAX);
        } else if (new HashSet<>(by).size() < by.size()) {
            throw new RequestException("by", " names a field twice: " + String.join(",", by));
        } else if (lookback.isNegative()) {
            throw new RequestException("lookback", " is negative: " + lookback);
        }
        for (String field : by) {
            if (records.source().format().field(field) == null) {
                throw new RequestException(
                        "by",
                        ": ",
                        new UnknownFieldException(field, records.source().format()));
            }
        }
    }
}
