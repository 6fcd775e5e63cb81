package dev.loom.otlp;

/** A kind of telemetry in OTLP, with its own service, path and request message. Profiles are refused. */
public enum Signal {
    /** {@code ExportLogsServiceRequest}; counted in log records. */
    LOGS,
    /** {@code ExportTraceServiceRequest}; counted in spans. */
    TRACES,
    /** {@code ExportMetricsServiceRequest}; counted in data points. */
    METRICS
}
