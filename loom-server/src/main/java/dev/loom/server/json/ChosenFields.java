package dev.loom.server.json;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.UnknownFieldException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** A format reduced to chosen fields, in the chosen order; the format need not declare them. */
final class ChosenFields implements PayloadFormat {
    private final PayloadFormat format;
    private final List<Field> fields;
    private final List<FieldReader> readers;

    /**
     * Chooses fields.
     *
     * @throws IllegalArgumentException if the format can't have one of them
     */
    ChosenFields(PayloadFormat format, List<String> names) {
        this.format = format;
        this.fields = new LinkedHashSet<>(names).stream().map(this::find).toList();
        this.readers = fields.stream()
                .map(field -> Objects.requireNonNull(format.field(field.name())))
                .toList();
    }

    private Field find(String name) {
        if (format.field(name) == null) {
            throw new UnknownFieldException(name, format);
        }
        return format.fields().stream()
                .filter(field -> field.name().equals(name))
                .findFirst()
                .orElseGet(() -> new Field(name, Field.Type.ANY, true));
    }

    @Override
    public String name() {
        return format.name();
    }

    @Override
    public String text() {
        return format.text();
    }

    @Override
    public List<Field> fields() {
        return fields;
    }

    @Override
    public boolean isTime(String name) {
        return format.isTime(name);
    }

    @Override
    public @Nullable String unit(String name) {
        return format.unit(name);
    }

    @Override
    public @Nullable FieldReader field(String name) {
        return format.field(name);
    }

    @Override
    public void forEachField(
            DirectBuffer buffer, int offset, int length, FieldValue value, BiConsumer<String, FieldValue> handler) {
        for (int i = 0; i < readers.size(); i++) {
            readers.get(i).read(buffer, offset, length, value);
            handler.accept(fields.get(i).name(), value);
        }
    }
}
