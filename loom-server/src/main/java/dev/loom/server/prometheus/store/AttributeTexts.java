package dev.loom.server.prometheus.store;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.loom.server.prometheus.promql.PromNumber;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Map;
import java.util.TreeMap;

/**
 * The members of a JSON object as texts by name: texts and integers as they are, other numbers as labels have them, objects and arrays
 * as JSON.
 */
final class AttributeTexts {
    private static final JsonFactory FACTORY = new JsonFactory();

    private AttributeTexts() {}

    /** The members of an object; none of anything else. A null is no member. */
    static Map<String, String> of(String json) {
        return of(json, false);
    }

    /** As {@link #of(String)}, but with texts in quotes and numbers as they are, so that they are equal only if the members are. */
    static Map<String, String> quoted(String json) {
        return of(json, true);
    }

    private static Map<String, String> of(String json, boolean quoted) {
        Map<String, String> texts = new TreeMap<>();
        if (json.isEmpty()) {
            return texts;
        }
        try (JsonParser parser = FACTORY.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return texts;
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                JsonToken token = parser.nextToken();
                if (quoted && token == JsonToken.VALUE_STRING) {
                    texts.putIfAbsent(name, '"' + parser.getText() + '"');
                } else if (!quoted && token == JsonToken.VALUE_NUMBER_FLOAT) {
                    texts.putIfAbsent(name, PromNumber.label(parser.getDoubleValue()));
                } else if (token != JsonToken.VALUE_NULL) {
                    texts.putIfAbsent(name, token.isStructStart() ? copied(parser) : parser.getText());
                }
            }
        } catch (IOException e) {
            // what could be read of malformed attributes is what there is
            return texts;
        }
        return texts;
    }

    private static String copied(JsonParser parser) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(text)) {
            generator.copyCurrentStructure(parser);
        }
        return text.toString();
    }
}
