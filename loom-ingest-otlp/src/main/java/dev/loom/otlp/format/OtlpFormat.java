package dev.loom.otlp.format;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldType;
import dev.loom.format.PayloadFormat;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One of the formats: declared fields, and those whose names begin with a prefix, such as {@code attr.http.route}. */
final class OtlpFormat implements PayloadFormat {
    private static final String NANOSECONDS = "ns";

    private final String name;
    private final @Nullable String eventTimeField;
    private final List<Field> fields = new ArrayList<>();
    private final Map<String, FieldReader> readers = new HashMap<>();
    private final Map<String, Function<String, FieldReader>> prefixes = new HashMap<>();
    private final Map<String, String> units = new HashMap<>();
    private List<String> columns = List.of();
    private @Nullable String textField;

    /** Begins a format without fields; it is not to be shared before it has all of them. */
    OtlpFormat(String name, @Nullable String eventTimeField) {
        this.name = name;
        this.eventTimeField = eventTimeField;
    }

    /** Adds a field that a record may be without. */
    OtlpFormat field(String fieldName, FieldType type, FieldReader reader) {
        fields.add(new Field(fieldName, type, true));
        readers.put(fieldName, reader);
        return this;
    }

    /** Adds a field whose numbers are nanoseconds. */
    OtlpFormat nanoseconds(String fieldName, FieldType type, FieldReader reader) {
        units.put(fieldName, NANOSECONDS);
        return field(fieldName, type, reader);
    }

    /** Adds the fields whose names begin so: the function makes a reader of what comes after. */
    OtlpFormat prefix(String prefix, Function<String, FieldReader> reader) {
        prefixes.put(prefix, reader);
        return this;
    }

    OtlpFormat columns(String... names) {
        columns = List.of(names);
        return this;
    }

    /** Sets the field that is searched for words. */
    OtlpFormat text(String fieldName) {
        textField = fieldName;
        return this;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String text() {
        return name;
    }

    @Override
    public List<Field> fields() {
        return List.copyOf(fields);
    }

    @Override
    public @Nullable FieldReader field(String fieldName) {
        FieldReader declared = readers.get(fieldName);
        if (declared != null) {
            return declared;
        }
        String longest = "";
        for (String prefix : prefixes.keySet()) {
            if (fieldName.startsWith(prefix) && prefix.length() > longest.length()) {
                longest = prefix;
            }
        }
        Function<String, FieldReader> reader = prefixes.get(longest);
        return reader == null || fieldName.length() == longest.length()
                ? null
                : reader.apply(fieldName.substring(longest.length()));
    }

    @Override
    public @Nullable String unit(String fieldName) {
        return units.get(fieldName);
    }

    @Override
    public List<String> columns() {
        return columns;
    }

    @Override
    public @Nullable String eventTimeField() {
        return eventTimeField;
    }

    @Override
    public @Nullable String textField() {
        return textField;
    }

    @Override
    public String toString() {
        return name;
    }
}
