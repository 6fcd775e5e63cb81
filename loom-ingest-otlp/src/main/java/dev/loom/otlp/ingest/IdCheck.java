package dev.loom.otlp.ingest;

import dev.loom.otlp.wire.TraceTags.Span;
import dev.loom.otlp.wire.WireReader;
import org.agrona.DirectBuffer;

/**
 * Checks that a span has a trace id of 16 bytes and a span id of 8, neither all zero. Otherwise it can't be distinguished from other
 * spans, and OTLP requires its rejection. As everywhere in protobuf, the last of several values counts. Reused; for one
 * thread.
 */
final class IdCheck {
    private static final int TRACE_ID_LENGTH = 16;
    private static final int SPAN_ID_LENGTH = 8;

    private final WireReader reader = new WireReader();
    private boolean traceId;
    private boolean spanId;

    /** Whether the span in {@code [offset, offset + length)} has both. */
    boolean valid(DirectBuffer buffer, int offset, int length) {
        reset();
        reader.wrap(buffer, offset, length);
        while (reader.next()) {
            take(reader);
        }
        return valid();
    }

    void reset() {
        traceId = false;
        spanId = false;
    }

    /** Takes a field of a span. */
    void take(WireReader field) {
        if (field.tag() == Span.TRACE_ID) {
            traceId = field.length() == TRACE_ID_LENGTH
                    && (field.buffer().getLong(field.offset()) | field.buffer().getLong(field.offset() + Long.BYTES))
                            != 0;
        } else if (field.tag() == Span.SPAN_ID) {
            spanId = field.length() == SPAN_ID_LENGTH && field.buffer().getLong(field.offset()) != 0;
        }
    }

    boolean valid() {
        return traceId && spanId;
    }
}
