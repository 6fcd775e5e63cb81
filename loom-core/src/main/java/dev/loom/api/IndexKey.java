package dev.loom.api;

import dev.loom.format.FieldReader;
import dev.loom.format.PayloadFormat;
import dev.loom.format.UnknownFieldException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The fields whose values separate what an index holds of a chunk, for questions about groups. Immutable; equal if the fields are.
 */
public final class IndexKey {
    /** The most fields of a key. */
    public static final int FIELDS_MAX = 8;

    /** Between the kind of an index and its key. */
    static final String BY = " by ";

    private static final String ESCAPED = "%25";
    private static final String ESCAPED_COMMA = "%2C";

    private final List<String> fields;
    private final PayloadFormat format;
    private final List<FieldReader> readers;

    private IndexKey(PayloadFormat format, List<String> fields, List<FieldReader> readers) {
        this.format = format;
        this.fields = List.copyOf(fields);
        this.readers = List.copyOf(readers);
    }

    /**
     * A key of a format's fields.
     *
     * @param fields 1 to {@link #FIELDS_MAX}, each once
     * @throws UnknownFieldException if the format lacks a field
     * @throws IllegalArgumentException if there are none, too many, or one twice
     */
    public static IndexKey of(PayloadFormat format, List<String> fields) {
        if (fields.isEmpty() || fields.size() > FIELDS_MAX) {
            throw new IllegalArgumentException(
                    "bad number of key fields: fields=" + fields + ", min=1, max=" + FIELDS_MAX);
        }
        List<FieldReader> readers = new ArrayList<>();
        for (String field : fields) {
            FieldReader reader = format.field(field);
            if (reader == null) {
                throw new UnknownFieldException(field, format);
            }
            if (fields.indexOf(field) != readers.size()) {
                throw new IllegalArgumentException("key has a field twice: field=" + field + ", fields=" + fields);
            }
            readers.add(reader);
        }
        return new IndexKey(format, fields, readers);
    }

    /** As {@link #of}, from the {@link #text()}. */
    public static IndexKey parse(PayloadFormat format, String text) {
        List<String> fields = new ArrayList<>();
        for (String field : text.split(",", -1)) {
            fields.add(field.replace(ESCAPED_COMMA, ",").replace(ESCAPED, "%"));
        }
        return of(format, fields);
    }

    /** The key in the {@link Index#kindText()} of an index; null if it has none. */
    public static @Nullable IndexKey ofKind(PayloadFormat format, String kindText) {
        int by = kindText.indexOf(BY);
        return by < 0 ? null : parse(format, kindText.substring(by + BY.length()));
    }

    /** The names of the fields, in the order in which they were given. */
    public List<String> fields() {
        return fields;
    }

    /** The format that has the fields. */
    public PayloadFormat format() {
        return format;
    }

    /** What reads them. */
    public List<FieldReader> readers() {
        return readers;
    }

    /** The fields, separated by commas; commas and percent signs in their names are escaped. */
    public String text() {
        return fields.stream()
                .map(field -> field.replace("%", ESCAPED).replace(",", ESCAPED_COMMA))
                .collect(Collectors.joining(","));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof IndexKey that && fields.equals(that.fields);
    }

    @Override
    public int hashCode() {
        return fields.hashCode();
    }

    @Override
    public String toString() {
        return text();
    }
}
