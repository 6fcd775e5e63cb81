package dev.loom.server.loki;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.model.GroupLimitException;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.AggregateRequest;
import dev.loom.query.service.QueryLimits;
import dev.loom.query.service.QueryReport;
import dev.loom.query.service.RecordSelection;
import dev.loom.query.service.RequestException;
import dev.loom.query.service.ResultHandler;
import dev.loom.query.service.ScanRequest;
import dev.loom.query.service.SourceRequest;
import dev.loom.query.where.Where;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.loki.LogQl.Grouping;
import dev.loom.server.loki.LogQl.RangeAggregation;
import dev.loom.server.loki.LogQl.Selection;
import dev.loom.server.time.EpochTime;
import dev.loom.server.time.StoreTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.agrona.DirectBuffer;

/** One request over one snapshot: its sources, the queries that it runs, and what all of them lack. For one thread. */
final class LokiSession {
    private final String query;
    private final StoreQueries.Session session;
    private final Snapshot snapshot;
    private final long deadlineNs;
    private final int groupsMax;
    private final long aheadNs;
    private final Report report = new Report();

    /**
     * @param query the text that positions are in
     * @param limits of all queries together
     */
    LokiSession(
            String query, StoreQueries.Session session, Store store, Snapshot snapshot, StoreQueries.Limits limits) {
        this.query = query;
        this.session = session;
        this.snapshot = snapshot;
        this.deadlineNs = System.nanoTime() + limits.timeMax().toNanos();
        this.groupsMax = Math.min(LokiLimits.GROUPS_MAX, limits.groupsMax());
        this.aheadNs = StoreTime.aheadNs(store, snapshot, EpochTime.of(Instant.now()));
    }

    /** A source, with what its records have to meet to be among the lines of a selection. */
    record Selected(StreamSource of, SourceConditions conditions, RecordCondition condition) {
        RecordSelection records(TimeRange range) {
            return new RecordSelection(of.source(), range, of.eventTime(), condition.terms());
        }

        RecordSelection records(TimeRange range, RecordCondition more) {
            return new RecordSelection(
                    of.source(), range, of.eventTime(), condition.and(more).terms());
        }
    }

    /** The most groups of records that a query may make. */
    int groupsMax() {
        return groupsMax;
    }

    Report report() {
        return report;
    }

    QueryMemory memory() {
        return session.memory();
    }

    /** The sources that may have lines of a selection; without those before the last of a name that can't be asked, as a warning says. */
    List<Selected> select(Selection selection) {
        List<Selected> selected = new ArrayList<>();
        for (Source source : snapshot.sources()) {
            ask(source, () -> select(query, snapshot, source, selection)).ifPresent(selected::add);
        }
        return selected;
    }

    /** Asks something of a source; nothing, and a warning, if that is refused of one that is not the last of its name. */
    <T> Optional<T> ask(Source source, Supplier<Optional<T>> asking) {
        try {
            return asking.get();
        } catch (ApiFailure | RequestException e) {
            if (isLast(snapshot, source)) {
                throw e;
            }
            if (snapshot.statistics(source.id()).records() > 0) {
                report.warn(source.name(), "records from before it was defined again are left out: " + e.getMessage());
            }
            return Optional.empty();
        }
    }

    /**
     * A source, if it may have lines of a selection.
     *
     * @throws ApiFailure if something is not supported of the source
     */
    static Optional<Selected> select(String query, Snapshot snapshot, Source source, Selection selection) {
        StreamSource of = StreamSource.of(source);
        SourceConditions conditions = new SourceConditions(query, snapshot, of);
        RecordCondition condition = conditions.of(selection);
        return condition.isNever() ? Optional.empty() : Optional.of(new Selected(of, conditions, condition));
    }

    /** Whether a source is the last one of its name, which was not defined again. */
    static boolean isLast(Snapshot snapshot, Source source) {
        return snapshot.source(source.name()).filter(source::equals).isPresent();
    }

