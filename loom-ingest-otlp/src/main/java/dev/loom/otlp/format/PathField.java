package dev.loom.otlp.format;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import org.agrona.DirectBuffer;

/** Reads what a path leads to within an array or a map, as within JSON. */
final class PathField implements FieldReader {
    private final FieldReader whole;
    private final FieldReader within;

    PathField(FieldReader whole, String path) {
        this.whole = whole;
        this.within = within(path);
    }

    /** What reads a path within a value that is JSON. */
    static FieldReader within(String path) {
        FieldReader reader = Formats.json().field(path);
        if (reader == null) {
            throw new IllegalStateException("json has no path: path=" + path);
        }
        return reader;
    }

    @Override
    public void read(DirectBuffer buffer, int offset, int length, FieldValue into) {
        whole.read(buffer, offset, length, into);
        narrow(within, into);
    }

    /** Puts what is within a value in its place. */
    static void narrow(FieldReader within, FieldValue value) {
        if (value.kind() == FieldValue.Kind.JSON) {
            within.read(value.bytes(), value.offset(), value.length(), value);
        } else {
            value.setAbsent();
        }
    }
}
