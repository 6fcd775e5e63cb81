package dev.loom.cli.text;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** The check that bytes are one JSON object (RFC 8259, in UTF-8). Names are not interned: telemetry has no end of them. */
public final class JsonLine {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    /** The {@code json} payload format reads no deeper. */
    private static final int DEPTH_MAX = 64;

    private JsonLine() {}

    /** What is wrong with the bytes, or null. */
    public static @Nullable String problem(byte[] bytes, int offset, int length) {
        int end = offset + length;
        int first = offset;
        while (first < end && bytes[first] >= 0 && bytes[first] <= ' ') {
            first++;
        }
        if (first == end || bytes[first] != '{') {
            return "not a JSON object";
        } else if (!Utf8.valid(bytes, first, end)) {
            return "not UTF-8";
        } else if (first + 1 < end && bytes[first + 1] == 0) {
            // The parser would take a zero here for the other half of a UTF-16 character.
            return "not JSON: zero byte";
        }
        return problemOfText(bytes, first, end - first);
    }

    private static @Nullable String problemOfText(byte[] bytes, int offset, int length) {
        try (JsonParser parser = FACTORY.createParser(bytes, offset, length)) {
            int depth = 0;
            boolean closed = false;
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (closed) {
                    return "text after the JSON object";
                }
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                if (depth > DEPTH_MAX) {
                    return "arrays and objects nested too deep: max=" + DEPTH_MAX;
                }
                closed = depth == 0;
            }
            return null;
        } catch (JacksonException e) {
            return "not JSON: " + e.getOriginalMessage();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
