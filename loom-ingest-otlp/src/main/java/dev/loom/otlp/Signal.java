package dev.loom.otlp;

/** A kind of telemetry that OTLP carries, each with a service, a path and a request message of its own. Profiles are refused. */
public enum Signal {
    /** {@code ExportLogsServiceRequest}; counted in log records. */
    LOGS,
    /** {@code ExportTraceServiceRequest}; counted in spans. */
    TRACES,
    /** {@code ExportMetricsServiceRequest}; counted in data points. */
    METRICS
}
