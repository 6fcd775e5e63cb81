package dev.loom.otlp.format;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.otlp.wire.TraceTags.Span;
import org.agrona.DirectBuffer;

/**
 * Reads the duration of a span: its end minus its start, negative if its clock was set back; no value if either is missing.
 */
final class SpanDuration implements FieldReader {
    @Override
    public void read(DirectBuffer buffer, int offset, int length, FieldValue into) {
        ReadState state = ReadState.of(into);
        into.setAbsent();
        long start = state.last(Span.START_TIME_UNIX_NANO, buffer, offset, length, into);
        long end = start == 0 ? 0 : state.last(Span.END_TIME_UNIX_NANO, buffer, offset, length, into);
        if (end != 0) {
            into.setInteger(end - start);
        }
    }
}
