package dev.loom.format;

import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The format of a source's payloads. The schema keeps its {@link #text()}, from which {@link Formats#parse} makes an
 * equal format: two formats are equal exactly if their texts are. Immutable, usable from any thread.
 */
public interface PayloadFormat {
    /** The name before the colon of {@link #text()}, such as {@code struct} or {@code json}. */
    String name();

    /** The text form: {@code bytes}, {@code text}, {@code json}, or {@code struct:ts_ns:i64,op:utf8?}. */
    String text();

    /**
     * Why a source's payloads are read as {@code bytes} though its format is another, such as for lack of the {@link
     * PayloadFormatProvider}; null if they are read as what they are.
     */
    default @Nullable String failure() {
        return null;
    }

    /** The declared fields in order; empty if records name their own fields (json). */
    List<Field> fields();

    /** A reader of a field, or null if no payload of this format can have the field. */
    @Nullable
    FieldReader field(String name);

    /** The first name of a field that has several, by all of which it reads the same; else the name itself. */
    default String canonicalName(String name) {
        return name;
    }

    /** The {@link #canonicalName} of each. */
    default List<String> canonicalNames(List<String> names) {
        return names.stream().map(this::canonicalName).toList();
    }

    /**
     * The place of a field, if it has the same offset in every payload; else null. The value there is the one that
     * {@link #field} reads.
     */
    default @Nullable FixedField fixedField(String name) {
        return null;
    }

    /**
     * The declared type of a field; null if the field is not declared, or declared as {@link Field.Type#ANY}, so that
     * each record has its own type.
     */
    default Field.@Nullable Type declaredType(String name) {
        for (Field field : fields()) {
            if (field.name().equals(name)) {
                return field.type() == Field.Type.ANY ? null : field.type();
            }
        }
        return null;
    }

    /** The unit of a field's numbers as a UCUM code, such as {@code ns}; null if only the field's name gives it. */
    default @Nullable String unit(String name) {
        return null;
    }

    /** The prefixes, such as {@code attr.}, of fields that records name themselves. */
    default List<String> fieldPrefixes() {
        return List.of();
    }

    /** The declared JSON field whose members are the fields with a prefix; null if there is none. */
    default @Nullable String fieldOfPrefix(String prefix) {
        return null;
    }

    /** What people may write for a field's values; null if texts and numbers stand only for themselves. */
    default @Nullable FieldTerms terms(String name) {
        return null;
    }

    /** The declared fields to show in a table, in order; the others are for programs. */
    default List<String> columns() {
        return fields().stream().map(Field::name).toList();
    }

    /**
     * The field that holds the time of a record's event, in epoch nanoseconds; null if the format does not define one.
     */
    default @Nullable String eventTimeField() {
        return null;
    }

    /** Whether a declared field holds times in epoch nanoseconds; by default only the {@link #eventTimeField()} does. */
    default boolean isTime(String name) {
        return name.equals(eventTimeField());
    }

    /**
     * The field that a word search uses by default: the only one declared as text; null if there is none, or several.
     */
    default @Nullable String textField() {
        List<Field> texts = fields().stream()
                .filter(field -> field.type() == Field.Type.UTF8)
                .toList();
        return texts.size() == 1 ? texts.get(0).name() : null;
    }

    /** What the text index takes from payloads, unless a source says otherwise: the words of the {@link #textField()}. */
    default IndexedText indexedText() {
        String text = textField();
        return text == null ? IndexedText.NONE : IndexedText.words(text);
    }

    /**
     * Passes each field of a payload that begins with one of the {@link #fieldPrefixes()} to a handler, if it has a single value.
     * The value is the one that {@link #field} reads; a field may come more than once, if one of the values is that one. Never reads
     * outside the payload; throws only what the handler throws.
     *
     * @param value holds each value in turn; valid only during the handler's call
     * @return false if the payload may have further fields with the prefix, or further values, that can't be passed: parts of
     *     arrays and objects, and whatever a malformed payload has
     */
    default boolean forEachMember(
            String prefix, DirectBuffer buffer, int offset, int length, FieldValue value, MemberHandler handler) {
        return false;
    }

    /** Receives fields with a prefix. */
    @FunctionalInterface
    interface MemberHandler {
        /** A value, and the rest of its field's name as UTF-8 at {@code [offset, offset + length)}. */
        void onMember(DirectBuffer name, int offset, int length, FieldValue value);
    }

    /**
     * The text of the format of the records that payloads refer to; null if they refer to none. A reference is 8 bytes,
     * little-endian: the address of the record, a multiple of 8, and in the lowest three bits whatever the format keeps
     * there. Who copies records to another store puts the new address there.
     */
    default @Nullable String referredFormat() {
        return null;
    }

    /** The offset of the reference in each payload, if there is a {@link #referredFormat()}. */
    default int referenceOffset() {
        return 0;
    }

    /**
     * Passes each declared field of one payload to a handler, in order; a field without a value is {@link
     * FieldValue.Kind#ABSENT}. A format without declared fields passes the whole payload once, under the empty name.
     * Like {@link FieldReader#read}, never reads outside the payload; throws only what the handler throws.
     *
     * @param value holds each field in turn; valid only during the handler's call
     */
    default void forEachField(
            DirectBuffer buffer, int offset, int length, FieldValue value, BiConsumer<String, FieldValue> handler) {
        for (Field field : fields()) {
            FieldReader reader = Objects.requireNonNull(field(field.name()), field.name());
            reader.read(buffer, offset, length, value);
            handler.accept(field.name(), value);
        }
    }

    /**
     * The place of a field that has the same offset in every payload, for code that reads it too often for a {@link
     * FieldReader}. A payload that ends before the field has no value for it.
     *
     * @param type a type of fixed length
     * @param offset the value's offset in the payload
     * @param presenceOffset the payload offset of the byte that says whether there is a value; before the value
     * @param presenceMask the bit of that byte that is 1 if there is a value; 0 when there always is one
     */
    record FixedField(Field.Type type, int offset, int presenceOffset, int presenceMask) {}
}
