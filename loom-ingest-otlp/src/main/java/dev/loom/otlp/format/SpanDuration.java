package dev.loom.otlp.format;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.otlp.wire.TraceTags.Span;
import dev.loom.otlp.wire.WireReader;
import org.agrona.DirectBuffer;

/** Reads how long a span took: its end less its start, negative if its clock was set back; none if either is missing. */
final class SpanDuration implements FieldReader {
    @Override
    public void read(DirectBuffer buffer, int offset, int length, FieldValue into) {
        ReadState state = ReadState.of(into);
        into.setAbsent();
        if (!state.wrap(Part.MESSAGE, buffer, offset, length, into)) {
            return;
        }
        WireReader reader = state.reader;
        long start = 0;
        long end = 0;
        while (reader.next()) {
            if (reader.tag() == Span.START_TIME_UNIX_NANO) {
                start = reader.value();
            } else if (reader.tag() == Span.END_TIME_UNIX_NANO) {
                end = reader.value();
            }
        }
        if (reader.failure() == null && start != 0 && end != 0) {
            into.setInteger(end - start);
        }
    }
}
