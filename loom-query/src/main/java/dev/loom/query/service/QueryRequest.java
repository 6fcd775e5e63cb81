package dev.loom.query.service;

/** A query as a value, checked when it was made: for {@link QueryService#run}. */
public sealed interface QueryRequest permits SourceRequest, TraceRequest, TracesRequest {
    QueryLimits limits();
}
