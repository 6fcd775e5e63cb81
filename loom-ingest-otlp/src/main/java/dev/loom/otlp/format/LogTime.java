package dev.loom.otlp.format;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.otlp.wire.LogTags.LogRecord;
import org.agrona.DirectBuffer;

/** Reads the time of a log record's event or, if it is unknown, the time at which it was observed. */
final class LogTime implements FieldReader {
    @Override
    public void read(DirectBuffer buffer, int offset, int length, FieldValue into) {
        ReadState state = ReadState.of(into);
        into.setAbsent();
        long known = state.last(LogRecord.TIME_UNIX_NANO, buffer, offset, length, into);
        if (known == 0) {
            known = state.last(LogRecord.OBSERVED_TIME_UNIX_NANO, buffer, offset, length, into);
        }
        if (known != 0) {
            into.setUnsigned(known);
        }
    }
}
