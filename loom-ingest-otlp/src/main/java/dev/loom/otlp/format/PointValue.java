package dev.loom.otlp.format;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.otlp.wire.MetricTags.NumberDataPoint;
import dev.loom.otlp.wire.WireReader;
import org.agrona.DirectBuffer;

/** Reads the number of a gauge or sum point, an integer or a double as sent. */
final class PointValue implements FieldReader {
    @Override
    public void read(DirectBuffer buffer, int offset, int length, FieldValue into) {
        ReadState state = ReadState.of(into);
        into.setAbsent();
        if (!state.wrap(Part.MESSAGE, buffer, offset, length, into)) {
            return;
        }
        WireReader reader = state.reader;
        while (reader.next()) {
            if (reader.tag() == NumberDataPoint.AS_DOUBLE) {
                into.setDouble(reader.doubleValue());
            } else if (reader.tag() == NumberDataPoint.AS_INT) {
                into.setInteger(reader.value());
            }
        }
        if (reader.failure() != null) {
            into.setAbsent();
        }
    }
}
