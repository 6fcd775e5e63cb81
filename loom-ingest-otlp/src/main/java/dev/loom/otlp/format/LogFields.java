package dev.loom.otlp.format;

import static dev.loom.format.FieldType.ANY;
import static dev.loom.format.FieldType.U32;
import static dev.loom.format.FieldType.U64;
import static dev.loom.format.FieldType.UTF8;

import dev.loom.format.FieldType;
import dev.loom.format.PayloadFormat;
import dev.loom.otlp.wire.LogTags.LogRecord;

/** The fields of a log record. */
final class LogFields {
    static final PayloadFormat FORMAT = ContextFields.addShared(own(), Part.CONTEXT)
            .text("body")
            .columns("severity_text", "severity", "service.name", "body", "event_name", "trace_id", "attributes");

    private LogFields() {}

    private static OtlpFormat own() {
        return new OtlpFormat(OtlpFormatProvider.LOG, "time")
                .field("time", U64, new LogTime())
                .field("observed_time", U64, WireField.of(Form.TIME, LogRecord.OBSERVED_TIME_UNIX_NANO))
                .field("severity", FieldType.I32, WireField.of(Form.NUMBER_BUT_ZERO, LogRecord.SEVERITY_NUMBER))
                .field("severity_text", UTF8, WireField.of(Form.TEXT, LogRecord.SEVERITY_TEXT))
                .field("body", ANY, AnyField.of(Part.MESSAGE, LogRecord.BODY))
                .field("event_name", UTF8, WireField.of(Form.TEXT, LogRecord.EVENT_NAME))
                .field("trace_id", UTF8, WireField.of(Form.TRACE_ID, LogRecord.TRACE_ID))
                .field("span_id", UTF8, WireField.of(Form.SPAN_ID, LogRecord.SPAN_ID))
                .field("flags", U32, WireField.of(Form.NUMBER, LogRecord.FLAGS))
                .field("attributes", ANY, new PairsField(Part.MESSAGE, LogRecord.ATTRIBUTES))
                .field("dropped_attributes_count", U32, WireField.of(Form.NUMBER, LogRecord.DROPPED_ATTRIBUTES_COUNT))
                .prefix("attr.", key -> AnyField.ofKey(Part.MESSAGE, key, LogRecord.ATTRIBUTES));
    }
}
