package dev.loom.otlp.format;

/** Which message of a record a field is in. */
enum Part {
    /** The payload itself is the message, as that of a context. */
    PAYLOAD,
    /** The LogRecord, Span or data point, behind the context's address. */
    MESSAGE,
    /** The context that the record refers to. */
    CONTEXT
}
