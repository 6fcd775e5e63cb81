package dev.loom.query.service;

import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.RecordLookup;
import dev.loom.query.Correlation;
import dev.loom.query.IndexedScan;
import dev.loom.query.model.Order;
import dev.loom.query.model.ValueRange;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import java.math.BigDecimal;
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
        Correlation query = Correlation.of(snapshot, request.with().id(), left -> {
                    IndexedScan scan = IndexedScan.of(
                                    snapshot, selected.source().id(), function)
                            .addresses(request.addresses())
                            .order(Order.OLDEST_FIRST);
                    return chosen.apply(run.prepare(selected.confine(scan)).budget(left))
                            .open();
                })
                .window(request.before(), request.after())
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
        request.withConditions().forEach(query::where);
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
        ValueRange above = new PercentileThreshold(snapshot, selected, run, function, results).find(percentile);
        return above == null ? null : scan -> scan.values(above);
    }
}
