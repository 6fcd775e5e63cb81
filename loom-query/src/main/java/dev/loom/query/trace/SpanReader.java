package dev.loom.query.trace;

import dev.loom.api.Source;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.FieldValue.Kind;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.trace.TraceSpan.SpanEvent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Reads the records of one source as spans and log records of traces. For one thread. */
public final class SpanReader {
    /** The most bytes of a text, in UTF-8. */
    public static final int TEXT_BYTES_MAX = 1024;

    /** The most events of a span. */
    public static final int EVENTS_MAX = 64;

    /** Stands for a duration that is not known. */
    public static final long UNKNOWN = Long.MIN_VALUE;

    private static final long NONE = -1;
    private static final String CUT = "…";
    private static final String[] SEVERITIES = {"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"};
    private static final int SEVERITY_STEPS = 4;

    private static final PayloadFormat JSON = Formats.parse("json");
    private static final FieldReader EVENT_TIME = Objects.requireNonNull(JSON.field("time"));
    private static final FieldReader EVENT_NAME = Objects.requireNonNull(JSON.field("name"));

    private final Source source;
    private final boolean declared;
    private final FieldValue value = new FieldValue();
    private final FieldValue element = new FieldValue();
    private final FieldValue member = new FieldValue();
    private final FieldValue.JsonView view = new FieldValue.JsonView();

    private final List<FieldReader> traceId;
    private final List<FieldReader> spanId;
    private final List<FieldReader> parentId;
    private final List<FieldReader> services;
    private final List<FieldReader> name;
    private final List<FieldReader> kind;
    private final List<FieldReader> start;
    private final List<FieldReader> end;
    private final List<FieldReader> duration;
    private final List<FieldReader> status;
    private final List<FieldReader> statusMessage;
    private final List<FieldReader> events;
    private final List<FieldReader> eventsCount;
    private final List<FieldReader> time;
    private final List<FieldReader> severities;
    private final List<FieldReader> texts;

    private DirectBuffer payload = value.bytes();
    private int offset;
    private int length;

    /**
     * Reads the records of a source.
     *
     * @param lookup finds the records that they refer to
     * @param textField the field that holds what a log record says; null for the usual ones
     */
    public SpanReader(Source source, RecordLookup lookup, @Nullable String textField) {
        this.source = source;
        PayloadFormat format = source.format();
        declared = TraceFields.declareSpans(format);
        value.lookup(lookup);
        traceId = readers(format, TraceFields.TRACE_ID);
        spanId = readers(format, TraceFields.SPAN_ID);
        parentId = readers(format, TraceFields.PARENT_ID);
        services = readers(format, TraceFields.SERVICES.toArray(String[]::new));
        name = readers(format, TraceFields.NAME);
        kind = readers(format, "kind");
        start = readers(format, TraceFields.START);
        end = readers(format, TraceFields.END);
        duration = readers(format, TraceFields.DURATION);
        status = readers(format, TraceFields.STATUS);
        statusMessage = readers(format, "status_message");
        events = readers(format, "events");
        eventsCount = readers(format, "events_count");
        String timeField = format.eventTimeField();
        time = timeField == null ? List.of() : readers(format, timeField);
        severities = readers(format, "severity_text", "level", "severity");
        texts = textField == null
                ? readers(format, "body", "message", "msg", "event_name")
                : readers(format, textField);
    }

    private static List<FieldReader> readers(PayloadFormat format, String... names) {
        return Arrays.stream(names).map(format::field).filter(Objects::nonNull).toList();
    }

    /** Stands at a record whose payload is at {@code [offset, offset + length)}, which must not change until the next one. */
    public void wrap(long address, DirectBuffer buffer, int payloadOffset, int payloadLength) {
        value.from(address);
        payload = buffer;
        offset = payloadOffset;
        length = payloadLength;
    }

    /** The trace that the record names; null if it names none. */
    public @Nullable TraceId traceId() {
        long high = id(traceId, 0, TraceId.DIGITS);
        long low = id(traceId, TraceId.SPAN_DIGITS, TraceId.DIGITS);
        return (high | low) == 0 ? null : new TraceId(high, low);
    }

    /** The id of the span that the record is, or names; zero if it names none. */
    public long spanId() {
        return id(spanId, 0, TraceId.SPAN_DIGITS);
    }

    /** The id of the span's parent; zero if it has none. */
    public long parentId() {
        return id(parentId, 0, TraceId.SPAN_DIGITS);
    }

    /** Whether the record is a span. */
    public boolean isSpan() {
        return spanId() != 0 && (declared || times() >= 2);
    }

    private int times() {
        return (number(start) != NONE ? 1 : 0) + (number(end) != NONE ? 1 : 0) + (isInteger(duration) ? 1 : 0);
    }

