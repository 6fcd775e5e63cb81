package dev.loom.cli.query;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Parses lines of JSON for oracles: numbers are {@link BigDecimal} without trailing zeros, arrays their text in a {@link Text}. */
final class RowParser {
    private static final JsonFactory FACTORY = new JsonFactory();

    private RowParser() {}

    /** The text of an array. */
    record Text(String json) {}

    /** The members of an object; nested objects are maps. */
    static Map<String, @Nullable Object> parse(String line) {
        try (JsonParser parser = FACTORY.createParser(line)) {
            parser.nextToken();
            return object(parser);
        } catch (IOException e) {
            throw new UncheckedIOException(line, e);
        }
    }

    private static Map<String, @Nullable Object> object(JsonParser parser) throws IOException {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            members.put(name, value(parser));
        }
        return members;
    }

    private static @Nullable Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_NULL -> null;
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_STRING -> parser.getText();
            default -> plain(new BigDecimal(parser.getText()));
        };
    }

    /** Equal numbers become equal objects. */
    static BigDecimal plain(BigDecimal number) {
        return number.signum() == 0 ? BigDecimal.ZERO : number.stripTrailingZeros();
    }

    /** Arrays of numbers alone. */
    private static Text array(JsonParser parser) throws IOException {
        StringBuilder text = new StringBuilder("[");
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            text.append(text.length() == 1 ? "" : ",").append(parser.getText());
        }
        return new Text(text.append(']').toString());
    }
}
