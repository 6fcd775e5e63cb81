package dev.loom.format;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Typed fields: first those of fixed size, at fixed offsets, then those of variable length. The text form lists them in
 * declared order, with {@code ?} after an optional field: {@code struct:ts_ns:i64,op:utf8?,latency_ns:i64}. Made by
 * {@link Formats#struct} and {@link Formats#parse}. Immutable.
 */
public final class StructFormat implements PayloadFormat {
    /** The most fields of a struct; the fewest is one. */
    public static final int FIELD_COUNT_MAX = 1024;

    /** The longest name of a field, in characters. */
    public static final int FIELD_NAME_LENGTH_MAX = 128;

    static final String NAME = "struct";

    private static final String PREFIX = NAME + ':';
    private static final Pattern FIELD_NAME =
            Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]{0," + (FIELD_NAME_LENGTH_MAX - 1) + "}");

    private final List<Field> fields;
    private final String text;
    private final StructLayout layout;
    private final Map<String, Integer> indexes = new HashMap<>();
    private final StructFieldReader[] readers;

    StructFormat(List<Field> fields) {
        this.fields = List.copyOf(fields);
        if (fields.isEmpty() || fields.size() > FIELD_COUNT_MAX) {
            throw new IllegalArgumentException(
                    "struct field count out of range: count=" + fields.size() + ", min=1, max=" + FIELD_COUNT_MAX);
        }
        text = this.fields.stream().map(Field::text).collect(Collectors.joining(",", PREFIX, ""));
        layout = new StructLayout(this.fields);
        readers = new StructFieldReader[fields.size()];
        for (int i = 0; i < readers.length; i++) {
            Field field = this.fields.get(i);
            if (!FIELD_NAME.matcher(field.name()).matches()) {
                throw new IllegalArgumentException(
                        "field name is not allowed: name=" + field.name() + ", allowed=" + FIELD_NAME);
            }
            if (indexes.put(field.name(), i) != null) {
                throw new IllegalArgumentException("duplicate field name: name=" + field.name());
            }
            if (!field.type().isForStructs()) {
                throw new IllegalArgumentException("field type is not allowed in a struct: field=" + field.text());
            }
            readers[i] = new StructFieldReader(field.type(), layout, i);
        }
    }

    static StructFormat parse(String text) {
        if (!text.startsWith(PREFIX)) {
            throw new IllegalArgumentException(
                    "struct has no fields: text=" + text + ", expected=" + PREFIX + "name:type,..");
        }
        return new StructFormat(Stream.of(text.substring(PREFIX.length()).split(",", -1))
                .map(Field::parse)
                .toList());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String text() {
        return text;
    }

    /** None: structs are often many and small, and their texts often few; a source says if they are worth it. */
    @Override
    public IndexedText indexedText() {
        return IndexedText.NONE;
    }

    @Override
    public List<Field> fields() {
        return fields;
    }

    @Override
    public @Nullable FieldReader field(String name) {
        Integer index = indexes.get(name);
        return index == null ? null : readers[index];
    }

    @Override
    public PayloadFormat.@Nullable FixedField fixedField(String name) {
        Integer index = indexes.get(name);
        if (index == null || fields.get(index).type().isVariableLength()) {
            return null;
        }
        int presenceBit = layout.presenceBit(index);
        return new PayloadFormat.FixedField(
                fields.get(index).type(),
                layout.fixedOffset(index),
                presenceBit < 0 ? 0 : StructLayout.presenceOffset(presenceBit),
                presenceBit < 0 ? 0 : StructLayout.presenceMask(presenceBit));
    }

    /**
     * The index of a field in {@link #fields()}, from 0.
     *
     * @throws IllegalArgumentException if there is no field with this name
     */
    public int fieldIndex(String name) {
        Integer index = indexes.get(name);
        if (index == null) {
            throw new IllegalArgumentException("unknown field: name=" + name + ", format=" + text);
        }
        return index;
    }

    /** The length in bytes of the shortest payload, whose texts and bytes are all empty or absent. */
    public int lengthMin() {
        return layout.variableOffset() + layout.variableCount();
    }

    @Override
    public void forEachField(
            DirectBuffer buffer, int offset, int length, FieldValue value, BiConsumer<String, FieldValue> handler) {
        int end = WholePayload.end(buffer, offset, length);
        long next = StructFieldReader.firstVariable(layout, offset, end);
        for (int i = 0; i < readers.length; i++) {
            Field field = fields.get(i);
            if (field.type().isVariableLength()) {
                next = readers[i].readVariable(buffer, offset, end, next, value);
            } else {
                readers[i].readFixed(buffer, offset, end, value);
            }
            handler.accept(field.name(), value);
        }
    }

    StructLayout layout() {
        return layout;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StructFormat that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
