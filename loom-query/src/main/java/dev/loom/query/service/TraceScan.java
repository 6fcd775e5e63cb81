package dev.loom.query.service;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.RecordLookup;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.TextSearch;
import dev.loom.query.model.EventClock;
import dev.loom.query.trace.SpanReader;
import dev.loom.query.where.Where;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the records of one source after the other, newest first, for questions about traces. For one thread. */
final class TraceScan {
    /** Takes records. */
    interface Records {
        /**
         * One record.
         *
         * @param record stands on it
         * @param timeNs the event's if the source has a clock, else of arrival
         * @param asked whether it is one of those that are asked for
         * @return false if no record after it is of use
         */
        boolean take(QueryCursor record, SpanReader reader, long timeNs, boolean asked);
    }

    private final Snapshot snapshot;
    private final Function<Source, SourceClock> clocks;
    private final QueryExecution run;
    private final ResultHandler results;
    private long withoutTime;

    TraceScan(Snapshot snapshot, Function<Source, SourceClock> clocks, QueryExecution run, ResultHandler results) {
        this.snapshot = snapshot;
        this.clocks = clocks;
        this.run = run;
        this.results = results;
    }

    /** Reads the records of a source; false if the budget or a cancellation cut the scan short. */
    boolean read(RecordSelection selection, Records records) {
        return read(selection, selection, records);
    }

    /**
     * As above.
     *
     * @param asked those that are asked for, of the same source; null for none
     */
    boolean read(RecordSelection selection, @Nullable RecordSelection asked, Records records) {
        Source source = selection.source();
        SourceClock own = clock(source, selection.eventTime());
        SelectedSource selected = new SelectedSource(selection, selection.eventTime() ? own : null);
        results.onBegin(source);
        try (RecordLookup lookup = snapshot.lookup();
                QueryCursor record = run.prepare(selected.confine(RawScan.of(snapshot, source)))
                        .open()) {
            results.onLookup(lookup);
            SpanReader reader = new SpanReader(source, lookup, TextSearch.field(source));
            List<Where.Predicate> conditions = asked == null || asked.equals(selection)
                    ? List.of()
                    : asked.conditions().stream()
                            .map(condition -> condition.bind(source.format(), lookup))
                            .toList();
            boolean wanted = true;
            while (wanted && run.next(record)) {
                reader.wrap(record.address(), record.buffer(), record.offset(), record.length());
                long timeNs = own == null
                        ? record.timeNs()
                        : own.epochNs(lookup, record.buffer(), record.offset(), record.length());
                boolean meets = asked != null
                        && asked.range().contains(asked.eventTime() ? timeNs : record.timeNs())
                        && meets(conditions, lookup, record);
                wanted = records.take(record, reader, timeNs == EventClock.NONE ? record.timeNs() : timeNs, meets);
            }
            withoutTime += selected.withoutTime();
            return run.add(record);
        }
    }

    private static boolean meets(List<Where.Predicate> conditions, RecordLookup lookup, QueryCursor record) {
        for (Where.Predicate condition : conditions) {
            lookup.from(record.address());
            if (!condition.test(record.buffer(), record.offset(), record.length())) {
                return false;
            }
        }
        return true;
    }

    /** The clock of a source; null if it has none, and needs none. */
    private @Nullable SourceClock clock(Source source, boolean needed) {
        try {
            return clocks.apply(source);
        } catch (RequestException e) {
            if (needed) {
                throw e;
            }
            return null;
        }
    }

    /** How many records were left out because they carry no time. */
    long withoutTime() {
        return withoutTime;
    }
}
