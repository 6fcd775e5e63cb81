package dev.loom.otlp.ingest;

import dev.loom.otlp.format.ContextReference;

/**
 * The payload of a record received by OTLP, little-endian:
 *
 * <pre>
 *   0                            8                               end
 *   | reference to its context   | LogRecord, Span or data point |
 * </pre>
 *
 * The context is a record of the source {@code otlp.contexts}; {@link ContextReference} says what else a reference holds.
 */
final class OtlpRecordDescriptor {
    static final int CONTEXT_OFFSET = 0;
    static final int MESSAGE_OFFSET = CONTEXT_OFFSET + ContextReference.LENGTH;

    private OtlpRecordDescriptor() {}
}
