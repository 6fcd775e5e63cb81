package dev.loom.query.service;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.format.RecordLookup;
import dev.loom.query.Histogram;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.MetricCatalog;
import dev.loom.query.ProgressiveCount;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.TopRecords;
import dev.loom.query.model.QueryMemory;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs requests in constant memory: what the operators state; at most 32 MiB, or a quarter of what is left, for the records that an
 * order by event time holds back; and four times the longest payload over 64 KiB.
 *
 * <p>One service belongs to one caller, whose queries it can cancel together. Its methods may be called from any thread.
 */
public final class QueryService {
    /** The most cells, 2 MiB, that are counted in without knowing which of them stay empty. */
    private static final int CELLS_AT_ONCE_MAX = 1 << 18;

    /** Memory for the records that event-time order holds back. */
    private static final long EVENT_ROOM_BYTES = 32L << 20;

    private static final long EVENT_ROOM_BYTES_MIN = 1 << 20;

    private final Function<Source, SourceClock> clocks;
    private final QueryMemory memory;
    private final BooleanSupplier cancelled;

    /**
     * Prepares to run requests.
     *
     * @param clocks makes the clock of a source for one query; throws a {@link RequestException} if its records carry no times
     * @param memory where queries reserve what they need
     * @param cancelled ends the queries soon, with what they have found
     */
    public QueryService(Function<Source, SourceClock> clocks, QueryMemory memory, BooleanSupplier cancelled) {
        this.clocks = clocks;
        this.memory = memory;
        this.cancelled = cancelled;
    }

    /**
     * Runs a request, and returns when all its results are handed over.
     *
     * @param snapshot of the store whose sources the request names
     * @throws RequestException if the snapshot shows that the request makes no sense
     * @throws QueryMemory.Exhausted if memory is used up
     * @throws dev.loom.query.model.GroupLimitException if there are more groups or distinct values than a request's caps, or more series
     * @throws dev.loom.query.model.TraceLimitException if a trace has more spans and log records than a request's cap
     */
    public QueryReport run(Snapshot snapshot, QueryRequest request, ResultHandler results) {
        QueryExecution run = new QueryExecution(request.limits(), memory, cancelled, results);
        if (request instanceof SourceRequest ofSource) {
            return run(snapshot, ofSource, run, results);
        }
        TraceScan scan = new TraceScan(snapshot, clocks, run, results);
        if (request instanceof TraceRequest trace) {
            new TraceRun(trace, scan, run, results).run();
        } else if (request instanceof TracesRequest traces) {
            new TracesRun(traces, scan, run, results).run();
        }
        return run.report(scan.withoutTime(), false);
    }

    private QueryReport run(Snapshot snapshot, SourceRequest request, QueryExecution run, ResultHandler results) {
        RecordSelection records = request.records();
        SelectedSource selected =
                new SelectedSource(records, records.eventTime() ? clocks.apply(records.source()) : null);
        if (request instanceof CorrelationRequest correlation) {
            SourceClock other = records.eventTime() ? clocks.apply(correlation.with()) : null;
            results.onBegin(correlation.with());
            new CorrelationRun(snapshot, correlation, selected, other, run, results).run();
            return run.report(selected.withoutTime(), false);
        }
        results.onBegin(records.source());
        if (request instanceof ScanRequest scan) {
            return run.report(scan(snapshot, scan, selected, run, results), true);
        } else if (request instanceof TopRequest top) {
            top(snapshot, top, selected, run, results);
        } else if (request instanceof AggregateRequest aggregate) {
            aggregate(snapshot, aggregate, selected, run, results);
        } else if (request instanceof GroupRequest groups) {
            new GroupedRun(snapshot, groups, selected, run, results)
                    .run((covered, found) -> results.onGroups(groups, covered, run.completeness(), found));
        } else if (request instanceof ValuesRequest values) {
            new GroupedRun(snapshot, values.groups(), selected, run, results)
                    .run((covered, found) -> results.onValues(values, found));
        } else if (request instanceof HistogramRequest histogram) {
            histogram(snapshot, histogram, selected, run, results);
        } else if (request instanceof DifferenceRequest difference) {
            new DifferenceRun(snapshot, difference, selected, run, results).find();
        } else if (request instanceof MetricsRequest metrics) {
            metrics(snapshot, metrics, selected, clock(records.source()), run, results);
        } else if (request instanceof SeriesRequest series) {
            return run.report(new SeriesRun(snapshot, series, selected, run, results).run(), true);
        } else if (request instanceof CountRequest count) {
            count(snapshot, count, selected, run, results);
        }
        return run.report(selected.withoutTime(), false);
    }