    /**
     * The record as a span.
     *
     * @param arrivalNs stands for times that it lacks
     */
    public TraceSpan span(long address, long arrivalNs) {
        long startNs = number(start);
        long endNs = number(end);
        boolean lasts = isInteger(duration);
        long lastedNs = lasts ? value.longValue() : 0;
        boolean timed = startNs != NONE ? endNs != NONE || lasts : endNs != NONE && lasts;
        if (startNs == NONE && endNs == NONE) {
            endNs = Math.max(0, arrivalNs);
        }
        if (startNs == NONE) {
            startNs = moved(endNs, lasts ? -lastedNs : 0);
        } else if (endNs == NONE) {
            endNs = moved(startNs, lastedNs);
        }
        List<SpanEvent> found = new ArrayList<>();
        long count = events(startNs, found);
        long counted = number(eventsCount);
        return new TraceSpan(
                source.name(),
                address,
                id(spanId, 0, TraceId.SPAN_DIGITS),
                parentId(),
                service(),
                text(name),
                text(kind),
                startNs,
                endNs,
                timed,
                error(),
                text(statusMessage),
                found,
                Math.max(count, counted));
    }

    /** The record as a log record. */
    public TraceLog log(long address, long arrivalNs) {
        long timeNs = number(time);
        return new TraceLog(
                source.name(),
                address,
                id(spanId, 0, TraceId.SPAN_DIGITS),
                timeNs == NONE ? Math.max(0, arrivalNs) : timeNs,
                severity(),
                service(),
                text(texts));
    }

    /** How long the span took, negative if it ended before it began; {@link #UNKNOWN} if its record does not say. */
    public long durationNs() {
        if (isInteger(duration)) {
            return value.longValue();
        }
        long startNs = number(start);
        long endNs = number(end);
        return startNs == NONE || endNs == NONE ? UNKNOWN : endNs - startNs;
    }

    /** The service of the span or log record; empty if it names none. */
    public String service() {
        return text(services);
    }

    private boolean error() {
        return TraceFields.ERRORS.contains(text(status));
    }

    private String severity() {
        for (FieldReader reader : severities) {
            reader.read(payload, offset, length, value);
            if (value.kind() == Kind.TEXT) {
                return text(value);
            } else if (value.kind() == Kind.INTEGER
                    && value.longValue() >= 1
                    && value.longValue() <= (long) SEVERITIES.length * SEVERITY_STEPS) {
                return SEVERITIES[(int) (value.longValue() - 1) / SEVERITY_STEPS];
            }
        }
        return "";
    }

    private static long moved(long timeNs, long byNs) {
        long moved = timeNs + byNs;
        return byNs > 0 && moved < timeNs ? Long.MAX_VALUE : Math.max(0, moved);
    }

    /** Adds the first events; returns how many there are, as far as they were read. */
    private long events(long startNs, List<SpanEvent> into) {
        if (!read(events) || value.kind() != Kind.JSON) {
            return 0;
        }
        long count = 0;
        view.elementsOf(value);
        while (view.next(element)) {
            if (element.kind() != Kind.JSON) {
                continue;
            }
            if (++count <= EVENTS_MAX) {
                EVENT_TIME.read(element.bytes(), element.offset(), element.length(), member);
                long timeNs = number(member);
                EVENT_NAME.read(element.bytes(), element.offset(), element.length(), member);
                into.add(new SpanEvent(timeNs == NONE ? startNs : timeNs, text(member)));
            }
        }
        return count;
    }

    /** Reads the first of some fields that has a value. */
    private boolean read(List<FieldReader> readers) {
        for (FieldReader reader : readers) {
            reader.read(payload, offset, length, value);
            if (value.kind() != Kind.ABSENT) {
                return true;
            }
        }
        return false;
    }

    private boolean isInteger(List<FieldReader> readers) {
        return read(readers) && value.kind() == Kind.INTEGER;
    }

    private long number(List<FieldReader> readers) {
        return read(readers) ? number(value) : NONE;
    }

    /** A time, from 0; {@link #NONE} if it is no integer. */
    private static long number(FieldValue of) {
        return switch (of.kind()) {
            case INTEGER -> Math.max(0, of.longValue());
            case UNSIGNED -> Long.MAX_VALUE;
            default -> NONE;
        };
    }

    /** Sixteen digits of an id from one of them on; zero if the field has not the digits of an id. */
    private long id(List<FieldReader> readers, int from, int digits) {
        if (!read(readers) || value.kind() != Kind.TEXT || value.length() != digits) {
            return 0;
        }
        long id = 0;
        for (int i = 0; i < digits; i++) {
            int digit = Character.digit(value.bytes().getByte(value.offset() + i), 16);
            if (digit < 0) {
                return 0;
            }
            id = i >= from && i < from + TraceId.SPAN_DIGITS ? id << 4 | digit : id;
        }
        return id;
    }

    private String text(List<FieldReader> readers) {
        return read(readers) ? text(value) : "";
    }

    private static String text(FieldValue of) {
        return switch (of.kind()) {
            case TEXT, JSON -> cut(of);
            case BYTES -> of.length() + " bytes";
            case ABSENT, INTEGER, UNSIGNED, DOUBLE, BOOLEAN -> of.text();
        };
    }

    private static String cut(FieldValue of) {
        if (of.length() <= TEXT_BYTES_MAX) {
            return of.bytes().getStringWithoutLengthUtf8(of.offset(), of.length());
        }
        byte[] bytes = new byte[TEXT_BYTES_MAX];
        of.bytes().getBytes(of.offset(), bytes);
        int end = bytes.length;
        while (end > bytes.length - 4 && (of.bytes().getByte(of.offset() + end) & 0xC0) == 0x80) {
            end--; // not within a character
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8) + CUT;
    }
}
