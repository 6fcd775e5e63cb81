package dev.loom.server.loki;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.RecordLookup;
import dev.loom.server.json.FieldBytes;
import dev.loom.server.json.FieldsJson;
import dev.loom.server.json.JsonText;
import dev.loom.server.text.TextBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Reads the records of one source as lines of streams. For one thread. */
final class LineReader {
    private static final String ATTRIBUTES = "attr.";
    private static final List<String> METADATA = List.of("event_name", "severity_text", "span_id", "trace_id");
    /** The most fields beside a line, and the bytes of each. */
    private static final int METADATA_MAX = 128;

    private final StreamSource of;
    private final FieldValue value = new FieldValue();
    private final FieldBytes bytes = new FieldBytes();
    private final TextBuffer text = new TextBuffer(256);
    private final @Nullable FieldsJson fields;
    private final @Nullable FieldReader line;

    LineReader(StreamSource of) {
        this.of = of;
        fields = of.lineField() == null || of.lineField().isEmpty() ? new FieldsJson(of.format()) : null;
        line = fields == null ? reader(String.valueOf(of.lineField())) : null;
    }

    private FieldReader reader(String field) {
        return Objects.requireNonNull(of.format().field(field), field);
    }

    void lookup(RecordLookup lookup) {
        value.lookup(lookup);
    }

    /** Moves to a record. */
    void from(long address) {
        value.from(address);
    }

    /** The line; malformed bytes are replacement characters. */
    String line(DirectBuffer buffer, int offset, int length) {
        text.clear();
        if (line == null) {
            Objects.requireNonNull(fields).put(text, value, buffer, offset, length);
            return text.toString();
        }
        return text(line, buffer, offset, length);
    }

    /** Appends the value as a text. */
    private void putText() {
        switch (value.kind()) {
            case ABSENT -> {}
            case TEXT -> {
                bytes.load(value);
                text.put(bytes.array(), 0, bytes.length());
            }
            case BYTES -> {
                bytes.load(value);
                text.putBase64(bytes.array(), 0, bytes.length());
            }
            default -> JsonText.putField(text, value, false, bytes);
        }
    }

    private String text(FieldReader reader, DirectBuffer buffer, int offset, int length) {
        reader.read(buffer, offset, length, value);
        return valueText();
    }

    private String valueText() {
        text.clear();
        putText();
        return text.toString();
    }

    /** The labels of the record's stream. */
    Map<String, String> labels(DirectBuffer buffer, int offset, int length) {
        Map<String, String> labels = new TreeMap<>();
        labels.put(Streams.SOURCE, of.source().name());
        if (of.logs()) {
            String service = text(reader("service.name"), buffer, offset, length);
            if (!service.isEmpty()) {
                labels.put(Streams.SERVICE_NAME, service);
            }
            reader(Levels.FIELD).read(buffer, offset, length, value);
            labels.put(Streams.LEVEL, Levels.of(value));
        }
        return labels;
    }

    /** What OTLP logs have beside their lines: ids and attributes with a single value, at most {@value #METADATA_MAX}. */
    Map<String, String> metadata(DirectBuffer buffer, int offset, int length) {
        Map<String, String> metadata = new TreeMap<>();
        if (!of.logs()) {
            return metadata;
        }
        for (String field : METADATA) {
            put(metadata, field, text(reader(field), buffer, offset, length));
        }
        of.format().forEachMember(ATTRIBUTES, buffer, offset, length, value, (name, nameOffset, nameLength, member) -> {
            String field = ATTRIBUTES + name.getStringWithoutLengthUtf8(nameOffset, nameLength);
            put(metadata, StreamSource.label(field), valueText());
        });
        return metadata;
    }

    private static void put(Map<String, String> metadata, String label, String text) {
        if (!text.isEmpty() && metadata.size() < METADATA_MAX) {
            metadata.putIfAbsent(label, text);
        }
    }
}
