package dev.loom.otlp.format;

import static dev.loom.format.Field.Type.ANY;
import static dev.loom.format.Field.Type.U32;
import static dev.loom.format.Field.Type.UTF8;
import static dev.loom.otlp.format.ContextFields.SPAN_ID;
import static dev.loom.otlp.format.ContextFields.TRACE_ID;

import dev.loom.format.Field;
import dev.loom.format.FieldTerms;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.otlp.wire.LogTags.LogRecord;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.agrona.DirectBuffer;

/** The fields of a log record. */
final class LogFields {
    private static final List<String> SEVERITIES = List.of("trace", "debug", "info", "warn", "error", "fatal");
    private static final int SEVERITY_STEPS = 4;

    static final PayloadFormat FORMAT = ContextFields.addShared(own(), Part.CONTEXT)
            .text("body")
            .indexed("body:words,trace_id:value,span_id:value,attr.*:value")
            .columns("severity_text", "severity", "service.name", "body", "event_name", "trace_id", "attributes");

    private LogFields() {}

    /**
     * The names of the ranges of four severities, each of which stands for its whole range, and those of single severities.
     */
    private static FieldTerms severities() {
        Map<String, FieldTerms.Numbers> names = new LinkedHashMap<>();
        for (int i = 0; i < SEVERITIES.size(); i++) {
            int first = 1 + i * SEVERITY_STEPS;
            String name = SEVERITIES.get(i);
            names.put(name, new FieldTerms.Numbers(first, first + SEVERITY_STEPS - 1));
            for (int step = 2; step <= SEVERITY_STEPS; step++) {
                names.put(name + step, new FieldTerms.Numbers(first + step - 1, first + step - 1));
            }
        }
        return FieldTerms.numbers("severity_number_", names);
    }

    /** Reads the time of a log record's event or, if it is unknown, the time at which it was observed. */
    private static void readTime(DirectBuffer buffer, int offset, int length, FieldValue into) {
        ReadState state = ReadState.of(into);
        into.setAbsent();
        long known = state.last(LogRecord.TIME_UNIX_NANO, buffer, offset, length, into);
        if (known == 0) {
            known = state.last(LogRecord.OBSERVED_TIME_UNIX_NANO, buffer, offset, length, into);
        }
        if (known != 0) {
            into.setUnsigned(known);
        }
    }

    private static OtlpFormat own() {
        return new OtlpFormat(OtlpFormatProvider.LOG, "time")
                .time("time", LogFields::readTime)
                .time("observed_time", WireField.of(Form.TIME, LogRecord.OBSERVED_TIME_UNIX_NANO))
                .field(
                        "severity",
                        Field.Type.I32,
                        WireField.of(Form.NUMBER_BUT_ZERO, LogRecord.SEVERITY_NUMBER),
                        severities())
                .field("severity_text", UTF8, WireField.of(Form.TEXT, LogRecord.SEVERITY_TEXT))
                .field("body", ANY, AnyField.of(Part.MESSAGE, LogRecord.BODY))
                .field("event_name", UTF8, WireField.of(Form.TEXT, LogRecord.EVENT_NAME))
                .field("trace_id", UTF8, WireField.of(Form.TRACE_ID, LogRecord.TRACE_ID), TRACE_ID)
                .field("span_id", UTF8, WireField.of(Form.SPAN_ID, LogRecord.SPAN_ID), SPAN_ID)
                .field("flags", U32, WireField.of(Form.NUMBER, LogRecord.FLAGS))
                .attributes(LogRecord.ATTRIBUTES)
                .field("dropped_attributes_count", U32, WireField.of(Form.NUMBER, LogRecord.DROPPED_ATTRIBUTES_COUNT));
    }
}
