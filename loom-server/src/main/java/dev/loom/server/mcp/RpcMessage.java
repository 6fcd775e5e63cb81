package dev.loom.server.mcp;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.loom.server.json.JsonText;
import dev.loom.server.text.JsonObject;
import dev.loom.server.text.TextBuffer;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message of JSON-RPC from a client.
 *
 * @param id as JSON; null for a notification, or an answer
 * @param method null for an answer
 */
record RpcMessage(@Nullable String id, @Nullable String method, Map<String, @Nullable Object> params) {
    private static final int DEPTH_MAX = 32;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEPTH_MAX).build())
            .build();

    /** Reads a message, and throws an {@link RpcException} if the text is no single one. */
    static RpcMessage parse(byte[] json) {
        try (JsonParser parser = FACTORY.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw invalid("not a single message; batches are not supported");
            }
            Map<String, @Nullable Object> members = new LinkedHashMap<>();
            String id = null;
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                JsonToken token = parser.nextToken();
                if (name.equals("id")) {
                    id = id(token, parser.getText());
                } else {
                    members.put(name, JsonObject.value(parser));
                }
            }
            if (parser.nextToken() != null) {
                throw invalid("text after the message");
            }
            return of(id, members);
        } catch (JacksonException e) {
            throw new RpcException(RpcException.PARSE_ERROR, 400, "not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new RpcException(
                    RpcException.PARSE_ERROR, 400, "not JSON: " + e.getMessage()); // bytes are no characters
        }
    }

    private static RpcMessage of(@Nullable String id, Map<String, @Nullable Object> members) {
        if (!"2.0".equals(members.get("jsonrpc"))) {
            throw invalid("jsonrpc is not \"2.0\"");
        }
        Object method = members.get("method");
        boolean answer = method == null && (members.containsKey("result") || members.containsKey("error"));
        if (!answer && !(method instanceof String)) {
            throw invalid("method is no string");
        }
        return new RpcMessage(answer ? null : id, (String) method, object(members, "params"));
    }

    private static RpcException invalid(String message) {
        return new RpcException(RpcException.INVALID_REQUEST, 400, message);
    }

    private static String id(JsonToken token, String text) {
        if (token.isNumeric()) {
            return text;
        } else if (token != JsonToken.VALUE_STRING) {
            throw invalid("id is neither a string nor a number");
        }
        TextBuffer quoted = new TextBuffer(64);
        JsonText.putString(quoted, text);
        return quoted.toString();
    }

    /** A member that is an object; empty if it is missing. */
    @SuppressWarnings("unchecked") // JSON objects have names
    static Map<String, @Nullable Object> object(Map<String, @Nullable Object> of, String name) {
        Object value = of.get(name);
        if (value == null) {
            return Map.of();
        } else if (value instanceof Map<?, ?> object) {
            return (Map<String, @Nullable Object>) object;
        }
        throw new RpcException(RpcException.INVALID_PARAMS, 400, name + " is no object");
    }

    /** A parameter that is a text. */
    String text(String name) {
        if (params.get(name) instanceof String text) {
            return text;
        }
        throw new RpcException(RpcException.INVALID_PARAMS, 400, name + " is missing, or no string");
    }
}
