package dev.loom.server.loki;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.RecordLookup;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Reads the records of one source as lines of streams. For one thread. */
final class LineReader {
    private static final String ATTRIBUTES = "attr.";
    private static final List<String> FIELDS = List.of("event_name", "severity_text", "span_id", "trace_id");
    /** The most fields beside a line, and the bytes of each. */
    private static final int FIELDS_MAX = 128;

    private final StreamSource of;
    private final FieldValue value = new FieldValue();
    private final LineText text;
    private @Nullable String members;

    LineReader(StreamSource of) {
        this.of = of;
        text = new LineText(of);
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
        String line = text.of(value, buffer, offset, length).toString();
        members = of.json() ? "" : value.kind() == FieldValue.Kind.JSON ? of.lineField() : null;
        return line;
    }

    /** The field whose members the last line shows if it is an object of JSON, empty for the whole record; null if it is a text. */
    @Nullable
    String members() {
        return members;
    }

    private String text(FieldReader reader, DirectBuffer buffer, int offset, int length) {
        reader.read(buffer, offset, length, value);
        return text.of(value).toString();
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

    /** What OTLP logs have beside their lines, by field: ids and attributes with a single value, at most {@value #FIELDS_MAX}. */
    Map<String, String> fields(DirectBuffer buffer, int offset, int length) {
        Map<String, String> fields = new TreeMap<>();
        if (!of.logs()) {
            return fields;
        }
        for (String field : FIELDS) {
            put(fields, field, text(reader(field), buffer, offset, length));
        }
        of.format().forEachMember(ATTRIBUTES, buffer, offset, length, value, (name, nameOffset, nameLength, member) -> {
            String field = ATTRIBUTES + name.getStringWithoutLengthUtf8(nameOffset, nameLength);
            put(fields, field, text.of(value).toString());
        });
        return fields;
    }

    private static void put(Map<String, String> fields, String field, String text) {
        if (!text.isEmpty() && fields.size() < FIELDS_MAX) {
            fields.putIfAbsent(field, text);
        }
    }
}
