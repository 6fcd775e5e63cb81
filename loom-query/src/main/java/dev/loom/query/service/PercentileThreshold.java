package dev.loom.query.service;

import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.model.Value;
import dev.loom.query.model.ValueRange;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Finds the values above a percentile of a request's records. For one thread. */
record PercentileThreshold(
        Snapshot snapshot, SelectedSource selected, QueryExecution run, IndexFunction function, ResultHandler results) {
    /** The values above; null if there are none. Hands over the threshold. */
    @Nullable
    ValueRange find(BigDecimal percentile) {
        boolean exact = function.isExact();
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
        // what these scans lack, the scan that follows lacks too
        run.forgetMissing();
        return ties ? ValueRange.atLeast(value) : ValueRange.above(value);
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
