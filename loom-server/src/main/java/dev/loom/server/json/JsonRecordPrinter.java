package dev.loom.server.json;

import dev.loom.format.PayloadFormat;
import dev.loom.server.text.DataOutput;
import dev.loom.server.text.TextBuffer;
import dev.loom.server.time.TimePrinter;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/** Prints one JSON object per line: time, address and the fields. */
public final class JsonRecordPrinter extends RecordPrinter {
    private static final byte[] TIME = ascii("{\"time\":\"");
    private static final byte[] TS = ascii("\",\"ts\":");
    private static final byte[] CAUSE = ascii(",\"cause\":");
    private static final byte[] FIELDS = ascii(",\"fields\":");

    private final DataOutput out;
    private final TimePrinter times;
    private final TextBuffer line = new TextBuffer(1024);
    private final byte[] sourceAndAddressKey;
    private final FieldsJson fields;
    private final boolean causes;

    public JsonRecordPrinter(
            DataOutput out, String sourceName, PayloadFormat format, TimePrinter times, boolean causes) {
        this.causes = causes;
        this.out = out;
        this.times = times;
        this.fields = new FieldsJson(format);
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
        fields.put(line, value, buffer, offset, length);
        line.put('}');
        line.put('\n');
        out.write(line);
    }

    @Override
    public long malformed() {
        return fields.malformed();
    }

    @Override
    public void flush() {
        out.flush();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
