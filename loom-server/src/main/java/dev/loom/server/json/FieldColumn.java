package dev.loom.server.json;

import dev.loom.api.IndexFunction;
import dev.loom.api.ValueUnit;
import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.PayloadFormat;
import dev.loom.server.text.TextBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** A declared field of a format, with its reader and its key as JSON. */
public final class FieldColumn {
    private final Field field;
    private final FieldReader reader;
    private final ValueUnit unit;
    private final byte[] jsonKey;

    private FieldColumn(Field field, FieldReader reader, ValueUnit unit) {
        this.field = field;
        this.unit = unit;
        this.reader = reader;
        this.jsonKey = jsonKey(field.name());
    }

    public static List<FieldColumn> of(PayloadFormat format) {
        return format.fields().stream().map(field -> of(format, field)).toList();
    }

    /** The fields to show to people. */
    public static List<FieldColumn> shown(PayloadFormat format) {
        List<String> names = format.columns();
        return format.fields().stream()
                .filter(field -> names.contains(field.name()))
                .sorted(Comparator.comparing(field -> names.indexOf(field.name())))
                .map(field -> of(format, field))
                .toList();
    }

    private static FieldColumn of(PayloadFormat format, Field field) {
        FieldReader reader = Objects.requireNonNull(format.field(field.name()), field.name());
        return new FieldColumn(field, reader, IndexFunction.unit(format, field.name()));
    }

    /** The name in quotes, escaped, and a colon. */
    public static byte[] jsonKey(String name) {
        TextBuffer key = new TextBuffer(32);
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        JsonText.putString(key, bytes, 0, bytes.length);
        key.put(':');
        return key.toByteArray();
    }

    public String name() {
        return field.name();
    }

    public FieldReader reader() {
        return reader;
    }

    /** The quoted name and a colon; read-only. */
    public byte[] jsonKey() {
        return jsonKey;
    }

    /** The unit of its numbers. */
    public ValueUnit unit() {
        return unit;
    }

    public boolean numeric() {
        return field.type().isNumber();
    }

    public boolean singlePrecision() {
        return field.type() == Field.Type.F32;
    }
}
