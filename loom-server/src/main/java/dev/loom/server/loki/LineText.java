package dev.loom.server.loki;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.server.json.FieldBytes;
import dev.loom.server.json.FieldsJson;
import dev.loom.server.json.JsonText;
import dev.loom.server.text.TextBuffer;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Makes lines of the records of one source: a field as a text, or the record as JSON. For one thread. */
final class LineText {
    private final @Nullable FieldsJson fields;
    private final @Nullable FieldReader line;
    private final boolean declaresNone;
    private final FieldBytes bytes = new FieldBytes();
    private final TextBuffer text = new TextBuffer(256);

    LineText(StreamSource of) {
        String field = of.lineField() == null ? "" : of.lineField();
        fields = field.isEmpty() ? new FieldsJson(of.format()) : null;
        line = field.isEmpty() ? null : Objects.requireNonNull(of.format().field(field), field);
        declaresNone = of.format().fields().isEmpty();
    }

    /**
     * The line of a record; malformed bytes are replacement characters if it is JSON. Valid until the next text is made.
     *
     * @param value reads each field; its lookup stands at the record
     */
    TextBuffer of(FieldValue value, DirectBuffer buffer, int offset, int length) {
        if (line == null) {
            text.clear();
            Objects.requireNonNull(fields).put(text, value, buffer, offset, length);
            if (declaresNone && value.kind() == FieldValue.Kind.ABSENT) { // no JSON: as it was stored
                text.clear();
                bytes.load(buffer, offset, length);
                text.put(bytes.array(), 0, length);
            }
            return text;
        }
        line.read(buffer, offset, length, value);
        return of(value);
    }

    /** A value as a text; empty if there is none. Valid until the next text is made. */
    TextBuffer of(FieldValue value) {
        text.clear();
        switch (value.kind()) {
            case ABSENT -> {}
            case TEXT -> {
                bytes.load(value);
                text.put(bytes.array(), 0, bytes.length());
            }
            case BYTES -> {
                bytes.load(value);
                text.putBase64(bytes.array(), 0, bytes.length());
            }
            default -> JsonText.putField(text, value, false, bytes);
        }
        return text;
    }
}
