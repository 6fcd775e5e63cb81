package dev.loom.otlp.json;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Writes messages as OTLP/JSON, in one of the ways that are allowed. */
final class JsonForm {
    private final Random random;
    private final StringBuilder json = new StringBuilder();

    private JsonForm(Random random) {
        this.random = random;
    }

    static String of(Message message, Random random) {
        JsonForm form = new JsonForm(random);
        form.object(message);
        return form.json.toString();
    }

    private void object(Message message) {
        json.append('{');
        boolean first = true;
        for (Map.Entry<FieldDescriptor, Object> entry : message.getAllFields().entrySet()) {
            if (random.nextInt(15) == 0) {
                json.append(first ? "" : ",")
                        .append(
                                switch (random.nextInt(4)) {
                                    case 0 -> "\"start_time_unix_nano\":\"snake\"";
                                    case 1 -> "\"nonsense\":{\"a\":[1,{\"b\":null}],\"attributes\":7}";
                                    case 2 -> "\"\":[]";
                                    default -> "\"schemaUrl\":null";
                                });
                first = false;
            }
            json.append(first ? "" : ",").append(random.nextInt(9) == 0 ? "\n \t" : "");
            json.append('"').append(entry.getKey().getJsonName()).append("\":");
            value(entry.getKey(), entry.getValue());
            first = false;
        }
        json.append('}');
    }

    private void value(FieldDescriptor field, Object value) {
        if (!field.isRepeated()) {
            one(field, value);
            return;
        }
        json.append('[');
        int i = 0;
        for (Object element : (List<?>) value) {
            json.append(i++ == 0 ? "" : ", ");
            one(field, element);
        }
        json.append(']');
    }

    private void one(FieldDescriptor field, Object value) {
        switch (field.getType()) {
            case MESSAGE -> object((Message) value);
            case STRING -> string((String) value);
            case BOOL -> json.append(value);
            case ENUM -> json.append(((EnumValueDescriptor) value).getNumber());
            case DOUBLE -> number((Double) value);
            case BYTES -> bytes(field, (ByteString) value);
            case FIXED64, UINT64 -> integer(Long.toUnsignedString((Long) value));
            case UINT32, FIXED32 -> integer(Integer.toUnsignedString((Integer) value));
            default -> integer(value.toString());
        }
    }

    private void integer(String text) {
        json.append(random.nextBoolean() ? text : '"' + text + '"');
    }

    private void number(double value) {
        boolean quoted = Double.isNaN(value) || Double.isInfinite(value) || random.nextInt(4) == 0;
        json.append(quoted ? "\"" + value + '"' : String.valueOf(value));
    }

    private void bytes(FieldDescriptor field, ByteString value) {
        byte[] bytes = value.toByteArray();
        if (field.getName().endsWith("_id")) {
            String hex = HexFormat.of().formatHex(bytes);
            string(random.nextBoolean() ? hex : hex.toUpperCase(java.util.Locale.ROOT));
        } else {
            Base64.Encoder encoder = random.nextBoolean() ? Base64.getEncoder() : Base64.getUrlEncoder();
            string((random.nextBoolean() ? encoder : encoder.withoutPadding()).encodeToString(bytes));
        }
    }

    private void string(String text) {
        json.append('"');
        text.codePoints().forEach(c -> {
            if (c == '"' || c == '\\' || c < ' ' || random.nextInt(10) == 0) {
                for (char half : Character.toChars(c)) {
                    json.append(String.format("\\u%04x", (int) half));
                }
            } else {
                json.appendCodePoint(c);
            }
        });
        json.append('"');
    }
}
