package dev.loom.format;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Uninterpreted bytes: the payload is the field {@code bytes}. */
record BytesFormat() implements PayloadFormat {
    static final String NAME = "bytes";
    static final BytesFormat INSTANCE = new BytesFormat();

    private static final List<Field> FIELDS = List.of(new Field(NAME, FieldType.BYTES, false));

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String text() {
        return NAME;
    }

    @Override
    public List<Field> fields() {
        return FIELDS;
    }

    @Override
    public @Nullable FieldReader field(String name) {
        return name.equals(NAME) ? WholePayload.BYTES : null;
    }

    @Override
    public String toString() {
        return NAME;
    }
}