    /**
     * Runs a query within what is left of the time.
     *
     * @throws ApiFailure if the time was over before, or if there are too many groups
     */
    QueryReport run(Function<QueryLimits, SourceRequest> request, ResultHandler results) {
        Duration left = Duration.ofNanos(deadlineNs - System.nanoTime());
        if (left.isNegative() || left.isZero()) {
            throw timeout();
        }
        SourceRequest asked = request.apply(QueryLimits.NONE.withTimeMax(left));
        try {
            QueryReport ended = session.run(snapshot, asked, results);
            report.add(asked.records().source().name(), ended);
            if (aheadNs > 0 && !asked.records().eventTime()) {
                report.note(StoreTime.tellOfMachineTimes(aheadNs));
            }
            return ended;
        } catch (GroupLimitException e) {
            throw e.cap() == GroupLimitException.Cap.GROUPS
                    ? tooManySeries()
                    : ApiFailure.badRequest(
                            e.getMessage() + "; a longer step, a shorter range or other labels make fewer");
        }
    }

    static ApiFailure tooManySeries() {
        return ApiFailure.badRequest("maximum of series (" + LokiLimits.SERIES_MAX
                + ") reached for a single query; consider reducing query cardinality by adding more specific stream"
                + " selectors, reducing the time range, or aggregating results with functions like sum()");
    }

    static ApiFailure timeout() {
        return new ApiFailure(504, "timeout", "query timed out");
    }

    /** The mean length of a source's payloads; 0 if it has none. */
    double meanLength(Source source) {
        Source.Statistics held = snapshot.statistics(source.id());
        return held.records() == 0 ? 0 : (double) held.bytes() / held.records();
    }

    /** The number of records of a selection. */
    long count(Selected of, TimeRange range) {
        long[] count = {0};
        run(limits -> new AggregateRequest(of.records(range), null, List.of(), 0, limits), new ResultHandler() {
            @Override
            public void onAggregate(AggregateRequest request, IndexedAggregate.Result result) {
                count[0] = result.count();
            }
        });
        return count[0];
    }

    /** The streams that have lines of a selection, by some of their labels. */
    Set<Map<String, String>> streams(Selection selection, TimeRange range, List<String> labels) {
        Set<Map<String, String>> streams = new LinkedHashSet<>();
        if (range.fromNs() < range.toNs()) {
            Grid end = new Grid(range.toNs() - 1, 1, 1);
            List<String> others = LogQl.STREAM_LABELS.stream()
                    .filter(label -> !labels.contains(label))
                    .toList();
            RangeAggregation count = LokiQueries.count(selection, range.toNs() - range.fromNs());
            new RangeQuery(this, count, end, new Grouping(true, others))
                    .leaveOthersOut()
                    .run()
                    .forEach(series -> streams.add(series.labels()));
        }
        return streams;
    }

    /** Whether there is a record of a selection. */
    boolean hasRecords(Selected of, TimeRange range) {
        return exists(of, range, RecordCondition.ALWAYS);
    }

    /** Whether there is such a record. */
    private boolean exists(Selected of, TimeRange range, RecordCondition more) {
        boolean[] found = {false};
        run(limits -> new ScanRequest(of.records(range, more), Order.NEWEST_FIRST, 1, limits), new ResultHandler() {
            @Override
            public void onRecord(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
                found[0] = true;
            }
        });
        return found[0];
    }

    /**
     * The one field that a label names among the selected records.
     *
     * @return empty if there is none
     * @throws ApiFailure if it names several
     */
    String field(Selected of, String label, TimeRange range, int position) {
        List<String> fields = of.conditions().fields(label, position);
        if (fields.size() < 2) {
            return fields.isEmpty() ? "" : fields.get(0);
        }
        RecordCondition others = RecordCondition.NEVER;
        for (String field : fields.subList(1, fields.size())) {
            others = others.or(hasValue(field));
        }
        if (!exists(of, range, others)) {
            return fields.get(0);
        }
        List<String> present = new ArrayList<>();
        for (String field : fields) {
            if (exists(of, range, hasValue(field))) {
                present.add(field);
            }
        }
        if (present.size() > 1) {
            throw of.conditions()
                    .error(
                            "label names several fields: " + label + ", fields=" + present
                                    + "; name one with | json x=\"a.b\"",
                            position);
        }
        return present.isEmpty() ? fields.get(0) : present.get(0);
    }

    private static RecordCondition hasValue(String field) {
        return RecordCondition.of(new Where.Not(new Where.IsNull(field)));
    }
}
