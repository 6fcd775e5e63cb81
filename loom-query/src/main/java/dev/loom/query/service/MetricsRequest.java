package dev.loom.query.service;

import dev.loom.query.MetricSeries;

/**
 * Asks for the metrics that a source's points belong to.
 *
 * @param seriesMax the cap on series of all metrics
 */
public record MetricsRequest(RecordSelection records, int seriesMax, QueryLimits limits) implements SourceRequest {
    /** @throws RequestException if the source's records are no points of metrics, or the cap is out of range */
    public MetricsRequest {
        checkSource(records);
        checkCap(seriesMax);
    }

    static void checkSource(RecordSelection records) {
        String missing = records.source().format().field("name") == null
                ? "name"
                : records.source().format().field("value") == null ? "value" : null;
        if (missing != null) {
            throw new RequestException("source holds no points of metrics: source="
                    + records.source().name() + ", format="
                    + records.source().format().text() + ", missing=" + missing);
        }
    }

    static void checkCap(int seriesMax) {
        if (seriesMax < 1 || seriesMax > MetricSeries.SERIES_MAX) {
            throw new RequestException("series-max", " must be 1 to " + MetricSeries.SERIES_MAX + ": " + seriesMax);
        }
    }
}
