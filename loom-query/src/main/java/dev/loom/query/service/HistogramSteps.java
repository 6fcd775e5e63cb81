package dev.loom.query.service;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.query.EventExtent;
import dev.loom.query.Histogram;
import dev.loom.query.Query;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.TimeRange;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Steps over the time in which there are records.
 *
 * @param range from the first step's start to the last step's end, or to the end of the range asked for
 */
record HistogramSteps(TimeRange range, Duration step) {
    private static final int COUNT_MIN = 8;

    int count() {
        return (int) range.steps(step);
    }

    /** The steps of a query; null if there are no records, and then the query has what the range lacks. */
    static @Nullable HistogramSteps of(
            Snapshot snapshot, SelectedSource selected, QueryExecution run, HistogramRequest.Steps asked) {
        HistogramSteps steps = find(snapshot, selected, run, asked);
        if (steps == null && selected.clock() == null) {
            TimeRange wanted = selected.records().range();
            addMissing(snapshot, selected, run, wanted.fromNs(), wanted.toNs(), Order.NEWEST_FIRST);
        }
        return steps;
    }

    private static @Nullable HistogramSteps find(
            Snapshot snapshot, SelectedSource selected, QueryExecution run, HistogramRequest.Steps asked) {
        SourceClock clock = selected.clock();
        TimeRange held = clock == null
                ? arrivals(snapshot, selected.source())
                : eventTimes(snapshot, selected, clock, run, selected.records().range());
        return held == null ? null : of(selected.records().range(), held, asked);
    }

    /** The steps over a range where it has times of the range held; null if it has none. */
    static @Nullable HistogramSteps of(TimeRange wanted, TimeRange held, HistogramRequest.Steps asked) {
        TimeRange range = wanted.and(held);
        if (range.isEmpty()) {
            return null;
        }
        long fromNs = range.fromNs();
        Duration step = asked.length();
        if (step == null) {
            // the range has as many spans of countMax nanoseconds as a step has nanoseconds
            step = Duration.ofNanos(round(range.steps(Duration.ofNanos(Math.max(asked.countMax(), COUNT_MIN)))));
        }
        long stepNs = step.toNanos();
        // start at a round time unless a start was asked for, or that time is below all longs or the one of open ranges
        long pastNs = Math.floorMod(Math.floorMod(fromNs, stepNs) - Math.floorMod(asked.originNs(), stepNs), stepNs);
        long roundNs = fromNs - pastNs;
        if (fromNs != wanted.fromNs() && roundNs <= fromNs && roundNs != Long.MIN_VALUE) {
            fromNs = Math.max(wanted.fromNs(), roundNs);
        }
        range = new TimeRange(fromNs, range.toNs());
        long steps = range.steps(step);
        if (Long.compareUnsigned(steps, Histogram.CELLS_MAX) > 0) {
            throw new RequestException(
                    "step",
                    " is too short: " + Long.toUnsignedString(steps) + " steps, at most " + Histogram.CELLS_MAX);
        }
        return new HistogramSteps(range, step);
    }

    /** Runs the histogram with these steps. */
    Histogram.Counts count(Histogram query, SelectedSource selected, QueryExecution run) {
        return run.count(limit(run.prepare(query), selected).step(step));
    }

    /** Limits a query to the range of the steps; returns it. */
    <Q extends Query<Q>> Q limit(Q query, SelectedSource selected) {
        SourceClock clock = selected.clock();
        return clock == null ? query.range(range) : query.eventRange(clock, range);
    }

    /** The same steps with a whole last one, as far as a range goes: what is counted per second needs the time that was waited. */
    HistogramSteps whole(TimeRange wanted) {
        long stepNs = step.toNanos();
        long lastNs = range.fromNs() + (count() - 1) * stepNs;
        long endNs = lastNs > Long.MAX_VALUE - stepNs ? Long.MAX_VALUE : lastNs + stepNs;
        return new HistogramSteps(new TimeRange(range.fromNs(), Math.min(endNs, wanted.toNs())), step);
    }

    /**
     * Adds what the range asked for lacks before the first step and behind the last one. The source has no records there, but may have
     * lost some.
     */
    void addMissing(Snapshot snapshot, SelectedSource selected, QueryExecution run) {
        TimeRange wanted = selected.records().range();
        // event times say nothing of when records were lost: the steps lack all that were
        if (selected.clock() == null) {
            addMissing(snapshot, selected, run, wanted.fromNs(), range.fromNs(), Order.OLDEST_FIRST);
            addMissing(snapshot, selected, run, range.toNs(), wanted.toNs(), Order.NEWEST_FIRST);
            RawScan all = RawScan.of(snapshot, selected.source()).range(wanted);
            try (QueryCursor none = run.prepare(all).open()) {
                run.lost(none.completeness().lost());
            }
        }
    }

    private static void addMissing(
            Snapshot snapshot, SelectedSource selected, QueryExecution run, long fromNs, long toNs, Order order) {
        if (fromNs < toNs) {
            RawScan scan = RawScan.of(snapshot, selected.source())
                    .range(new TimeRange(fromNs, toNs))
                    .order(order);
            try (QueryCursor record =
                    run.prepare(scan).use(QueryIndex.TIME, true).open()) {
                record.next();
                run.addMissing(record.completeness());
            }
        }
    }

    /** From the first record's arrival to behind the last one's; null if there are no records. */
    static @Nullable TimeRange arrivals(Snapshot snapshot, Source source) {
        Source.Statistics statistics = snapshot.statistics(source.id());
        return statistics.records() == 0 ? null : TimeRange.closed(statistics.firstTimeNs(), statistics.lastTimeNs());
    }

    /** From the first event time of a source's records in a range to behind the last one; null if there are none. */
    static @Nullable TimeRange eventTimes(
            Snapshot snapshot, SelectedSource selected, SourceClock clock, QueryExecution run, TimeRange range) {
        EventExtent query =
                EventExtent.of(snapshot, selected.source().id(), clock).eventRange(clock, range);
        EventExtent.Result found = run.prepare(query).run();
        run.add(found.statistics(), found.completeness());
        if (found.times() != null) {
            // what this scan lacks, the counts lack too
            run.forgetMissing();
        }
        return found.times();
    }

    private static long ceilDiv(long dividend, long divisor) {
        return -Math.floorDiv(-dividend, divisor);
    }

    /** Rounds up to 1, 2 or 5 times a power of ten, or to a round number of minutes, hours or days. */
    static long round(long ns) {
        long minute = 60_000_000_000L;
        if (ns > minute / 2) {
            for (long minutes : new long[] {1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440}) {
                if (minutes * minute >= ns) {
                    return minutes * minute;
                }
            }
            return ceilDiv(ns, 1440 * minute) * 1440 * minute;
        }
        long power = 1;
        while (power * 10 <= ns) {
            power *= 10;
        }
        return ns <= power ? power : ns <= 2 * power ? 2 * power : ns <= 5 * power ? 5 * power : 10 * power;
    }
}
