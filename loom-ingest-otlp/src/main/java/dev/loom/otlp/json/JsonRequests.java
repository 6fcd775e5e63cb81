package dev.loom.otlp.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.JsonTranscoder;
import dev.loom.otlp.MessageBuffer;
import dev.loom.otlp.Signal;
import dev.loom.otlp.schema.OtlpMessages;
import dev.loom.otlp.wire.Utf8Check;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.agrona.DirectBuffer;
import org.agrona.io.DirectBufferInputStream;

/**
 * Converts OTLP/JSON requests to protobuf by the rules of protobuf's JSON form and those of OTLP: ids are hexadecimal, enums
 * are integers, names are in lowerCamelCase, and unknown names are ignored. Thread-safe.
 */
public final class JsonRequests implements JsonTranscoder {
    /** An object and an array for each level of nesting that protobuf allows, and as much again for unknown fields. */
    private static final int DEPTH_MAX = 400;

    private static final int NAME_LENGTH_MAX = 1_000;
    private static final int NUMBER_LENGTH_MAX = 1_000;

    /** The parser first collects a whole string on the heap, in 4 bytes per character. */
    static final int STRING_LENGTH_MAX = 4 << 20;

    private static final int PLACE_LENGTH_MAX = 200;

    private static final String UNKNOWN = "; names are as in resourceLogs, resourceSpans and resourceMetrics";

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES) // names come from clients
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEPTH_MAX)
                    .maxNameLength(NAME_LENGTH_MAX)
                    .maxNumberLength(NUMBER_LENGTH_MAX)
                    .maxStringLength(STRING_LENGTH_MAX)
                    .build())
            .build();

    /** Stateless. */
    public JsonRequests() {}

    @Override
    public boolean transcode(
            Signal signal, DirectBuffer json, int offset, int length, MessageBuffer message, ExportOutcome outcome) {
        if (!Utf8Check.isValid(json, offset, length)) {
            outcome.malformed("request is not UTF-8"); // Jackson accepts overlong forms and surrogates
            return true;
        }
        ProtobufOutput out = new ProtobufOutput(message);
        try (JsonParser parser =
                FACTORY.createParser((InputStream) new DirectBufferInputStream(json, offset, length))) {
            try {
                if (parser.nextToken() != JsonToken.START_OBJECT) {
                    throw new BadValueException("is not an object");
                }
                JsonObjects objects = new JsonObjects(parser, out);
                objects.object(OtlpMessages.request(signal));
                if (parser.nextToken() != null) {
                    throw new BadValueException("is followed by more text");
                }
                if (!objects.ignored().isEmpty()) {
                    outcome.accepted(0, 0, "request has nothing that is known: ignored=" + objects.ignored() + UNKNOWN);
                }
                return true;
            } catch (BadValueException e) {
                outcome.malformed(place(parser) + " " + e.getMessage());
                return true;
            }
        } catch (JsonProcessingException e) {
            outcome.malformed("request is not JSON: " + firstLine(e.getOriginalMessage()) + ": offset="
                    + (e.getLocation() == null ? 0 : e.getLocation().getByteOffset()));
            return true;
        } catch (NoRoomException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException("a buffer can't be read", e);
        }
    }

    private static String place(JsonParser parser) {
        String pointer = parser.getParsingContext().pathAsPointer().toString();
        if (pointer.isEmpty()) {
            return "request";
        }
        return pointer.length() <= PLACE_LENGTH_MAX ? pointer : pointer.substring(0, PLACE_LENGTH_MAX) + "...";
    }

    private static String firstLine(String message) {
        int end = message.indexOf('\n');
        String line = end < 0 ? message : message.substring(0, end);
        return line.length() <= PLACE_LENGTH_MAX ? line : line.substring(0, PLACE_LENGTH_MAX) + "...";
    }
}
