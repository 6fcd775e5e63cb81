package dev.loom.format;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One field, which is the payload: UTF-8 lines, or uninterpreted bytes. */
record WholeFormat(
        String name,
        List<Field> fields,
        FieldReader reader,
        @Nullable String failure) implements PayloadFormat {
    static final String TEXT_NAME = "text";
    static final String BYTES_NAME = "bytes";

    static final WholeFormat TEXT =
            new WholeFormat(TEXT_NAME, List.of(new Field("line", Field.Type.UTF8, false)), WholePayload.TEXT, null);
    static final WholeFormat BYTES =
            new WholeFormat(BYTES_NAME, List.of(new Field("bytes", Field.Type.BYTES, false)), WholePayload.BYTES, null);

    /** The same format, read in place of one that has failed. */
    WholeFormat because(String reason) {
        return new WholeFormat(name, fields, reader, reason);
    }

    @Override
    public String text() {
        return name;
    }

    @Override
    public @Nullable FieldReader field(String field) {
        return field.equals(fields.get(0).name()) ? reader : null;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof WholeFormat that && name.equals(that.name);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public String toString() {
        return name;
    }
}
