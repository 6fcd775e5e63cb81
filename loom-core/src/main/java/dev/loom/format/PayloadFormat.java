package dev.loom.format;

import java.util.List;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * How the payloads of a source read. {@link #text()} is the form kept in the schema, from which {@link Formats#parse}
 * makes an equal format again: two formats are equal exactly when their texts are. Immutable, and usable from any
 * thread.
 */
public interface PayloadFormat {
    /** The name before the colon of {@link #text()}: {@code struct}, {@code text}, {@code json}, {@code bytes}, {@code timed}, ... */
    String name();

    /** The text form: {@code bytes}, {@code text}, {@code json}, or {@code struct:ts_ns:i64,op:utf8?}. */
    String text();

    /** The declared fields in order; empty where records name their own fields (json). */
    List<Field> fields();

    /** A reader of the named field, or null if no payload of this format can have it. */
    @Nullable
    FieldReader field(String name);

    /**
     * Where the named field is, if it is at the same offset in every payload; null if it is not, or there is none. It says
     * what {@link #field} reads.
     */
    default @Nullable FixedField fixedField(String name) {
        return null;
    }

    /**
     * The type that a field is declared with; null if it is not declared, or as {@link FieldType#ANY}, so that each record
     * brings its own.
     */
    default @Nullable FieldType declaredType(String name) {
        for (Field field : fields()) {
            if (field.name().equals(name)) {
                return field.type() == FieldType.ANY ? null : field.type();
            }
        }
        return null;
    }

    /**
     * The unit of a field's numbers as UCUM writes it, such as {@code ns}; null if nothing but the field's name tells.
     */
    default @Nullable String unit(String name) {
        return null;
    }

    /** What the names of further fields begin with, such as {@code attr.}, of which records bring their own. */
    default List<String> fieldPrefixes() {
        return List.of();
    }

    /** The declared field whose members, as JSON, the fields with a prefix are; null if there is none. */
    default @Nullable String fieldOfPrefix(String prefix) {
        return null;
    }

    /** What people may write for the values of a field; null if a text or a number is that and nothing else. */
    default @Nullable FieldTerms terms(String name) {
        return null;
    }

    /** The declared fields that people want to see in a table, in order; the others are for programs. */
    default List<String> columns() {
        return fields().stream().map(Field::name).toList();
    }

    /**
     * The field that holds when what a record tells of happened, in epoch nanoseconds; null if the format has none that is
     * always meant so.
     */
    default @Nullable String eventTimeField() {
        return null;
    }

    /**
     * The field that holds the text that people search for words, if none is named: the only one declared as a text; null if
     * there is none, or there are several.
     */
    default @Nullable String textField() {
        List<Field> texts = fields().stream()
                .filter(field -> field.type() == FieldType.UTF8)
                .toList();
        return texts.size() == 1 ? texts.get(0).name() : null;
    }

    /**
     * Gives each declared field of one payload to a handler, in order; one without a value as {@link
     * FieldValue.Kind#ABSENT}. A format without declared fields gives the whole payload once, under the empty name. Like
     * {@link FieldReader#read} it never looks outside the payload and never throws by itself.
     *
     * @param value holds each field in turn; valid during the handler's call alone
     */
    default void forEachField(DirectBuffer buffer, int offset, int length, FieldValue value, FieldHandler handler) {
        for (Field field : fields()) {
            FieldReader reader = Objects.requireNonNull(field(field.name()), field.name());
            reader.read(buffer, offset, length, value);
            handler.onField(field.name(), value);
        }
    }
}
