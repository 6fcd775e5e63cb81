package dev.loom.server.request;

import dev.loom.api.Source;
import dev.loom.format.IndexedText;
import dev.loom.format.PayloadFormat;
import dev.loom.format.UnknownFieldException;
import dev.loom.query.TextSearch;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The field of a source whose text is searched: the one the source was defined with, or its format's default. */
public final class TextField {
    private TextField() {}

    /**
     * The attributes that make a field the source's text, and have its words in the text index.
     *
     * @throws RefusedException if the format has no such field
     */
    public static Map<String, String> attributes(String field, PayloadFormat format) {
        if (format.field(field) == null) {
            throw RefusedException.invalid(String.valueOf(new UnknownFieldException(field, format).getMessage()));
        }
        IndexedText byDefault = format.indexedText();
        if (byDefault.hasWords(field)) {
            return Map.of(TextSearch.FIELD_ATTRIBUTE, field);
        }
        String indexed = (byDefault.isEmpty() ? "" : byDefault + ",") + field + ":words";
        return Map.of(TextSearch.FIELD_ATTRIBUTE, field, IndexedText.ATTRIBUTE, indexed);
    }

    /** The field asked for, or else the source's. */
    static String of(Source source, @Nullable String asked) {
        String field = asked == null ? TextSearch.field(source) : asked;
        if (field == null) {
            throw RefusedException.invalid("source has no text field: " + source.name() + ", format="
                    + source.format().text() + "; name the field to search");
        }
        return field;
    }
}
