package dev.loom.server.json;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.UnknownFieldException;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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
     * @param names each of a declared field, or {@code FIELD:TYPE} of one that records name themselves; without a type {@link
     *     Field.Type#ANY}
     * @throws IllegalArgumentException if the format can't have one of them, or one has two types
     */
    ChosenFields(PayloadFormat format, List<String> names) {
        this.format = format;
        this.fields =
                new LinkedHashSet<>(names).stream().map(this::find).distinct().toList();
        Set<String> found = new HashSet<>();
        for (Field field : fields) {
            if (!found.add(field.name())) {
                throw new IllegalArgumentException("field has two types: field=" + field.name());
            }
        }
        this.readers = fields.stream()
                .map(field -> Objects.requireNonNull(format.field(field.name())))
                .toList();
    }

    private Field find(String name) {
        Optional<Field> declared = declared(name);
        if (declared.isPresent()) {
            return declared.get();
        }
        int colon = name.lastIndexOf(':');
        for (Field.Type type : Field.Type.values()) {
            if (colon > 0 && name.substring(colon + 1).equals(type.text())) {
                String field = name.substring(0, colon);
                return new Field(required(field), type, true);
            }
        }
        return new Field(required(name), Field.Type.ANY, true);
    }

    private Optional<Field> declared(String name) {
        return format.fields().stream()
                .filter(field -> field.name().equals(name))
                .findFirst();
    }

    private String required(String name) {
        if (format.field(name) == null) {
            throw new UnknownFieldException(name, format);
        }
        return name;
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
