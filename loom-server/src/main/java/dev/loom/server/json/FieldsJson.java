package dev.loom.server.json;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.server.text.TextBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Writes the fields of payloads of one format as JSON. For one thread. */
public final class FieldsJson {
    private static final byte[] PAYLOAD = ",\"payload\":\"".getBytes(StandardCharsets.US_ASCII);

    private final PayloadFormat format;
    private final List<FieldColumn> columns;
    private final @Nullable FieldReader wholePayload;
    private final FieldBytes bytes = new FieldBytes();
    private final BiConsumer<String, FieldValue> fieldPut = this::putField;
    private TextBuffer line = new TextBuffer(0);
    private int column;
    private long malformed;

    public FieldsJson(PayloadFormat format) {
        this.format = format;
        this.columns = FieldColumn.of(format);
        this.wholePayload = columns.isEmpty() ? format.field("") : null;
    }

    /**
     * Appends an object of the declared fields or, if there are none, the payload. A payload that is no JSON becomes {@code null} and a
     * member {@code payload} behind it.
     *
     * @param value reads each field; its lookup stands at the record
     */
    public void put(TextBuffer into, FieldValue value, DirectBuffer buffer, int offset, int length) {
        line = into;
        if (wholePayload == null) {
            column = 0;
            format.forEachField(buffer, offset, length, value, fieldPut);
            line.put('}');
        } else {
            putPayload(wholePayload, value, buffer, offset, length);
        }
    }

    private void putField(String name, FieldValue read) {
        FieldColumn of = columns.get(column);
        line.put(column++ == 0 ? '{' : ',');
        line.put(of.jsonKey());
        putValue(read, of.singlePrecision());
    }

    private void putValue(FieldValue read, boolean singlePrecision) {
        long before = line.replaced();
        JsonText.putField(line, read, singlePrecision, bytes);
        malformed += line.replaced() > before ? 1 : 0;
    }

    /** Values with bytes that are not UTF-8, which U+FFFD replaced. */
    long malformed() {
        return malformed;
    }

    /** A program may have pushed a payload that is not JSON; the line must stay JSON. */
    private void putPayload(FieldReader payload, FieldValue value, DirectBuffer buffer, int offset, int length) {
        payload.read(buffer, offset, length, value);
        putValue(value, false);
        if (value.kind() == FieldValue.Kind.ABSENT) {
            bytes.load(buffer, offset, length);
            line.put(PAYLOAD);
            line.putBase64(bytes.array(), 0, length);
            line.put('"');
        }
    }
}
