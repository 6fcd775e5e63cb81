package dev.loom.format;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the text index takes from a source's records: the words of some fields, and the whole values of others. Its text form names
 * each field with what is taken of it, {@code body:words,trace_id:value,attr.*:value}; it is empty if nothing is indexed. Immutable,
 * usable from any thread.
 *
 * @param fields each name once
 */
public record IndexedText(List<Part> fields) {
    /** The attribute of a source that holds the text form, in place of its format's default. */
    public static final String ATTRIBUTE = "text.index";

    /** Nothing is indexed. */
    public static final IndexedText NONE = new IndexedText(List.of());

    /** In place of a name: every field. */
    public static final String ANY = "*";

    /** The longest text form, in bytes of UTF-8. */
    public static final int LENGTH_MAX = 4_000;

    private static final String WORDS = ":words";
    private static final String VALUE = ":value";

    /**
     * A field, or all fields with a prefix.
     *
     * @param name a field, {@link #ANY}, or a prefix of the format and {@code *}, such as {@code attr.*}
     * @param words whether its words are indexed, for {@code matches} and what can be told from words; else its whole values are, for
     *     {@code ==} and {@code in}
     */
    public record Part(String name, boolean words) {
        /** Whether it stands for all fields that begin with {@link #prefix()}. */
        public boolean isPrefix() {
            return name.length() > 1 && name.endsWith(ANY);
        }

        /** What its fields begin with. */
        public String prefix() {
            return name.substring(0, name.length() - 1);
        }

        /** Whether it has a field. */
        public boolean has(String field) {
            return isPrefix()
                    ? field.startsWith(prefix()) && field.length() > prefix().length()
                    : name.equals(ANY) || name.equals(field);
        }

        @Override
        public String toString() {
            return name + (words ? WORDS : VALUE);
        }
    }

    public IndexedText {
        fields = List.copyOf(fields);
        Set<Part> seen = new HashSet<>();
        for (Part field : fields) {
            if (field.name().indexOf(',') >= 0 || !seen.add(field)) {
                throw new IllegalArgumentException(
                        "bad field of a text index: field=" + field + ", expected=each once, without a comma");
            }
            if (!field.words() && field.name().equals(ANY)) {
                throw new IllegalArgumentException("text index can't take values of any field: field=" + field);
            }
        }
    }

    /** The words of one field. */
    public static IndexedText words(String field) {
        return new IndexedText(List.of(new Part(field, true)));
    }

    /**
     * Parses a text form.
     *
     * @throws IllegalArgumentException if it is none, or longer than {@link #LENGTH_MAX}
     */
    public static IndexedText parse(String text) {
        if (text.length() > LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "text index names too many fields: characters=" + text.length() + ", max=" + LENGTH_MAX);
        }
        List<Part> parts = new ArrayList<>();
        for (String part : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            boolean words = part.endsWith(WORDS);
            if (!words && !part.endsWith(VALUE)) {
                throw new IllegalArgumentException(
                        "bad field of a text index: field=" + part + ", expected=NAME:words or NAME:value");
            }
            parts.add(new Part(part.substring(0, part.length() - WORDS.length()), words));
        }
        return new IndexedText(parts);
    }

    /**
     * What is indexed of a source: what its attribute says, or else the default of its format.
     *
     * @throws IllegalArgumentException if the attribute is no text form, or names what the format does not have
     */
    public static IndexedText of(PayloadFormat format, Map<String, String> attributes) {
        @Nullable String asked = attributes.get(ATTRIBUTE);
        return asked == null ? format.indexedText() : parse(asked).checkFor(format);
    }

    private IndexedText checkFor(PayloadFormat format) {
        for (Part field : fields) {
            boolean known = field.isPrefix()
                    ? !field.words() && format.fieldPrefixes().contains(field.prefix())
                    : field.name().equals(ANY)
                            ? format.indexedText().fields().contains(field)
                            : format.field(field.name()) != null;
            if (!known) {
                throw new IllegalArgumentException("format has no such field for a text index: field=" + field
                        + ", format=" + format.text() + ", by default=" + format.indexedText());
            }
        }
        return this;
    }

    /** Whether the words of a field are indexed. */
    public boolean hasWords(String field) {
        return fields.stream().anyMatch(part -> part.words() && part.has(field));
    }

    /** Whether the values of a field are indexed. */
    public boolean hasValues(String field) {
        return fields.stream().anyMatch(part -> !part.words() && part.has(field));
    }

    public boolean isEmpty() {
        return fields.isEmpty();
    }

    /** The text form. */
    @Override
    public String toString() {
        return fields.stream().map(Part::toString).collect(Collectors.joining(","));
    }
}
