package dev.loom.format;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** UTF-8 lines: the payload is the field {@code line}. */
record TextFormat() implements PayloadFormat {
    static final String NAME = "text";
    static final TextFormat INSTANCE = new TextFormat();

    private static final String LINE = "line";
    private static final List<Field> FIELDS = List.of(new Field(LINE, FieldType.UTF8, false));

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
        return name.equals(LINE) ? WholePayload.TEXT : null;
    }

    @Override
    public String toString() {
        return NAME;
    }
}
