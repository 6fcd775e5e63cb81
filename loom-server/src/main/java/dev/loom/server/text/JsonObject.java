package dev.loom.server.text;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Parses small JSON objects, such as requests. */
public final class JsonObject {
    private static final int DEPTH_MAX = 4;

    /** Three times what the receiver of records takes, as JSON has more levels. */
    private static final int LONG_DEPTH_MAX = 1_000;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEPTH_MAX).build())
            .build();

    /** For records and what is made of them: values may be as long, and as deep. */
    private static final JsonFactory LONG = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(LONG_DEPTH_MAX)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private JsonObject() {}

    /**
     * Parses the members of one object, in order. Values are {@link String} for texts and, as written, for numbers; {@link
     * Boolean}, null, {@link List} and {@link Map}.
     *
     * @throws IllegalArgumentException for anything else, for duplicate names, and for nesting deeper than 4
     */
    public static Map<String, @Nullable Object> parse(byte[] json) {
        return parse(FACTORY, json);
    }

    /**
     * As {@link #parse(byte[])}, but up to 1,000 levels deep and with values of any length; of equal names the last counts. For records, and what
     * this program wrote.
     */
    public static Map<String, @Nullable Object> parseLong(byte[] json) {
        return parse(LONG, json);
    }

    private static Map<String, @Nullable Object> parse(JsonFactory factory, byte[] json) {
        try (JsonParser parser = factory.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("not a JSON object");
            }
            Map<String, @Nullable Object> members = members(parser);
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("text after the JSON object");
            }
            return members;
        } catch (JacksonException e) {
            throw new IllegalArgumentException("not JSON: " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new IllegalArgumentException("not JSON: " + e.getMessage(), e); // its bytes are no characters
        }
    }

    private static Map<String, @Nullable Object> members(JsonParser parser) throws IOException {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            members.put(name, value(parser));
        }
        return members;
    }

    /** The value that a parser stands on, as those of {@link #parse}. */
    public static @Nullable Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> members(parser);
            case START_ARRAY -> elements(parser);
            case VALUE_NULL -> null;
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> parser.getText();
        };
    }

    private static List<@Nullable Object> elements(JsonParser parser) throws IOException {
        List<@Nullable Object> elements = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            elements.add(value(parser));
        }
        return elements;
    }
}
