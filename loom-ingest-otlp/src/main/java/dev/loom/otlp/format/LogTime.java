package dev.loom.otlp.format;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.otlp.wire.LogTags.LogRecord;
import dev.loom.otlp.wire.WireReader;
import org.agrona.DirectBuffer;

/** Reads when a log record's event happened, or if that is not known, when it was observed. */
final class LogTime implements FieldReader {
    @Override
    public void read(DirectBuffer buffer, int offset, int length, FieldValue into) {
        ReadState state = ReadState.of(into);
        into.setAbsent();
        if (!state.wrap(Part.MESSAGE, buffer, offset, length, into)) {
            return;
        }
        WireReader reader = state.reader;
        long time = 0;
        long observed = 0;
        while (reader.next()) {
            if (reader.tag() == LogRecord.TIME_UNIX_NANO) {
                time = reader.value();
            } else if (reader.tag() == LogRecord.OBSERVED_TIME_UNIX_NANO) {
                observed = reader.value();
            }
        }
        long known = time == 0 ? observed : time;
        if (reader.failure() == null && known != 0) {
            into.setUnsigned(known);
        }
    }
}
