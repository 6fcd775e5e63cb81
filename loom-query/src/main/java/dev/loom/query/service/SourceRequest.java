package dev.loom.query.service;

/** A query over the records of one source. */
public sealed interface SourceRequest extends QueryRequest
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
}
