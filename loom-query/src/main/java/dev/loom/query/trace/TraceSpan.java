package dev.loom.query.trace;

import java.util.List;

/**
 * A span as it was recorded. Texts are cut to {@link SpanReader#TEXT_BYTES_MAX} bytes, and events beyond {@link
 * SpanReader#EVENTS_MAX} are left out.
 *
 * @param source the name of its source
 * @param address of its record
 * @param spanId not zero
 * @param parentId zero if it has none
 * @param service empty if unknown, as the other texts
 * @param kind such as {@code server}
 * @param startNs epoch nanoseconds, from 0
 * @param endNs epoch nanoseconds, from 0; may be before the start
 * @param timed false if the record lacks its start or its end
 * @param error whether its status is an error
 * @param statusMessage what the status says
 * @param events in their order
 * @param eventsCount how many there are, with those left out
 */
public record TraceSpan(
        String source,
        long address,
        long spanId,
        long parentId,
        String service,
        String name,
        String kind,
        long startNs,
        long endNs,
        boolean timed,
        boolean error,
        String statusMessage,
        List<SpanEvent> events,
        long eventsCount) {
    /**
     * An event of a span.
     *
     * @param timeNs epoch nanoseconds, from 0; the span's start if unknown
     */
    public record SpanEvent(long timeNs, String name) {}

    public TraceSpan {
        events = List.copyOf(events);
    }

    /** The end, or the start if the end is before it. */
    public long lastNs() {
        return Math.max(startNs, endNs);
    }
}
