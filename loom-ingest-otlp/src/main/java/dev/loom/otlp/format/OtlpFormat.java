package dev.loom.otlp.format;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldTerms;
import dev.loom.format.FieldValue;
import dev.loom.format.IndexedText;
import dev.loom.format.PayloadFormat;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One of the formats: declared fields, fields with a name prefix such as {@code attr.http.route}, and paths within fields.
 */
final class OtlpFormat implements PayloadFormat {
    private static final String NANOSECONDS = "ns";
    private static final String ATTRIBUTE = "attr.";

    private final String name;
    private final @Nullable String eventTimeField;
    private final List<Field> fields = new ArrayList<>();
    private final Map<String, FieldReader> readers = new HashMap<>();
    private final Map<String, Function<String, FieldReader>> prefixes = new HashMap<>();
    private final Map<String, String> prefixFields = new HashMap<>();
    private final Map<String, MembersReader> members = new HashMap<>();
    /** Fields that may be arrays or maps. */
    private final Set<String> paths = new HashSet<>();

    private final Set<String> times = new HashSet<>();
    private final Map<String, FieldTerms> terms = new HashMap<>();
    private final Map<String, String> units = new HashMap<>();
    private List<String> columns = List.of();
    private @Nullable String textField;
    private IndexedText indexed = IndexedText.NONE;

    /** Starts without fields; must not be shared before it has all of them. */
    OtlpFormat(String name, @Nullable String eventTimeField) {
        this.name = name;
        this.eventTimeField = eventTimeField;
    }

    /** Adds a field, which a record may lack. */
    OtlpFormat field(String fieldName, Field.Type type, FieldReader reader) {
        fields.add(new Field(fieldName, type, true));
        readers.put(fieldName, reader);
        if (type == Field.Type.ANY || type == Field.Type.JSON) {
            paths.add(fieldName);
        }
        return this;
    }

    /** Adds a field whose values people may write differently. */
    OtlpFormat field(String fieldName, Field.Type type, FieldReader reader, FieldTerms written) {
        terms.put(fieldName, written);
        return field(fieldName, type, reader);
    }

    /** Adds a field whose values are times. */
    OtlpFormat time(String fieldName, FieldReader reader) {
        times.add(fieldName);
        return field(fieldName, Field.Type.U64, reader);
    }

    /** Adds a field whose values are nanoseconds. */
    OtlpFormat nanoseconds(String fieldName, Field.Type type, FieldReader reader) {
        units.put(fieldName, NANOSECONDS);
        return field(fieldName, type, reader);
    }

    /** Adds all fields with this name prefix; the function creates the reader for the rest of a name. */
    OtlpFormat prefix(String prefix, Function<String, FieldReader> reader) {
        prefixes.put(prefix, reader);
        return this;
    }

    /** As {@link #prefix(String, Function)}, for the members of a declared field. */
    OtlpFormat prefix(String prefix, String whole, Function<String, FieldReader> reader) {
        prefixFields.put(prefix, whole);
        return prefix(prefix, reader);
    }

    /** Adds the fields {@code attr.} for the KeyValues in a field of the message, and {@code attributes} for all of them. */
    OtlpFormat attributes(int tag) {
        members.put(ATTRIBUTE, new MembersReader(Part.MESSAGE, tag));
        return field("attributes", Field.Type.JSON, new PairsField(Part.MESSAGE, tag))
                .prefix(ATTRIBUTE, "attributes", key -> AnyField.ofKey(Part.MESSAGE, key, tag));
    }

    /** Sets what is indexed of the texts, as in {@link IndexedText#parse}. */
    OtlpFormat indexed(String text) {
        indexed = IndexedText.parse(text);
        return this;
    }

    OtlpFormat columns(String... names) {
        columns = List.of(names);
        return this;
    }

    /** Sets the field that text searches use. */
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

    /** An attribute of the resource may be a field by its own name. */
    @Override
    public String canonicalName(String fieldName) {
        String own = fieldName.startsWith(ContextFields.RESOURCE_PREFIX)
                ? fieldName.substring(ContextFields.RESOURCE_PREFIX.length())
                : fieldName;
        return own.equals(ContextFields.SERVICE_NAME) && readers.containsKey(own) ? own : fieldName;
    }

    @Override
    public @Nullable FieldReader field(String fieldName) {
        FieldReader declared = readers.get(fieldName);
        if (declared != null) {
            return declared;
        }
        String prefix = longest(prefixes.keySet(), fieldName, "");
        Function<String, FieldReader> ofKey = prefixes.get(prefix);
        if (ofKey != null) {
            return ofKey.apply(fieldName.substring(prefix.length()));
        }
        String structured = longest(paths, fieldName, ".");
        FieldReader whole = readers.get(structured);
        return whole == null ? null : new PathField(whole, fieldName.substring(structured.length() + 1));
    }

    @Override
    public void forEachField(
            DirectBuffer buffer, int offset, int length, FieldValue value, BiConsumer<String, FieldValue> handler) {
        for (int i = 0; i < fields.size(); i++) {
            String fieldName = fields.get(i).name();
            Objects.requireNonNull(readers.get(fieldName)).read(buffer, offset, length, value);
            handler.accept(fieldName, value);
        }
    }

    /** The longest of these names that a field's name continues after a separator; empty if there is none. */
    private static String longest(Set<String> names, String fieldName, String separator) {
        String longest = "";
        for (String name : names) {
            boolean begins =
                    fieldName.startsWith(name + separator) && fieldName.length() > name.length() + separator.length();
            longest = begins && name.length() > longest.length() ? name : longest;
        }
        return longest;
    }

    @Override
    public List<String> fieldPrefixes() {
        return List.copyOf(prefixes.keySet());
    }

    @Override
    public @Nullable String fieldOfPrefix(String prefix) {
        return prefixFields.get(prefix);
    }

    @Override
    public @Nullable FieldTerms terms(String fieldName) {
        return terms.get(fieldName);
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
    public boolean isTime(String fieldName) {
        return times.contains(fieldName);
    }

    @Override
    public @Nullable String referredFormat() {
        return name.equals(OtlpFormatProvider.CONTEXT) ? null : OtlpFormatProvider.CONTEXT;
    }

    @Override
    public @Nullable String textField() {
        return textField;
    }

    @Override
    public IndexedText indexedText() {
        return indexed;
    }

    @Override
    public boolean forEachMember(
            String prefix, DirectBuffer buffer, int offset, int length, FieldValue value, MemberHandler handler) {
        MembersReader reader = members.get(prefix);
        return reader != null && reader.read(buffer, offset, length, value, handler);
    }

    @Override
    public String toString() {
        return name;
    }
}