    /**
     * Hands over the last records of a source, oldest first, and then those that arrive, each once, even if the writer restarts,
     * until the source is closed, the request's time is over, or the query is cancelled.
     *
     * @param stores attaches to the store; each is closed
     * @param asked makes the request from the first snapshot
     * @throws RequestException as {@code asked} does
     */
    public QueryReport tail(Supplier<Store> stores, Function<Snapshot, TailRequest> asked, ResultHandler results) {
        return new TailScan(stores, asked, results, limits -> new QueryExecution(limits, memory, cancelled, results))
                .run();
    }

    /** The clock of a source; null if its records carry no times. */
    private @Nullable SourceClock clock(Source source) {
        try {
            return clocks.apply(source);
        } catch (RequestException e) {
            return null;
        }
    }

    /** Returns the number of records left out because they carry no time. */
    private static long scan(
            Snapshot snapshot,
            ScanRequest request,
            SelectedSource selected,
            QueryExecution run,
            ResultHandler results) {
        LimitedRecords found = new LimitedRecords(results, request.limit());
        SourceClock clock = selected.clock();
        try (RecordLookup lookup = snapshot.lookup()) {
            results.onLookup(lookup);
            if (clock != null && !request.asStored()) {
                long room = run.memory().reserveShare(EVENT_ROOM_BYTES_MIN, EVENT_ROOM_BYTES);
                try {
                    EventScan scan = new EventScan(run, clock, lookup, found, room);
                    scan.run(
                            () -> selected.restrict(RawScan.of(snapshot, selected.source()))
                                    .addresses(request.addresses()),
                            request.records().range(),
                            request.order());
                    return scan.withoutTime();
                } finally {
                    run.memory().release(room); // one who asks may ask for many scans
                }
            } else if (!found.full()) {
                RawScan scan = selected.confine(RawScan.of(snapshot, selected.source()))
                        .addresses(request.addresses())
                        .order(request.order());
                try (QueryCursor record = run.prepare(scan).open()) {
                    while (!found.full() && run.next(record)) {
                        long timeNs = record.timeNs();
                        if (clock != null) {
                            lookup.from(record.address());
                            timeNs = clock.epochNs(lookup, record.buffer(), record.offset(), record.length());
                        }
                        found.add(timeNs, record.address(), record.buffer(), record.offset(), record.length());
                    }
                    run.add(record);
                }
            }
            return selected.withoutTime();
        }
    }

    private static void top(
            Snapshot snapshot, TopRequest request, SelectedSource selected, QueryExecution run, ResultHandler results) {
        IndexFunction function = request.records().function(request.field());
        TopRecords query = TopRecords.of(snapshot, selected.source().id(), function, request.count());
        if (request.smallest()) {
            query.smallest();
        }
        SourceClock clock = selected.clock();
        try (RecordLookup lookup = snapshot.lookup();
                TopRecords.Cursor cursor = run.prepare(selected.confine(query)).open()) {
            results.onLookup(lookup);
            while (run.next(cursor)) {
                lookup.from(cursor.address());
                long timeNs = clock == null
                        ? cursor.timeNs()
                        : clock.epochNs(lookup, cursor.buffer(), cursor.offset(), cursor.length());
                results.onRecord(timeNs, cursor.address(), cursor.buffer(), cursor.offset(), cursor.length());
            }
            run.add(cursor);
        }
    }

    private static void aggregate(
            Snapshot snapshot,
            AggregateRequest request,
            SelectedSource selected,
            QueryExecution run,
            ResultHandler results) {
        IndexFunction function = request.records().function(request.field());
        IndexedAggregate query = RecordSelection.checked(
                () -> IndexedAggregate.of(snapshot, selected.source().id(), function));
        IndexedAggregate.Result result = run.prepare(selected.confine(
                        query.percentiles(request.percentiles()).within(request.within())))
                .run();
        run.add(result.statistics(), result.completeness());
        results.onAggregate(request, result);
    }

