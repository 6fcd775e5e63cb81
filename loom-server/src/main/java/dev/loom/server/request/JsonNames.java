package dev.loom.server.request;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The names of an object's members, at most 200; names within nested objects, down to the fourth level, are joined by dots.
 * Ends at the first JSON error.
 */
final class JsonNames {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final int DEPTH_MAX = 4;
    private static final int NAMES_MAX = 200;

    /** Names of members that are not objects, or are objects at the fourth level; empty if the text is not a JSON object. */
    List<String> of(byte[] json) {
        List<String> names = new ArrayList<>();
        try (JsonParser parser = FACTORY.createParser(json)) {
            if (parser.nextToken() == JsonToken.START_OBJECT) {
                members(parser, "", 1, names);
            }
        } catch (IOException e) {
            // names before the error count
        }
        return names;
    }

    private static void members(JsonParser parser, String before, int depth, List<String> names) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME && names.size() < NAMES_MAX) {
            String name = before + parser.currentName();
            if (parser.nextToken() == JsonToken.START_OBJECT && depth < DEPTH_MAX) {
                members(parser, name + '.', depth + 1, names);
            } else {
                names.add(name);
                parser.skipChildren();
            }
        }
    }
}
