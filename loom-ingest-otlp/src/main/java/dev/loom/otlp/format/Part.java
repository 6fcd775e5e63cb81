package dev.loom.otlp.format;

/** The message of a record that a field is in. */
enum Part {
    /** The payload itself, as for a context. */
    PAYLOAD,
    /** The LogRecord, Span or data point after the reference to its context. */
    MESSAGE,
    /** The context that the record refers to. */
    CONTEXT
}
