package dev.loom.format;

import java.util.List;
import java.util.function.BiConsumer;
import org.agrona.DirectBuffer;

/** One JSON value per record, fields by dotted path. */
record JsonFormat() implements PayloadFormat {
    static final String NAME = "json";
    static final JsonFormat INSTANCE = new JsonFormat();

    private static final FieldReader WHOLE = new JsonFieldReader("");

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
        return List.of();
    }

    @Override
    public FieldReader field(String name) {
        return name.isEmpty() ? WHOLE : new JsonFieldReader(name);
    }

    /** The words of all fields: paths are found at query time, and each one's text is part of the payload's. */
    @Override
    public IndexedText indexedText() {
        return IndexedText.words(IndexedText.ANY);
    }

    @Override
    public void forEachField(
            DirectBuffer buffer, int offset, int length, FieldValue value, BiConsumer<String, FieldValue> handler) {
        WHOLE.read(buffer, offset, length, value);
        handler.accept("", value);
    }

    @Override
    public String toString() {
        return NAME;
    }
}
