package dev.loom.otlp.format;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import java.util.EnumMap;
import java.util.Map;
import org.agrona.DirectBuffer;

/** Reads a field of a metric or its points, with a separate reader for each kind of metric that has the field. */
final class PointField implements FieldReader {
    private final Part contextPart;
    private final Map<MetricKind, FieldReader> readers = new EnumMap<>(MetricKind.class);

    /** @param contextPart where the context is */
    PointField(Part contextPart) {
        this.contextPart = contextPart;
    }

    PointField with(FieldReader reader, MetricKind... kinds) {
        for (MetricKind kind : kinds) {
            readers.put(kind, reader);
        }
        return this;
    }

    @Override
    public void read(DirectBuffer buffer, int offset, int length, FieldValue into) {
        FieldReader reader = readers.get(MetricKind.of(contextPart, buffer, offset, length, into));
        if (reader == null) {
            into.setAbsent();
        } else {
            reader.read(buffer, offset, length, into);
        }
    }
}
