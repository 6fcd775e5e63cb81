package dev.loom.server.json;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.server.text.DataOutput;
import dev.loom.server.text.TextBuffer;
import dev.loom.server.time.TimePrinter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Prints one JSON object per line: time, address and the fields. */
public final class JsonRecordPrinter extends RecordPrinter {
    private static final byte[] TIME = ascii("{\"time\":\"");
    private static final byte[] TS = ascii("\",\"ts\":");
    private static final byte[] CAUSE = ascii(",\"cause\":");
    private static final byte[] FIELDS = ascii(",\"fields\":");
    private static final byte[] PAYLOAD = ascii(",\"payload\":\"");

    private final DataOutput out;
    private final TimePrinter times;
    private final TextBuffer line = new TextBuffer(1024);
    private final FieldBytes bytes = new FieldBytes();
    private final byte[] sourceAndAddressKey;
    private final PayloadFormat format;
    private final List<FieldColumn> columns;
    private final BiConsumer<String, FieldValue> fieldPut = this::putField;
    private final @Nullable FieldReader wholePayload;
    private final boolean causes;
    private int column;

    public JsonRecordPrinter(
            DataOutput out, String sourceName, PayloadFormat format, TimePrinter times, boolean causes) {
        this.causes = causes;
        this.out = out;
        this.times = times;
        this.format = format;
        this.columns = FieldColumn.of(format);
        this.wholePayload = columns.isEmpty() ? format.field("") : null;
        TextBuffer keys = new TextBuffer(64);
        keys.put(",\"source\":");
        JsonText.putString(keys, sourceName);
        keys.put(",\"addr\":");
        this.sourceAndAddressKey = keys.toByteArray();
    }

    @Override
    public void print(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
        value.from(address);
        line.put(TIME);
        times.print(timeNs, line);
        line.put(TS);
        line.putLong(timeNs);
        line.put(sourceAndAddressKey);
        line.putLong(address);
        if (causes) {
            line.put(CAUSE);
            line.putLong(cause);
        }
        line.put(FIELDS);
        if (wholePayload == null) {
            putFields(buffer, offset, length);
        } else {
            putPayload(wholePayload, buffer, offset, length);
        }
        line.put('}');
        line.put('\n');
        out.write(line);
    }

    private void putFields(DirectBuffer buffer, int offset, int length) {
        column = 0;
        format.forEachField(buffer, offset, length, value, fieldPut);
        line.put('}');
    }

    private void putField(String name, FieldValue read) {
        FieldColumn of = columns.get(column);
        line.put(column++ == 0 ? '{' : ',');
        line.put(of.jsonKey());
        JsonText.putField(line, read, of.singlePrecision(), bytes);
    }

    /** A program may have pushed a payload that is not JSON; the line must stay JSON. */
    private void putPayload(FieldReader payload, DirectBuffer buffer, int offset, int length) {
        payload.read(buffer, offset, length, value);
        JsonText.putField(line, value, false, bytes);
        if (value.kind() == FieldValue.Kind.ABSENT) {
            bytes.load(buffer, offset, length);
            line.put(PAYLOAD);
            line.putBase64(bytes.array(), 0, length);
            line.put('"');
        }
    }

    @Override
    public void flush() {
        out.flush();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
