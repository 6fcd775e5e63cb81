package dev.loom.otlp.format;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import org.agrona.DirectBuffer;

/** Reads the value at a path within an array or a map, as in JSON. */
final class PathField implements FieldReader {
    private final FieldReader whole;
    private final FieldReader within;

    PathField(FieldReader whole, String path) {
        this.whole = whole;
        this.within = within(path);
    }

    /** The reader of a path within a JSON value. */
    static FieldReader within(String path) {
        FieldReader reader = Formats.json().field(path);
        if (reader == null) {
            throw new IllegalStateException("JSON format has no reader for the path: path=" + path);
        }
        return reader;
    }

    @Override
    public FieldReader identity() {
        FieldReader ofWhole = whole.identity();
        return ofWhole == whole ? this : ofWhole;
    }

    @Override
    public void read(DirectBuffer buffer, int offset, int length, FieldValue into) {
        whole.read(buffer, offset, length, into);
        narrow(within, into);
    }

    /** Replaces a value by what is at the path within it. */
    static void narrow(FieldReader within, FieldValue value) {
        if (value.kind() == FieldValue.Kind.JSON) {
            within.read(value.bytes(), value.offset(), value.length(), value);
        } else {
            value.setAbsent();
        }
    }
}
