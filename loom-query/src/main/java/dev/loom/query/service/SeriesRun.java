package dev.loom.query.service;

import dev.loom.api.Snapshot;
import dev.loom.format.FieldValue;
import dev.loom.format.RecordLookup;
import dev.loom.query.EventExtent;
import dev.loom.query.MetricSeries;
import dev.loom.query.RawScan;
import dev.loom.query.SeriesStep;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Runs a request for series: one scan of the metric's points in the order of their times. For one thread. */
final class SeriesRun {
    private static final int LOOK_EVERY = 1_024;
    private static final long ROOM_BYTES = 32L << 20;
    private static final long ROOM_BYTES_MIN = 1 << 20;

    private final Snapshot snapshot;
    private final SeriesRequest request;
    private final SelectedSource selected;
    private final SourceClock clock;
    private final QueryExecution run;
    private final ResultHandler results;
    private boolean found;
    /** The fields of groups that none has a value in: they may be misspelt. */
    private final Set<String> unseen;

    SeriesRun(
            Snapshot snapshot, SeriesRequest request, SelectedSource asked, QueryExecution run, ResultHandler results) {
        this.snapshot = snapshot;
        this.request = request;
        this.run = run;
        this.results = results;
        unseen = new TreeSet<>(request.by());
        clock = Objects.requireNonNull(asked.clock());
        RecordSelection records = request.records();
        List<Where> conditions = new ArrayList<>(records.conditions());
        conditions.add(new Where.Comparison("name", Operator.EQUAL, new Literal.Text(request.name())));
        selected = new SelectedSource(new RecordSelection(records.source(), records.range(), true, conditions), clock);
    }

    /** Returns the number of points left out because they carry no time. */
    long run() {
        Duration step = Duration.ZERO;
        TimeRange range;
        if (request.steps() == null) {
            range = range();
        } else {
            TimeRange held = valued();
            HistogramSteps steps =
                    held == null ? null : HistogramSteps.of(request.records().range(), held, request.steps());
            range = steps == null
                    ? null
                    : steps.whole(request.records().range()).range();
            step = steps == null ? step : steps.step();
        }
        if (range == null) {
            results.onNothing("no points of " + request.name() + " in the range");
            return 0;
        }
        SeriesRequest.Functions functions = request.functions();
        MetricSeries.Terms terms = new MetricSeries.Terms(
                request.by(),
                range,
                step,
                request.lookback(),
                functions.last(),
                functions.increase() || functions.rate(),
                functions.percentiles(),
                request.seriesMax());
        try (RecordLookup lookup = snapshot.lookup();
                MetricSeries series = new MetricSeries(
                        selected.source().format(), lookup, terms, run.memory(), this::isEnding, this::onStep)) {
            return run(series, terms, lookup);
        }
    }

    private long run(MetricSeries series, MetricSeries.Terms terms, RecordLookup lookup) {
        ResultHandler points = new ResultHandler() {
            private int handedOver;
            private boolean ending;

            @Override
            public void onRecord(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
                if (++handedOver % LOOK_EVERY == 0) {
                    ending = isEnding(); // many may have been kept, to be handed over in the order of their times
                }
                if (ending) {
                    return;
                }
                lookup.from(address);
                series.add(timeNs, buffer, offset, length);
            }
        };
        long room = run.memory().reserveShare(ROOM_BYTES_MIN, ROOM_BYTES);
        EventScan scan = new EventScan(run, clock, lookup, new LimitedRecords(points, Long.MAX_VALUE), room);
        scan.run(
                () -> selected.restrict(RawScan.of(snapshot, selected.source())),
                before(terms.range(), terms.lookback()),
                Order.OLDEST_FIRST);
        series.end();
        Limit limit = run.cancelled() ? Limit.CANCELLED : run.timeLeft().isZero() ? Limit.TIME : Limit.NONE;
        Map<String, Boolean> fields = new TreeMap<>();
        if (found) {
            unseen.forEach(field -> fields.put(field, false));
        }
        run.addWork(
                QueryStatistics.NONE.seeing(fields),
                new Completeness(0, 0, false, limit, run.completeness().reachesFuture()));
        if (!found) {
            results.onNothing("no points of " + request.name() + " in the range");
        }
        results.onSeriesEnd(
                request, new SeriesTally(series.series(), series.points(), series.duplicates(), series.withoutValue()));
        return scan.withoutTime();
    }

    private void onStep(SeriesStep step) {
        found = true;
        for (int i = 0; i < step.key().size() && !unseen.isEmpty(); i++) {
            if (step.key().get(i).kind() != FieldValue.Kind.ABSENT) {
                unseen.remove(request.by().get(i));
            }
        }
        results.onSeries(request, step);
    }

    private boolean isEnding() {
        return run.cancelled() || run.timeLeft().isZero();
    }

    /** The range, and the time before it in which points give what it begins with. */
    private static TimeRange before(TimeRange range, Duration lookback) {
        long fromNs = range.fromNs() - lookback.toNanos();
        return new TimeRange(fromNs > range.fromNs() ? Long.MIN_VALUE : fromNs, range.toNs());
    }

    /** From the first point on, to where the last one's value is still valid if an end is asked for; null if there are none. */
    private @Nullable TimeRange valued() {
        TimeRange wanted = request.records().range();
        TimeRange held = HistogramSteps.eventTimes(snapshot, selected, clock, run, before(wanted, request.lookback()));
        if (held == null || wanted.toNs() == Long.MAX_VALUE) {
            return held;
        }
        long toNs = held.toNs() + request.lookback().toNanos();
        return new TimeRange(held.fromNs(), toNs < held.toNs() ? Long.MAX_VALUE : toNs);
    }

    /** The range asked for, with the times of the first and the last point for open ends; null if there are no points. */
    private @Nullable TimeRange range() {
        TimeRange wanted = request.records().range();
        if (wanted.isBounded()) {
            return wanted;
        }
        EventExtent query = selected.restrict(
                        EventExtent.of(snapshot, selected.source().id(), clock))
                .eventRange(clock, wanted);
        EventExtent.Result found = run.prepare(query).run();
        run.add(found.statistics(), found.completeness());
        TimeRange held = found.times();
        if (held == null) {
            return null;
        }
        run.forgetMissing();
        long fromNs = wanted.fromNs() == Long.MIN_VALUE ? held.fromNs() : wanted.fromNs();
        long toNs = wanted.toNs() == Long.MAX_VALUE ? held.toNs() : wanted.toNs();
        return new TimeRange(fromNs, toNs);
    }
}
