package dev.loom.query.trace;

/**
 * A log record that names a trace. Texts are cut to {@link SpanReader#TEXT_BYTES_MAX} bytes.
 *
 * @param source the name of its source
 * @param address of its record
 * @param spanId the span that it names; zero for none
 * @param timeNs epoch nanoseconds, from 0: of the event if its record has that, else of arrival
 * @param severity such as {@code ERROR}; empty if unknown, as the other texts
 * @param text what it says
 */
public record TraceLog(
        String source, long address, long spanId, long timeNs, String severity, String service, String text) {}
