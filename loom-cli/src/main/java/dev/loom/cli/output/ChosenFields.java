package dev.loom.cli.output;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldType;
import dev.loom.format.PayloadFormat;
import dev.loom.format.UnknownFieldException;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A format of which only some fields are seen, in their order; also those that it does not declare. */
public final class ChosenFields implements PayloadFormat {
    private final PayloadFormat format;
    private final List<Field> fields;

    /**
     * Chooses fields.
     *
     * @throws IllegalArgumentException for one that the format can't have
     */
    public ChosenFields(PayloadFormat format, List<String> names) {
        this.format = format;
        this.fields = new LinkedHashSet<>(names).stream().map(this::find).toList();
    }

    private Field find(String name) {
        if (format.field(name) == null) {
            throw new UnknownFieldException(name, format);
        }
        return format.fields().stream()
                .filter(field -> field.name().equals(name))
                .findFirst()
                .orElseGet(() -> new Field(name, FieldType.ANY, true));
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
    public @Nullable String unit(String name) {
        return format.unit(name);
    }

    @Override
    public @Nullable FieldReader field(String name) {
        return format.field(name);
    }
}
