package dev.loom.query.trace;

import java.util.List;

/**
 * A trace on one line.
 *
 * @param foundNs the time of its last span that was asked for, epoch nanoseconds
 * @param startNs the earliest start of its spans
 * @param endNs their latest end
 * @param rooted whether a span without a parent was found; if not, the next two are of the span that starts first
 * @param service of the root span; empty if unknown, as its name
 * @param spans how many different ones
 * @param errors how many of them
 * @param countsExact false if there were too many spans to tell resent ones apart
 * @param services those of its spans, in order
 * @param servicesExact false if there are more
 * @param matched how many spans were asked for, if any are to be named; a resent one counts as the first one that was read
 * @param matches those that are named, the last arrived first
 */
public record TraceSummary(
        TraceId id,
        long foundNs,
        long startNs,
        long endNs,
        boolean rooted,
        String service,
        String name,
        long spans,
        long errors,
        boolean countsExact,
        List<String> services,
        boolean servicesExact,
        long matched,
        List<Match> matches) {
    /**
     * A span that was asked for.
     *
     * @param startNs epoch nanoseconds
     * @param endNs not before the start
     */
    public record Match(long spanId, String service, String name, long startNs, long endNs) {}

    public TraceSummary {
        services = List.copyOf(services);
        matches = List.copyOf(matches);
    }
}
