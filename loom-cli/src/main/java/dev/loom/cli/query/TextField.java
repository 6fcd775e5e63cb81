package dev.loom.cli.query;

import dev.loom.api.Source;
import dev.loom.cli.console.CommandFailure;
import dev.loom.format.PayloadFormat;
import dev.loom.format.UnknownFieldException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The field of a source that holds the text which people search for words: as the source was told, or as its format says. */
public final class TextField {
    private static final String ATTRIBUTE = "text.field";

    private TextField() {}

    /**
     * What a source has to remember so that this is its text.
     *
     * @throws CommandFailure when the format has no such field
     */
    public static Map<String, String> attributes(String field, PayloadFormat format) {
        if (format.field(field) == null) {
            throw CommandFailure.usage(String.valueOf(new UnknownFieldException(field, format).getMessage()));
        }
        return Map.of(ATTRIBUTE, field);
    }

    /** The field asked for, or that of the source. */
    static String of(Source source, @Nullable String asked) {
        String field = asked == null ? source.attributes().get(ATTRIBUTE) : asked;
        field = field == null ? source.format().textField() : field;
        if (field == null) {
            throw CommandFailure.usage("source has no text of its own: " + source.name() + ", format="
                    + source.format().text() + "; name the field that holds it");
        }
        return field;
    }
}
