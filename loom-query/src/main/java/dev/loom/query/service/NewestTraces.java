package dev.loom.query.service;

import dev.loom.query.trace.TraceId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * The traces whose spans are the newest, whatever the order in which spans come; a trace that was dropped comes back with a newer span.
 * For one thread.
 */
final class NewestTraces {
    private record Entry(long timeNs, TraceId id) {}

    private static final Comparator<Entry> ORDER = Comparator.comparingLong(Entry::timeNs)
            .thenComparing(entry -> entry.id().high())
            .thenComparing(entry -> entry.id().low());

    private final int limit;
    private final Map<TraceId, Entry> entries = new HashMap<>();
    private final TreeSet<Entry> ordered = new TreeSet<>(ORDER);

    /** @param limit the most traces, at least 1 */
    NewestTraces(int limit) {
        this.limit = limit;
    }

    /** Whether a span of this time may change anything. */
    boolean wants(long timeNs) {
        return entries.size() < limit || timeNs > ordered.first().timeNs();
    }

    void add(TraceId id, long timeNs) {
        Entry before = entries.get(id);
        if (before != null && before.timeNs() >= timeNs) {
            return;
        } else if (before != null) {
            ordered.remove(before);
        } else if (entries.size() == limit) {
            entries.remove(ordered.pollFirst().id());
        }
        Entry entry = new Entry(timeNs, id);
        entries.put(id, entry);
        ordered.add(entry);
    }

    /** The traces, and the time of each one's newest span. */
    Map<TraceId, Long> newestFirst() {
        Map<TraceId, Long> traces = new LinkedHashMap<>();
        ordered.descendingIterator().forEachRemaining(entry -> traces.put(entry.id(), entry.timeNs()));
        return traces;
    }
}
