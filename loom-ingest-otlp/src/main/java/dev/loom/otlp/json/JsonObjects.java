package dev.loom.otlp.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.loom.otlp.schema.MessageField;
import dev.loom.otlp.schema.MessageType;
import dev.loom.otlp.schema.ProtoType;
import dev.loom.otlp.wire.WireReader;
import java.io.IOException;

/**
 * Writes the protobuf form of JSON objects to an output. Unknown fields are ignored, null is no value, and of a field that
 * occurs twice both values are written, as if two messages were concatenated. For one request.
 */
final class JsonObjects {
    private static final int UINT32_BITS = 32;

    private final JsonParser parser;
    private final ProtobufOutput out;
    private int depth;
    private boolean known;
    /** The first name in the outermost object that is unknown. */
    private String ignored = "";

    JsonObjects(JsonParser parser, ProtobufOutput out) {
        this.parser = parser;
        this.out = out;
    }

    /** Writes the fields of the object at whose start the parser stands. */
    void object(MessageType type) throws IOException, BadValueException, NoRoomException {
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            MessageField field = type.field(parser.currentName());
            JsonToken value = parser.nextToken();
            known |= field != null;
            if (field == null) {
                ignored = depth == 0 && ignored.isEmpty() ? parser.currentName() : ignored;
                parser.skipChildren();
            } else if (value != JsonToken.VALUE_NULL) {
                field(field);
            }
        }
    }

    /** The first name of an object that has unknown ones alone; empty if there is none. */
    String ignored() {
        return known ? "" : ignored;
    }

    private void field(MessageField field) throws IOException, BadValueException, NoRoomException {
        if (!field.repeated()) {
            one(field, field.tag());
            return;
        }
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            throw new BadValueException("is not an array");
        }
        if (field.packed()) {
            out.tag(field.tag());
            int start = out.beginLength();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                number(field.type());
            }
            out.endLength(start);
        } else {
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                one(field, field.tag());
            }
        }
    }

    private void one(MessageField field, int tag) throws IOException, BadValueException, NoRoomException {
        MessageType message = field.message();
        if (message != null) {
            message(message, tag);
            return;
        }
        out.tag(tag);
        switch (field.type()) {
            case STRING -> {
                requireText();
                out.string(parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength());
            }
            case BYTES -> out.bytes(JsonBytes.base64(text()));
            case ID -> out.bytes(JsonBytes.id(text()));
            default -> number(field.type());
        }
    }

    private void message(MessageType message, int tag) throws IOException, BadValueException, NoRoomException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw new BadValueException("is not an object");
        }
        if (depth == WireReader.DEPTH_MAX) {
            throw new BadValueException("is nested more than " + WireReader.DEPTH_MAX + " deep");
        }
        depth++;
        out.tag(tag);
        int start = out.beginLength();
        object(message);
        out.endLength(start);
        depth--;
    }

    private String text() throws IOException, BadValueException {
        requireText();
        return parser.getText();
    }

    private void requireText() throws BadValueException {
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            throw new BadValueException("is not a string");
        }
    }

    private void number(ProtoType type) throws IOException, BadValueException, NoRoomException {
        switch (type) {
            case DOUBLE -> out.fixed64(Double.doubleToRawLongBits(JsonNumbers.doubleValue(parser)));
            case FIXED64 -> out.fixed64(JsonNumbers.unsigned(parser, Long.SIZE));
            case SFIXED64 -> out.fixed64(JsonNumbers.signed(parser, Long.MIN_VALUE, Long.MAX_VALUE));
            case FIXED32 -> out.fixed32((int) JsonNumbers.unsigned(parser, UINT32_BITS));
            case INT64 -> out.varint(JsonNumbers.signed(parser, Long.MIN_VALUE, Long.MAX_VALUE));
            case UINT64 -> out.varint(JsonNumbers.unsigned(parser, Long.SIZE));
            case UINT32 -> out.varint(JsonNumbers.unsigned(parser, UINT32_BITS));
            case INT32 -> out.varint(int32());
            case SINT32 -> {
                long value = int32();
                out.varint(value << 1 ^ value >> (Long.SIZE - 1));
            }
            case ENUM -> {
                if (parser.currentToken() == JsonToken.VALUE_STRING) {
                    throw new BadValueException("is not an integer, as enum values must be");
                }
                out.varint(int32());
            }
            case BOOL -> out.varint(bool() ? 1 : 0);
            default -> throw new IllegalArgumentException("not a number: type=" + type);
        }
    }

    private long int32() throws IOException, BadValueException {
        return JsonNumbers.signed(parser, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    private boolean bool() throws BadValueException {
        JsonToken token = parser.currentToken();
        if (token != JsonToken.VALUE_TRUE && token != JsonToken.VALUE_FALSE) {
            throw new BadValueException("is neither true nor false");
        }
        return token == JsonToken.VALUE_TRUE;
    }
}
