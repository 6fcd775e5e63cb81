package dev.loom.cli.input;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import dev.loom.server.text.Utf8Decoder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Objects;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Checks that bytes are one JSON object (RFC 8259, in UTF-8), with the payload format that will read them. What this rejects goes
 * to a parser that can explain the error. For one thread.
 */
public final class JsonLine {
    private static final JsonFactory EXPLAINING = JsonFactory.builder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .build())
            .build();

    /** The depth limit of the {@code json} payload format. */
    private static final int DEPTH_MAX = 64;

    private final FieldReader whole = Objects.requireNonNull(Formats.json().field(""));
    private final FieldValue value = new FieldValue();
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);

    /** Whether the bytes are one JSON value of any kind but null. */
    public boolean isValue(byte[] bytes, int offset, int length) {
        if (!Utf8Decoder.valid(bytes, offset, offset + length)) {
            return false;
        }
        view.wrap(bytes, offset, length);
        whole.read(view, 0, length, value);
        return value.kind() != FieldValue.Kind.ABSENT;
    }

    /** What is wrong with the bytes, or null. */
    public @Nullable String problem(byte[] bytes, int offset, int length) {
        int end = offset + length;
        int first = offset;
        while (first < end && bytes[first] >= 0 && bytes[first] <= ' ') {
            first++;
        }
        if (first == end || bytes[first] != '{') {
            return "not a JSON object";
        } else if (!Utf8Decoder.valid(bytes, first, end)) {
            return "not UTF-8";
        }
        view.wrap(bytes, offset, length);
        whole.read(view, 0, length, value);
        return value.kind() == FieldValue.Kind.JSON ? null : explained(Arrays.copyOfRange(bytes, first, end));
    }

    /**
     * Explains the error. Takes an array that holds nothing else: with name canonicalization off, Jackson reads past the end of a
     * long array range.
     */
    private static String explained(byte[] json) {
        if (json.length > 1 && json[1] == 0) {
            // The parser would take a zero here for half of a UTF-16 character.
            return "not JSON: zero byte";
        }
        try (JsonParser parser = EXPLAINING.createParser(json)) {
            int depth = 0;
            boolean closed = false;
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (closed) {
                    return "text after the JSON object";
                }
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                if (depth > DEPTH_MAX) {
                    return "arrays and objects nested too deeply: max=" + DEPTH_MAX;
                }
                closed = depth == 0;
            }
            return "not JSON";
        } catch (JacksonException e) {
            return "not JSON: " + e.getOriginalMessage();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
