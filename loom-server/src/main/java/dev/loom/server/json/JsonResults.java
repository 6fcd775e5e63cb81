package dev.loom.server.json;

import dev.loom.api.Source;
import dev.loom.format.PayloadFormat;
import dev.loom.query.Difference;
import dev.loom.query.Groups;
import dev.loom.query.Histogram;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.MetricCatalog;
import dev.loom.query.ProgressiveCount;
import dev.loom.query.SeriesStep;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.AggregateRequest;
import dev.loom.query.service.BinGroup;
import dev.loom.query.service.CountRequest;
import dev.loom.query.service.DifferenceRequest;
import dev.loom.query.service.GroupRequest;
import dev.loom.query.service.HistogramRequest;
import dev.loom.query.service.MetricsRequest;
import dev.loom.query.service.RequestException;
import dev.loom.query.service.SeriesRequest;
import dev.loom.query.service.TraceRequest;
import dev.loom.query.service.TracesRequest;
import dev.loom.query.service.ValuesRequest;
import dev.loom.query.trace.Trace;
import dev.loom.query.trace.TraceSummary;
import dev.loom.server.text.DataOutput;
import dev.loom.server.time.TimePrinter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints any answer as JSON lines. For one thread. */
public final class JsonResults extends RecordResults {
    private final DataOutput out;
    private final TimePrinter times;
    private final List<String> fields;
    private final boolean causes;

    /**
     * Prepares to print.
     *
     * @param fields of each record; empty for all
     * @param causes whether records have the address of their cause
     */
    public JsonResults(DataOutput out, TimePrinter times, List<String> fields, boolean causes) {
        this.out = out;
        this.times = times;
        this.fields = fields;
        this.causes = causes;
    }

    @Override
    protected RecordPrinter printer(Source source) {
        return new JsonRecordPrinter(out, source.name(), chosen(source.format(), fields), times, causes);
    }

    /**
     * A format reduced to some fields; to all if none are named.
     *
     * @throws RequestException if the format lacks a field
     */
    public static PayloadFormat chosen(PayloadFormat format, List<String> fields) {
        try {
            return fields.isEmpty() ? format : new ChosenFields(format, fields);
        } catch (IllegalArgumentException e) {
            throw new RequestException("fields", ": ", e);
        }
    }

    @Override
    public void onAggregate(AggregateRequest request, IndexedAggregate.Result result) {
        print(ResultRows.aggregate(request, result));
    }

    @Override
    public void onGroups(GroupRequest request, TimeRange covered, Completeness missing, Groups groups) {
        new GroupRows(request, covered, missing, groups).forEach(this::print);
    }

    @Override
    public void onValues(ValuesRequest request, Groups values) {
        GroupRows.values(request, values, this::print);
    }

    @Override
    public void onHistogram(HistogramRequest request, Histogram.Counts counts, List<BinGroup> groups) {
        ResultRows.histogram(request, counts, groups, this::print);
    }

    @Override
    public void onDifference(DifferenceRequest request, Difference.Result found) {
        super.onDifference(request, found);
        DifferenceRows.forEach(request, found, this::print);
    }

    @Override
    public void onCount(CountRequest request, ProgressiveCount.Counts counts) {
        ResultRows.counts(counts, this::print);
    }

    /** A line, where it is missing. */
    @Override
    public void onMissing(Completeness missing) {
        print(out, Map.of("missing", ReportRows.missing(missing)));
    }

    @Override
    public void onMetrics(MetricsRequest request, List<MetricCatalog.Metric> metrics) {
        metrics.forEach(metric -> print(SeriesRows.metric(metric)));
    }

    @Override
    public void onSeries(SeriesRequest request, SeriesStep step) {
        print(SeriesRows.step(request, step));
    }

    @Override
    public void onTrace(TraceRequest request, Trace trace) {
        TraceRows.forEach(trace, this::print);
    }

    @Override
    public void onTraces(TracesRequest request, List<TraceSummary> traces) {
        traces.forEach(trace -> print(TraceRows.summary(trace)));
    }

    /** Prints a row. */
    public void print(Map<String, ? extends @Nullable Object> row) {
        print(out, row);
        printed(1);
    }

    /** Prints a row as a line. */
    public static void print(DataOutput out, Map<String, ? extends @Nullable Object> row) {
        out.write(JsonText.line(row));
    }
}
