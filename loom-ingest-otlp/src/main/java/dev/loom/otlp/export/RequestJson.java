package dev.loom.otlp.export;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import dev.loom.otlp.Signal;
import dev.loom.otlp.schema.MessageField;
import dev.loom.otlp.schema.MessageType;
import dev.loom.otlp.schema.OtlpMessages;
import dev.loom.otlp.schema.ProtoType;
import dev.loom.otlp.wire.WireReader;
import dev.loom.otlp.wire.WireType;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes requests as OTLP/JSON: ids are hexadecimal, enumerations are numbers, 64-bit integers are strings, and fields that a
 * message lacks are left out. Lost are unknown fields, which have no name, and ids of wrong lengths, for which readers refuse a
 * whole request. For one thread.
 */
public final class RequestJson {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
            .disable(StreamWriteFeature.FLUSH_PASSED_TO_STREAM)
            .build();

    private static final String TRACE_ID = "traceId";
    private static final int TRACE_ID_LENGTH = 16;
    private static final int SPAN_ID_LENGTH = 8;

    /** An occurrence of a field in the request. */
    private record Occurrence(int wireType, long value, int offset, int length) {}

    private final JsonGenerator json;
    private final UnsafeBuffer request;
    private final boolean idsAreHexadecimal;

    private RequestJson(JsonGenerator json, UnsafeBuffer request, boolean idsAreHexadecimal) {
        this.json = json;
        this.request = request;
        this.idsAreHexadecimal = idsAreHexadecimal;
    }

    /**
     * Writes a request in one line.
     *
     * @param request well-formed
     * @param out where to write the line, without its end
     * @throws IOException if that fails
     */
    public static void write(Signal signal, byte[] request, OutputStream out) throws IOException {
        write(signal, request, out, true);
    }

    /** As {@link #write}, but with ids as base64, as protobuf's own JSON form has them. */
    public static void writeCanonical(Signal signal, byte[] request, OutputStream out) throws IOException {
        write(signal, request, out, false);
    }

    private static void write(Signal signal, byte[] request, OutputStream out, boolean idsAreHexadecimal)
            throws IOException {
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            new RequestJson(json, new UnsafeBuffer(request), idsAreHexadecimal)
                    .object(
                            OtlpMessages.request(signal),
                            List.of(new Occurrence(WireType.LENGTH, 0, 0, request.length)));
        }
    }

    /** Writes a message in one or several parts, which protobuf merges. */
    private void object(MessageType type, List<Occurrence> parts) throws IOException {
        Map<Integer, List<Occurrence>> fields = new TreeMap<>();
        for (Occurrence part : parts) {
            take(type, part, fields);
        }
        json.writeStartObject();
        for (MessageField field : type.fields()) {
            List<Occurrence> values = fields.get(field.number());
            if (values != null && !isBadId(field, values)) {
                json.writeFieldName(field.jsonName());
                value(field, values);
            }
        }
        json.writeEndObject();
    }

    private static boolean isBadId(MessageField field, List<Occurrence> values) {
        int length = values.get(values.size() - 1).length;
        int expected = field.jsonName().equals(TRACE_ID) ? TRACE_ID_LENGTH : SPAN_ID_LENGTH;
        return field.type() == ProtoType.ID && length != 0 && length != expected;
    }

    private void take(MessageType type, Occurrence part, Map<Integer, List<Occurrence>> fields) {
        WireReader reader = new WireReader();
        reader.wrap(request, part.offset, part.length);
        while (reader.next()) {
            int number = reader.number();
            if (type.has(number, reader.wireType())) {
                if (type.inOneOf(number)) {
                    fields.keySet().removeIf(other -> other != number && type.inOneOf(other));
                }
                fields.computeIfAbsent(number, key -> new ArrayList<>(1))
                        .add(new Occurrence(reader.wireType(), reader.value(), reader.offset(), reader.length()));
            }
        }
    }

    private void value(MessageField field, List<Occurrence> values) throws IOException {
        if (field.packed()) {
            json.writeStartArray();
            for (Occurrence value : values) {
                numbers(field.type(), value);
            }
            json.writeEndArray();
        } else if (field.repeated()) {
            json.writeStartArray();
            for (Occurrence value : values) {
                one(field, List.of(value));
            }
            json.writeEndArray();
        } else {
            one(field, values);
        }
    }

    private void one(MessageField field, List<Occurrence> values) throws IOException {
        MessageType message = field.message();
        if (message != null) {
            object(message, values);
        } else {
            scalar(field.type(), values.get(values.size() - 1));
        }
    }

    private void scalar(ProtoType type, Occurrence value) throws IOException {
        switch (type) {
            case STRING -> json.writeUTF8String(request.byteArray(), value.offset, value.length);
            case BYTES -> json.writeBinary(request.byteArray(), value.offset, value.length);
            case ID -> id(value);
            default -> number(type, value.value);
        }
    }

    private void id(Occurrence value) throws IOException {
        if (idsAreHexadecimal) {
            json.writeString(HexFormat.of().formatHex(request.byteArray(), value.offset, value.offset + value.length));
        } else {
            json.writeBinary(request.byteArray(), value.offset, value.length);
        }
    }

    /** Writes the numbers of a packed field, or the one of a field that is not packed. */
    private void numbers(ProtoType type, Occurrence values) throws IOException {
        if (values.wireType != WireType.LENGTH) {
            number(type, values.value);
            return;
        }
        int end = values.offset + values.length;
        if (type.wireType() == WireType.FIXED64) {
            for (int at = values.offset; end - at >= Long.BYTES; at += Long.BYTES) {
                number(type, request.getLong(at, ByteOrder.LITTLE_ENDIAN));
            }
            return;
        }
        long number = 0;
        int shift = 0;
        for (int at = values.offset; at < end; at++) {
            byte b = request.getByte(at);
            number |= shift < Long.SIZE ? (b & 0x7FL) << shift : 0;
            shift += 7;
            if (b >= 0) {
                number(type, number);
                number = 0;
                shift = 0;
            }
        }
    }

    private void number(ProtoType type, long bits) throws IOException {
        switch (type) {
            case DOUBLE -> json.writeNumber(Double.longBitsToDouble(bits));
            case BOOL -> json.writeBoolean(bits != 0);
            case ENUM, INT32 -> json.writeNumber((int) bits);
            case SINT32 -> json.writeNumber((int) bits >>> 1 ^ -((int) bits & 1));
            case UINT32, FIXED32 -> json.writeNumber(bits & 0xFFFF_FFFFL);
            case INT64, SFIXED64 -> json.writeString(Long.toString(bits));
            case UINT64, FIXED64 -> json.writeString(Long.toUnsignedString(bits));
            default -> throw new IllegalArgumentException("type is no number: type=" + type);
        }
    }
}
