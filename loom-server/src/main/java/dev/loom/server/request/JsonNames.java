package dev.loom.server.request;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The names of an object's members with the kinds of their values, at most 200; names within nested objects, down to the fourth level, are joined by dots.
 * Ends at the first JSON error.
 */
final class JsonNames {
    private static final JsonFactory FACTORY = new JsonFactory();
    /** The kind of a value that is none. */
    static final String NULL = "null";

    private static final int DEPTH_MAX = 4;
    private static final int NAMES_MAX = 200;

    /** Members that are not objects, or are objects at the fourth level, by name; none if the text is not a JSON object. */
    Map<String, String> of(byte[] json) {
        Map<String, String> names = new LinkedHashMap<>();
        try (JsonParser parser = FACTORY.createParser(json)) {
            if (parser.nextToken() == JsonToken.START_OBJECT) {
                members(parser, "", 1, names);
            }
        } catch (IOException e) {
            // names before the error count
        }
        return names;
    }

    private static void members(JsonParser parser, String before, int depth, Map<String, String> names)
            throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME && names.size() < NAMES_MAX) {
            String name = before + parser.currentName();
            if (parser.nextToken() == JsonToken.START_OBJECT && depth < DEPTH_MAX) {
                members(parser, name + '.', depth + 1, names);
            } else {
                names.put(name, kind(parser.currentToken()));
                parser.skipChildren();
            }
        }
    }

    private static String kind(JsonToken token) {
        return switch (token) {
            case START_OBJECT -> "object";
            case START_ARRAY -> "array";
            case VALUE_NUMBER_INT -> "integer";
            case VALUE_NUMBER_FLOAT -> "number";
            case VALUE_TRUE, VALUE_FALSE -> "boolean";
            case VALUE_NULL -> NULL;
            default -> "string";
        };
    }
}
