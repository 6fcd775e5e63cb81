package dev.loom.server.loki;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.server.text.TextBuffer;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** The lines that a source's records are shown as, as the only field of their payloads: what filters of lines search if no text is one. */
record RecordLines(StreamSource of) implements PayloadFormat {
    /** The field. */
    static final String LINE = "line";

    private static final List<Field> FIELDS = List.of(new Field(LINE, Field.Type.UTF8, false));

    @Override
    public String name() {
        return LINE;
    }

    @Override
    public String text() {
        return LINE + ':' + of.format().text();
    }

    @Override
    public List<Field> fields() {
        return FIELDS;
    }

    @Override
    public @Nullable FieldReader field(String field) {
        return field.equals(LINE) ? this::read : null;
    }

    private void read(DirectBuffer buffer, int offset, int length, FieldValue into) {
        into.state(Printing.class, () -> new Printing(of)).read(buffer, offset, length, into);
    }

    /** What it takes to print: a line is kept, in memory as large as the longest one. */
    private static final class Printing {
        private final LineText text;
        private final FieldValue value = new FieldValue();
        private final UnsafeBuffer line = new UnsafeBuffer(new byte[0]);

        Printing(StreamSource of) {
            text = new LineText(of);
        }

        void read(DirectBuffer buffer, int offset, int length, FieldValue into) {
            value.lookup(into.lookup());
            TextBuffer printed = text.of(value, buffer, offset, length);
            line.wrap(printed.array(), 0, printed.length());
            into.setBytes(FieldValue.Kind.TEXT, line, 0, printed.length());
        }
    }
}
