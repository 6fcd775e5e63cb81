package dev.loom.cli.importing;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.loom.format.Field;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/** JSON objects as structs of a given format: each member is a field, as Loom prints it. For one thread. */
final class JsonRows {
    /** The most that a field takes besides its bytes. */
    private static final int FIELD_LENGTH_MAX = 9;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private final List<Field> fields;
    private final Map<String, Integer> indexes = new HashMap<>();
    private final StructFormat format;
    private final StructWriter writer;
    private final CellEncoder encoder = new CellEncoder();
    private final CharsetEncoder utf8 = StandardCharsets.UTF_8
            .newEncoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .replaceWith("\uFFFD".getBytes(StandardCharsets.UTF_8));
    /** The fields that the object has, by index. */
    private final Map<Integer, byte[]> values = new HashMap<>();

    private int valuesLength;
    private int length;

    JsonRows(StructFormat format) {
        this.format = format;
        this.fields = format.fields();
        this.writer = new StructWriter(format);
        for (int i = 0; i < fields.size(); i++) {
            indexes.put(fields.get(i).name(), i);
        }
    }

    /**
     * Reads an object.
     *
     * @param json one object, well-formed and in UTF-8
     * @return why it is no struct of the format, or null
     */
    @Nullable
    String read(byte[] json, int offset, int count) {
        values.clear();
        valuesLength = 0;
        try (JsonParser parser = FACTORY.createParser(json, offset, count)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String problem = take(parser);
                if (problem != null) {
                    return problem;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return null;
    }

    private @Nullable String take(JsonParser parser) throws IOException {
        String name = parser.currentName();
        Integer index = indexes.get(name);
        JsonToken token = parser.nextToken();
        if (index == null) {
            return "unknown field: " + name + "; format: " + format.text();
        } else if (values.containsKey(index)) {
            return name + ": occurs twice";
        } else if (token == JsonToken.VALUE_NULL) {
            return null;
        }
        Field.Type type = fields.get(index).type();
        boolean text = type == Field.Type.UTF8 || type == Field.Type.BYTES;
        boolean fits = switch (token) {
            case VALUE_STRING -> type != Field.Type.BOOL;
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> !text && type != Field.Type.BOOL;
            case VALUE_TRUE, VALUE_FALSE -> type == Field.Type.BOOL;
            default -> false;
        };
        if (!fits) {
            return name + ": not " + type.text();
        }
        byte[] value = text(parser);
        values.put(index, value);
        valuesLength += value.length;
        return null;
    }

    /** As records of JSON have it: half of a surrogate pair becomes U+FFFD. */
    private byte[] text(JsonParser parser) throws IOException {
        CharBuffer chars = CharBuffer.wrap(parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength());
        ByteBuffer encoded = utf8.encode(chars);
        byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        return bytes;
    }

    /** The most that the struct takes. */
    int lengthMax() {
        return format.lengthMin() + valuesLength + fields.size() * FIELD_LENGTH_MAX;
    }

    /**
     * Writes the struct that was read.
     *
     * @return why that is not possible, or null; then {@link #length()} is that of the struct
     */
    @Nullable
    String write(MutableDirectBuffer into, int offset) {
        writer.begin(into, offset, lengthMax());
        for (int i = 0; i < fields.size(); i++) {
            Field field = fields.get(i);
            byte[] value = values.get(i);
            String problem = value == null
                    ? field.optional() ? null : "missing, but required"
                    : encoder.encode(writer, i, field.type(), value, 0, value.length);
            if (problem != null) {
                return field.name() + ": " + problem;
            }
        }
        length = writer.finish();
        return null;
    }

    int length() {
        return length;
    }
}
