package dev.loom.server.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.jspecify.annotations.Nullable;

/** A stream of Arrow, read strictly by its specification: the columns with their types, rows as texts, batches. */
final class ArrowMessages {
    final List<String> columns = new ArrayList<>();
    final List<String> types = new ArrayList<>();
    final List<List<String>> rows = new ArrayList<>();
    final List<Integer> batchRows = new ArrayList<>();
    final List<Long> batchBytes = new ArrayList<>();
    Map<String, String> said = Map.of();
    Map<String, String> outcome = Map.of();

    private final ByteBuffer stream;

    /** @param bytes a stream to its end */
    ArrowMessages(byte[] bytes) {
        stream = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        boolean ended = false;
        while (!ended) {
            assertEquals(0, stream.position() % 8, "message begins at a multiple of 8");
            assertEquals(-1, stream.getInt());
            int length = stream.getInt();
            ended = length == 0;
            if (!ended) {
                read(length);
            }
        }
        assertEquals(0, stream.remaining(), "bytes behind the end");
    }

    private void read(int length) {
        assertEquals(0, (length + 8) % 8);
        ByteBuffer header = stream.slice(stream.position(), length).order(ByteOrder.LITTLE_ENDIAN);
        Message message = Message.getRootAsMessage(header);
        assertEquals(MetadataVersion.V5, message.version());
        stream.position(stream.position() + length);
        ByteBuffer body = stream.slice(stream.position(), Math.toIntExact(message.bodyLength()))
                .order(ByteOrder.LITTLE_ENDIAN);
        stream.position(stream.position() + body.capacity());
        if (message.headerType() == MessageHeader.Schema) {
            assertTrue(columns.isEmpty() && batchRows.isEmpty(), "second schema");
            readSchema((Schema) message.header(new Schema()));
        } else {
            assertEquals(MessageHeader.RecordBatch, message.headerType());
            assertEquals(Map.of(), outcome, "batch behind the outcome");
            RecordBatch batch = (RecordBatch) message.header(new RecordBatch());
            batchRows.add(Math.toIntExact(batch.length()));
            batchBytes.add(message.bodyLength());
            readBatch(batch, body);
            Map<String, String> pairs = new LinkedHashMap<>();
            for (int i = 0; i < message.customMetadataLength(); i++) {
                put(pairs, message.customMetadata(i));
            }
            outcome = pairs;
        }
    }

    private static void put(Map<String, String> pairs, KeyValue pair) {
        assertEquals(null, pairs.put(pair.key(), pair.value()));
    }

    private void readSchema(Schema schema) {
        assertEquals(Endianness.Little, schema.endianness());
        said = new LinkedHashMap<>();
        for (int i = 0; i < schema.customMetadataLength(); i++) {
            put(said, schema.customMetadata(i));
        }
        for (int i = 0; i < schema.fieldsLength(); i++) {
            Field field = schema.fields(i);
            assertEquals(0, field.childrenLength());
            columns.add(field.name());
            StringBuilder type = new StringBuilder(type(field)).append(field.nullable() ? "?" : "");
            for (int j = 0; j < field.customMetadataLength(); j++) {
                type.append(' ')
                        .append(field.customMetadata(j).key())
                        .append('=')
                        .append(field.customMetadata(j).value());
            }
            types.add(type.toString());
        }
    }

    private static String type(Field field) {
        switch (field.typeType()) {
            case Type.Int -> {
                Int type = (Int) field.type(new Int());
                return (type.isSigned() ? "i" : "u") + type.bitWidth();
            }
            case Type.FloatingPoint -> {
                FloatingPoint type = (FloatingPoint) field.type(new FloatingPoint());
                return type.precision() == Precision.SINGLE ? "f32" : "f64";
            }
            case Type.Timestamp -> {
                Timestamp type = (Timestamp) field.type(new Timestamp());
                assertEquals(TimeUnit.NANOSECOND, type.unit());
                return "ns " + type.timezone();
            }
            default -> {
                return Type.name(field.typeType());
            }
        }
    }

    private void readBatch(RecordBatch batch, ByteBuffer body) {
        int count = Math.toIntExact(batch.length());
        List<List<String>> read = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            read.add(new ArrayList<>());
        }
        assertEquals(columns.size(), batch.nodesLength());
        int next = 0;
        long end = 0;
        for (int column = 0; column < columns.size(); column++) {
            FieldNode node = batch.nodes(column);
            assertEquals(count, node.length());
            String type = types.get(column).split("[? ]", 2)[0];
            boolean variable = type.equals("Utf8") || type.equals("Binary");
            ByteBuffer[] buffers = new ByteBuffer[variable ? 3 : 2];
            for (int i = 0; i < buffers.length; i++) {
                Buffer place = batch.buffers(next++);
                assertTrue(place.offset() % 64 == 0 && place.offset() >= end, "buffer overlaps, or is not aligned");
                end = place.offset() + place.length();
                buffers[i] =
                        body.slice((int) place.offset(), (int) place.length()).order(ByteOrder.LITTLE_ENDIAN);
            }
            int nulls = 0;
            for (int row = 0; row < count; row++) {
                boolean valid = buffers[0].capacity() == 0 || bit(buffers[0], row);
                nulls += valid ? 0 : 1;
                read.get(row).add(valid ? value(type, buffers, row) : "null");
            }
            assertEquals(nulls, node.nullCount());
        }
        assertEquals(next, batch.buffersLength());
        rows.addAll(read);
    }

    private static boolean bit(ByteBuffer bits, int at) {
        return (bits.get(at / 8) >> (at % 8) & 1) == 1;
    }

    private static @Nullable String value(String type, ByteBuffer[] buffers, int row) {
        ByteBuffer data = buffers[buffers.length - 1];
        return switch (type) {
            case "i8" -> Byte.toString(data.get(row));
            case "i16" -> Short.toString(data.getShort(row * 2));
            case "i32" -> Integer.toString(data.getInt(row * 4));
            case "i64", "ns" -> Long.toString(data.getLong(row * 8));
            case "u8" -> Integer.toString(Byte.toUnsignedInt(data.get(row)));
            case "u16" -> Integer.toString(Short.toUnsignedInt(data.getShort(row * 2)));
            case "u32" -> Integer.toUnsignedString(data.getInt(row * 4));
            case "u64" -> Long.toUnsignedString(data.getLong(row * 8));
            case "f32" -> Float.toString(data.getFloat(row * 4));
            case "f64" -> Double.toString(data.getDouble(row * 8));
            case "Bool" -> Boolean.toString(bit(data, row));
            case "Utf8" -> text(bytes(buffers, row));
            case "Binary" -> HexFormat.of().formatHex(bytes(buffers, row));
            default -> throw new AssertionError(type);
        };
    }

    private static byte[] bytes(ByteBuffer[] buffers, int row) {
        int from = buffers[1].getInt(row * 4);
        byte[] bytes = new byte[buffers[1].getInt(row * 4 + 4) - from];
        buffers[2].get(from, bytes);
        return bytes;
    }

    private static String text(byte[] utf8) {
        try {
            CharBuffer text = StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(utf8));
            return text.toString();
        } catch (CharacterCodingException e) {
            throw new AssertionError("not UTF-8: " + HexFormat.of().formatHex(utf8), e);
        }
    }
}
