package dev.loom.server.request;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.IndexedText;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.QueryLimits;
import dev.loom.query.service.RecordSelection;
import dev.loom.query.service.RequestException;
import dev.loom.query.service.TraceRequest;
import dev.loom.query.service.TracesRequest;
import dev.loom.query.trace.TraceFields;
import dev.loom.query.trace.TraceId;
import dev.loom.query.trace.TraceParts;
import dev.loom.server.time.EventTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Makes requests for traces: chooses the sources whose records are asked. */
final class TraceSources {
    private final Snapshot snapshot;
    private final List<String> named;
    private final Consumer<String> remarks;

    /**
     * Prepares to choose.
     *
     * @param named the sources asked for; empty for those that suit
     * @param remarks takes which are left out
     */
    TraceSources(Snapshot snapshot, List<String> named, Consumer<String> remarks) {
        this.snapshot = snapshot;
        this.named = named;
        this.remarks = remarks;
    }

    TraceRequest trace(
            String text,
            TimeRange range,
            boolean eventTime,
            boolean logs,
            boolean tree,
            @Nullable Long recordsMax,
            QueryLimits limits) {
        TraceId id = id(text);
        List<RecordSelection> records = select(
                source -> TraceFields.mayName(source.format()) && (logs || TraceFields.maySpan(source.format())),
                source -> TraceRequest.records(id, timed(source, eventTime), range, eventTime));
        records.stream()
                .map(RecordSelection::source)
                .filter(source -> !limits.uses(QueryIndex.TEXT) || !hasFilters(source))
                .forEach(source -> remarks.accept("no token filters over trace_id of " + source.name()
                        + " are used: all its records in the range are read"));
        return new TraceRequest(
                id, records, tree, recordsMax == null ? TraceParts.RECORDS_MAX_DEFAULT : number(recordsMax), limits);
    }

    TracesRequest traces(
            SpanChoice spans,
            TimeRange range,
            boolean eventTime,
            boolean whole,
            boolean lastArrived,
            int matchesMax,
            @Nullable Long limit,
            QueryLimits limits) {
        spans.check();
        List<RecordSelection> records = select(
                source -> TraceFields.declareSpans(source.format()),
                source -> new RecordSelection(
                        timed(source, eventTime), range, eventTime, spans.conditions(source.format())));
        return new TracesRequest(
                records,
                spans.took(),
                whole,
                lastArrived,
                matchesMax,
                limit == null ? TracesRequest.LIMIT_DEFAULT : number(limit),
                limits);
    }

    /** @throws RequestException if event times are asked for, and the source has none */
    private static Source timed(Source source, boolean eventTime) {
        if (eventTime && EventTime.of(source) == null) {
            throw new RequestException("time", ": source has no event time: " + source.name());
        }
        return source;
    }

    /** Whether the text index takes the ids of traces from the source's records. */
    private static boolean hasFilters(Source source) {
        try {
            IndexedText indexed = IndexedText.of(source.format(), source.attributes());
            return indexed.hasValues(TraceFields.TRACE_ID) || indexed.hasWords(TraceFields.TRACE_ID);
        } catch (IllegalArgumentException e) {
            return false; // attributes of a later version
        }
    }

    private static TraceId id(String text) {
        try {
            return TraceId.parse(text);
        } catch (IllegalArgumentException e) {
            throw new RequestException("", "", e);
        }
    }

    private static int number(long value) {
        return (int) Math.max(-1, Math.min(value, Integer.MAX_VALUE));
    }

    /** The records of each source that has the fields; if none of those that suit has them, the first one's refusal. */
    private List<RecordSelection> select(Predicate<Source> suits, Function<Source, RecordSelection> records) {
        List<Source> sources = named.isEmpty()
                ? snapshot.sources().stream().filter(suits).toList()
                : named.stream()
                        .map(name -> SourceLookup.find(snapshot, name))
                        .distinct()
                        .toList();
        for (Source source : sources) {
            if (!TraceFields.mayName(source.format())) {
                throw new RequestException(
                        "source",
                        " has no field trace_id: " + source.name() + ", format="
                                + source.format().text());
            }
        }
        List<RecordSelection> selected = new ArrayList<>();
        List<String> leftOut = new ArrayList<>();
        RequestException first = null;
        for (Source source : sources) {
            try {
                selected.add(records.apply(source));
            } catch (RequestException e) {
                first = first == null ? e : first;
                leftOut.add(source.name() + " is left out, --" + e.getMessage());
            } catch (IllegalArgumentException e) {
                first = first == null ? new RequestException("", "", e) : first;
                leftOut.add(source.name() + " is left out: " + e.getMessage());
            }
        }
        if (selected.isEmpty() && first != null) {
            throw first;
        }
        leftOut.forEach(remarks);
        return selected;
    }
}
