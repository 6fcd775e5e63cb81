package dev.loom.query.service;

import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.RecordLookup;
import dev.loom.query.Correlation;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.IndexedScan;
import dev.loom.query.model.Order;
import dev.loom.query.model.Value;
import dev.loom.query.model.ValueRange;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Runs one {@link CorrelationRequest}: finds the threshold, then the causes, then the matches. For one thread. */
final class CorrelationRun {
    private final Snapshot snapshot;
    private final CorrelationRequest request;
    private final SelectedSource selected;
    private final @Nullable SourceClock otherClock;
    private final QueryExecution run;
    private final ResultHandler results;
    private final IndexFunction function;

    /** @param otherClock of the source that is looked into; null for arrival times */
    CorrelationRun(
            Snapshot snapshot,
            CorrelationRequest request,
            SelectedSource selected,
            @Nullable SourceClock otherClock,
            QueryExecution run,
            ResultHandler results) {
        this.snapshot = snapshot;
        this.request = request;
        this.selected = selected;
        this.otherClock = otherClock;
        this.run = run;
        this.results = results;
        this.function = request.records().function(request.field());
    }

    void run() {
        UnaryOperator<IndexedScan> chosen = causes();
        if (chosen == null) {
            return;
        }
        Correlation query = Correlation.of(snapshot, request.with().id(), () -> {
                    IndexedScan scan = IndexedScan.of(
                                    snapshot, selected.source().id(), function)
                            .order(Order.OLDEST_FIRST);
                    return chosen.apply(run.prepare(selected.confine(scan))).open();
                })
                .window(request.before().toNanos(), request.after().toNanos())
                .distinct(request.distinct());
        CorrelationRequest.Overlap overlap = request.overlap();
        if (overlap != null) {
            query.durations(
                    request.records().function(overlap.ofCause()),
                    RecordSelection.number(request.with(), overlap.ofMatch()));
        }
        SourceClock clock = selected.clock();
        if (clock != null && otherClock != null) {
            query.eventTime(clock, otherClock).fromStart(clock.start(), otherClock.start());
        }
        match(run.prepare(query));
    }

    private void match(Correlation query) {
        try (RecordLookup lookup = snapshot.lookup();
                Correlation.Cursor match = query.open()) {
            results.onLookup(lookup);
            for (long left = request.limit(); left > 0 && run.next(match); left--) {
                results.onCause(match.causeAddress());
                results.onRecord(
                        match.matchedTimeNs(), match.address(), match.buffer(), match.offset(), match.length());
            }
            run.add(match);
            results.onMatched(new MatchSummary(match.causes(), match.causesWithoutSpan(), match.recordsWithoutSpan()));
        }
    }

    /** What selects the causes; null if there are no values, and so no causes. */
    private @Nullable UnaryOperator<IndexedScan> causes() {
        boolean exact = function.isExact();
        if (request.above() instanceof CorrelationRequest.Threshold.Above number) {
            Literal.Numeric threshold = number.value();
            Where condition = new Where.Comparison(request.field(), Operator.GREATER, threshold);
            RecordSelection.checked(() ->
                    IndexedScan.of(snapshot, selected.source().id(), function).where(condition));
            results.onThreshold(new CauseThreshold(threshold.value(), null, null, exact, false, 0));
            return scan -> scan.where(condition);
        }
        BigDecimal percentile = ((CorrelationRequest.Threshold.Percentile) request.above()).percentile();
        IndexedAggregate.Result result = aggregate(query -> query.percentiles(List.of(percentile)));
        Value value = result.percentiles().get(percentile);
        if (value == null) {
            results.onThreshold(new CauseThreshold(null, percentile, null, exact, false, result.count()));
            return null;
        }
        // values that equal the percentile but rank beyond it are above it, though not greater
        IndexedAggregate.Result greater = aggregate(query -> query.values(ValueRange.above(value)));
        boolean ties = result.count() - rank(percentile, result.count()) != greater.count() || greater.count() == 0;
        results.onThreshold(new CauseThreshold(null, percentile, value, exact, ties, result.count()));
        // what these scans lack, the scan of the causes lacks too
        run.forgetMissing();
        return scan -> scan.values(ties ? ValueRange.atLeast(value) : ValueRange.above(value));
    }

    private IndexedAggregate.Result aggregate(UnaryOperator<IndexedAggregate> asking) {
        IndexedAggregate query = RecordSelection.checked(() ->
                asking.apply(IndexedAggregate.of(snapshot, selected.source().id(), function)));
        IndexedAggregate.Result result = run.prepare(selected.confine(query)).run();
        run.add(result.statistics(), result.completeness());
        return result;
    }

    /** The percentile's rank, as {@link IndexedAggregate} counts it. */
    private static long rank(BigDecimal percentile, long count) {
        BigDecimal rank = percentile.multiply(BigDecimal.valueOf(count)).movePointLeft(2);
        return Math.max(1, rank.setScale(0, RoundingMode.CEILING).longValueExact());
    }
}
