package dev.loom.server.json;

import dev.loom.api.IndexFunction;
import dev.loom.query.Histogram;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.ProgressiveCount;
import dev.loom.query.model.PercentileBounds;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.AggregateRequest;
import dev.loom.query.service.BinGroup;
import dev.loom.query.service.HistogramRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Results as rows of named values, as JSON has them. */
public final class ResultRows {
    private ResultRows() {}

    /** An aggregate as one row. */
    public static Map<String, @Nullable Object> aggregate(AggregateRequest request, IndexedAggregate.Result result) {
        IndexFunction function = request.records().function(request.field());
        TimeRange range = request.records().range();
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("source", request.records().source().name());
        if (request.field() != null) {
            row.put("field", request.field());
        }
        row.put("from", range.fromNs() == Long.MIN_VALUE ? null : range.fromNs());
        row.put("to", range.toNs() == Long.MAX_VALUE ? null : range.toNs());
        row.put("count", result.count());
        if (request.field() != null) {
            row.put("sum", NumberText.sum(result.sum()));
            row.put("min", NumberText.number(result.min().orElse(null), function.isExact()));
            row.put("max", NumberText.number(result.max().orElse(null), function.isExact()));
            row.put("mean", result.count() == 0 ? null : (Object) result.mean());
            Map<String, @Nullable Object> percentiles = new LinkedHashMap<>();
            request.percentiles()
                    .forEach(percentile -> percentiles.put(
                            percentile.toPlainString(),
                            percentile(request, result.bounds().get(percentile), function.isExact())));
            row.put("percentiles", percentiles);
        }
        row.put("complete", result.completeness().complete());
        row.put("lost", result.completeness().lost());
        return row;
    }

    private static @Nullable Object percentile(
            AggregateRequest request, @Nullable PercentileBounds bounds, boolean exact) {
        if (bounds == null || request.within() == 0) {
            return NumberText.number(bounds == null ? null : bounds.lower(), exact);
        }
        Map<String, @Nullable Object> known = new LinkedHashMap<>();
        known.put("estimate", bounds.estimate());
        known.put("lower", NumberText.number(bounds.lower(), exact));
        known.put("upper", NumberText.number(bounds.upper(), exact));
        return known;
    }

    /** A histogram as a row for each step, or for each bin or cell that holds values. */
    public static void histogram(
            HistogramRequest request,
            Histogram.Counts counts,
            List<BinGroup> groups,
            Consumer<Map<String, @Nullable Object>> rows) {
        for (int step = 0; step < counts.steps(); step++) {
            if (!request.byValue()) {
                rows.accept(step(counts, step));
            } else if (request.byTime() == null) {
                for (BinGroup group : groups) {
                    putCell(request, counts, step, group.from(), group.count(counts, 0), rows);
                }
            } else {
                for (int bin = 0; bin < counts.bins(); bin++) {
                    putCell(request, counts, step, bin, counts.count(step, bin), rows);
                }
            }
        }
    }

    private static Map<String, @Nullable Object> step(Histogram.Counts counts, int step) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        putStep(row, counts, step);
        row.put("count", counts.count(step));
        row.put("min", NumberText.number(counts.min(step), counts.isExact()));
        row.put("max", NumberText.number(counts.max(step), counts.isExact()));
        return row;
    }

    /** Counts as a row for each step; estimates have their interval. */
    public static void counts(ProgressiveCount.Counts counts, Consumer<Map<String, @Nullable Object>> rows) {
        for (int step = 0; step < counts.steps(); step++) {
            Map<String, @Nullable Object> row = new LinkedHashMap<>();
            row.put("from", counts.range(step).fromNs());
            row.put("to", counts.range(step).toNs());
            row.put("count", counts.count(step));
            row.put("exact", counts.isExact(step) && counts.completeness().complete());
            if (!counts.isExact(step)) {
                row.put("low", counts.low(step));
                row.put("high", counts.high(step));
            }
            rows.accept(row);
        }
    }

    private static void putCell(
            HistogramRequest request,
            Histogram.Counts counts,
            int step,
            int bin,
            long count,
            Consumer<Map<String, @Nullable Object>> rows) {
        if (count > 0) {
            Map<String, @Nullable Object> row = new LinkedHashMap<>();
            if (request.byTime() != null) {
                putStep(row, counts, step);
            }
            row.put("low", NumberText.number(counts.low(bin), counts.isExact()));
            row.put("high", NumberText.number(counts.high(bin), counts.isExact()));
            row.put("count", count);
            rows.accept(row);
        }
    }

    private static void putStep(Map<String, @Nullable Object> row, Histogram.Counts counts, int step) {
        row.put("from", counts.range(step).fromNs());
        row.put("to", counts.range(step).toNs());
    }
}