    private static void metrics(
            Snapshot snapshot,
            MetricsRequest request,
            SelectedSource selected,
            @Nullable SourceClock clock,
            QueryExecution run,
            ResultHandler results) {
        MetricCatalog query = MetricCatalog.of(snapshot, selected.source().id()).seriesMax(request.seriesMax());
        if (clock != null) {
            query.times(clock);
        }
        MetricCatalog.Result found = run.prepare(selected.confine(query)).run();
        run.add(found.statistics(), found.completeness());
        if (found.metrics().isEmpty()) {
            results.onNothing("no records in the range");
        }
        results.onMetrics(request, found.metrics());
    }

    private static void histogram(
            Snapshot snapshot,
            HistogramRequest request,
            SelectedSource selected,
            QueryExecution run,
            ResultHandler results) {
        IndexFunction function = request.records().function(request.field());
        HistogramSteps steps = null;
        if (request.byTime() != null) {
            steps = HistogramSteps.of(snapshot, selected, run, request.byTime());
            if (steps == null) {
                results.onNothing("no records in the range");
                return;
            }
        }
        if (!request.byValue() && steps != null) {
            Histogram query =
                    selected.restrict(Histogram.of(snapshot, selected.source().id(), function));
            Histogram.Counts counts = steps.count(query.oneBin(), selected, run);
            steps.addMissing(snapshot, selected, run);
            results.onHistogram(request, counts, List.of());
            return;
        }
        Histogram every = selected.restrict(byValue(snapshot, selected, function));
        if (steps != null && request.groupsMax() == Integer.MAX_VALUE && fits(every, steps)) {
            Histogram.Counts counts = steps.count(every, selected, run);
            if (counts.count() == 0) {
                results.onNothing("no values in the range");
                return;
            }
            steps.addMissing(snapshot, selected, run);
            results.onHistogram(request, counts, BinGroup.each(counts.bins()));
            return;
        }
        Histogram.Counts values = run.count(run.prepare(selected.confine(byValue(snapshot, selected, function))));
        if (steps == null) {
            results.onHistogram(request, values, BinGroup.of(values, request.groupsMax()));
            return;
        }
        // first by value alone, to find the bins that are not empty
        int room = Math.min(Bins.EDGES_COUNT_MAX, Histogram.CELLS_MAX / steps.count());
        List<BinGroup> groups = BinGroup.of(values, Math.min(room, request.groupsMax()));
        if (groups.isEmpty()) {
            results.onNothing("no values in the range");
            return;
        }
        run.forgetMissing();
        Histogram query = selected.restrict(byValue(snapshot, selected, function));
        Histogram.Counts counts = steps.count(query.groups(BinGroup.ends(groups)), selected, run);
        steps.addMissing(snapshot, selected, run);
        results.onHistogram(request, counts, groups);
    }

    /** Whether all bins can be counted in at once, the empty ones too. */
    private static boolean fits(Histogram query, HistogramSteps steps) {
        return (long) query.binCount() * steps.count() <= CELLS_AT_ONCE_MAX;
    }

    private static void count(
            Snapshot snapshot,
            CountRequest request,
            SelectedSource selected,
            QueryExecution run,
            ResultHandler results) {
        HistogramSteps steps = HistogramSteps.of(snapshot, selected, run, request.steps());
        if (steps == null) {
            results.onNothing("no records in the range");
            return;
        }
        ProgressiveCount query = run.prepare(selected.restrict(
                ProgressiveCount.of(snapshot, selected.source().id())));
        ProgressiveCount.Counts counts = steps.limit(query, selected)
                .step(steps.step())
                .run(round -> results.onEstimate(request, round) && !isWithin(round, request.withinShare()));
        run.add(counts.statistics(), counts.completeness());
        steps.addMissing(snapshot, selected, run);
        results.onCount(request, counts);
    }

    /** Whether the sum of all steps is known well enough. */
    private static boolean isWithin(ProgressiveCount.Counts counts, double share) {
        long off = Math.max(counts.high() - counts.count(), counts.count() - counts.low());
        return share > 0 && counts.round() > 0 && off <= share * counts.count();
    }

    /** A histogram with the bins of an index over the function, if there is one. */
    private static Histogram byValue(Snapshot snapshot, SelectedSource selected, IndexFunction function) {
        Histogram query = Histogram.of(snapshot, selected.source().id(), function);
        for (Index index : snapshot.indexes(selected.source().id())) {
            if (index.kind() == Index.Kind.VALUE && index.function().equals(function)) {
                query.bins(index.bins());
            }
        }
        return query;
    }
}
