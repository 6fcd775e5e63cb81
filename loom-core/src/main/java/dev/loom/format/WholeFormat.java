package dev.loom.format;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One field, which is the payload: UTF-8 lines, or uninterpreted bytes. */
record WholeFormat(String name, List<Field> fields, FieldReader reader) implements PayloadFormat {
    static final String TEXT_NAME = "text";
    static final String BYTES_NAME = "bytes";

    static final WholeFormat TEXT =
            new WholeFormat(TEXT_NAME, List.of(new Field("line", Field.Type.UTF8, false)), WholePayload.TEXT);
    static final WholeFormat BYTES =
            new WholeFormat(BYTES_NAME, List.of(new Field("bytes", Field.Type.BYTES, false)), WholePayload.BYTES);

    @Override
    public String text() {
        return name;
    }

    @Override
    public @Nullable FieldReader field(String field) {
        return field.equals(fields.get(0).name()) ? reader : null;
    }

    @Override
    public String toString() {
        return name;
    }
}
