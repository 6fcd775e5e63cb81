package dev.loom.query.service;

/** A query as a value, checked when it was made: for {@link QueryService#run}. */
public sealed interface QueryRequest
        permits ScanRequest,
                TopRequest,
                AggregateRequest,
                GroupRequest,
                ValuesRequest,
                HistogramRequest,
                CountRequest,
                CorrelationRequest,
                DifferenceRequest,
                MetricsRequest,
                SeriesRequest {
    RecordSelection records();

    QueryLimits limits();
}
