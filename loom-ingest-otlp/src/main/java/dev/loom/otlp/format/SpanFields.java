package dev.loom.otlp.format;

import static dev.loom.format.Field.Type.I32;
import static dev.loom.format.Field.Type.I64;
import static dev.loom.format.Field.Type.JSON;
import static dev.loom.format.Field.Type.U32;
import static dev.loom.format.Field.Type.UTF8;
import static dev.loom.otlp.format.ContextFields.SPAN_ID;
import static dev.loom.otlp.format.ContextFields.TRACE_ID;

import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.otlp.wire.TraceTags.Event;
import dev.loom.otlp.wire.TraceTags.Link;
import dev.loom.otlp.wire.TraceTags.Span;
import dev.loom.otlp.wire.TraceTags.Status;
import org.agrona.DirectBuffer;

/** The fields of a span. Its event time is its end, so it lasted from its duration before that time up to it. */
final class SpanFields {
    static final PayloadFormat FORMAT = ContextFields.addShared(own(), Part.CONTEXT)
            .indexed("name:value,trace_id:value,span_id:value,parent_span_id:value,attr.*:value")
            .columns("service.name", "name", "kind", "duration", "status", "trace_id", "span_id", "attributes");

    private SpanFields() {}

    private static OtlpFormat own() {
        return new OtlpFormat(OtlpFormatProvider.SPAN, "end")
                .field("name", UTF8, WireField.of(Form.TEXT, Span.NAME))
                .field("kind", UTF8, WireField.of(Form.SPAN_KIND, Span.KIND), EnumText.SPAN_KIND.terms())
                .time("start", WireField.of(Form.TIME, Span.START_TIME_UNIX_NANO))
                .time("end", WireField.of(Form.TIME, Span.END_TIME_UNIX_NANO))
                .nanoseconds("duration", I64, SpanFields::readDuration)
                .field("status", UTF8, WireField.of(Form.STATUS, Span.STATUS, Status.CODE), EnumText.STATUS.terms())
                .field("status_code", I32, WireField.of(Form.ENUM, Span.STATUS, Status.CODE), EnumText.STATUS.numbers())
                .field("status_message", UTF8, WireField.of(Form.TEXT, Span.STATUS, Status.MESSAGE))
                .field("trace_id", UTF8, WireField.of(Form.TRACE_ID, Span.TRACE_ID), TRACE_ID)
                .field("span_id", UTF8, WireField.of(Form.SPAN_ID, Span.SPAN_ID), SPAN_ID)
                .field("parent_span_id", UTF8, WireField.of(Form.SPAN_ID, Span.PARENT_SPAN_ID), SPAN_ID)
                .field("trace_state", UTF8, WireField.of(Form.TEXT, Span.TRACE_STATE))
                .field("flags", U32, WireField.of(Form.NUMBER, Span.FLAGS))
                .attributes(Span.ATTRIBUTES)
                .field("dropped_attributes_count", U32, WireField.of(Form.NUMBER, Span.DROPPED_ATTRIBUTES_COUNT))
                .field("events", JSON, events())
                .field("events_count", I32, WireField.of(Form.COUNT, Span.EVENTS))
                .field("dropped_events_count", U32, WireField.of(Form.NUMBER, Span.DROPPED_EVENTS_COUNT))
                .field("links", JSON, links())
                .field("links_count", I32, WireField.of(Form.COUNT, Span.LINKS))
                .field("dropped_links_count", U32, WireField.of(Form.NUMBER, Span.DROPPED_LINKS_COUNT));
    }

    /**
     * Reads the end minus the start, negative if the span's clock was set back; no value if either is missing, or if they are further apart
     * than 64 bits hold, as times have no sign.
     */
    private static void readDuration(DirectBuffer buffer, int offset, int length, FieldValue into) {
        ReadState state = ReadState.of(into);
        into.setAbsent();
        long start = state.last(Span.START_TIME_UNIX_NANO, buffer, offset, length, into);
        long end = start == 0 ? 0 : state.last(Span.END_TIME_UNIX_NANO, buffer, offset, length, into);
        long duration = end - start;
        if (end != 0 && (duration < 0) == (Long.compareUnsigned(end, start) < 0)) {
            into.setInteger(duration);
        }
    }

    private static ObjectsField events() {
        return new ObjectsField(
                Span.EVENTS,
                new Member("time", Member.Type.TIME, Event.TIME_UNIX_NANO),
                new Member("name", Member.Type.TEXT, Event.NAME),
                new Member("attributes", Member.Type.PAIRS, Event.ATTRIBUTES),
                new Member("dropped_attributes_count", Member.Type.NUMBER, Event.DROPPED_ATTRIBUTES_COUNT));
    }

    private static ObjectsField links() {
        return new ObjectsField(
                Span.LINKS,
                new Member("trace_id", Member.Type.TRACE_ID, Link.TRACE_ID),
                new Member("span_id", Member.Type.SPAN_ID, Link.SPAN_ID),
                new Member("trace_state", Member.Type.TEXT, Link.TRACE_STATE),
                new Member("attributes", Member.Type.PAIRS, Link.ATTRIBUTES),
                new Member("dropped_attributes_count", Member.Type.NUMBER, Link.DROPPED_ATTRIBUTES_COUNT),
                new Member("flags", Member.Type.NUMBER, Link.FLAGS));
    }
}
