package dev.loom.otlp.ingest;

/**
 * The payload of a record that came by OTLP, little-endian:
 *
 * <pre>
 *   0                         8                               end
 *   | address of the context  | LogRecord, Span or data point |
 * </pre>
 *
 * The context is a record of the source {@code otlp.contexts}.
 */
final class RecordDescriptor {
    static final int CONTEXT_OFFSET = 0;
    static final int MESSAGE_OFFSET = CONTEXT_OFFSET + Long.BYTES;

    private RecordDescriptor() {}
}
