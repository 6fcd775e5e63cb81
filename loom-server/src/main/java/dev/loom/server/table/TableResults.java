package dev.loom.server.table;

import dev.loom.api.Source;
import dev.loom.query.Difference;
import dev.loom.query.Groups;
import dev.loom.query.Histogram;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.MetricCatalog;
import dev.loom.query.ProgressiveCount;
import dev.loom.query.SeriesStep;
import dev.loom.query.column.Column;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.AggregateRequest;
import dev.loom.query.service.BinGroup;
import dev.loom.query.service.CountRequest;
import dev.loom.query.service.DifferenceRequest;
import dev.loom.query.service.GroupRequest;
import dev.loom.query.service.HistogramRequest;
import dev.loom.query.service.MetricsRequest;
import dev.loom.query.service.QueryRequest;
import dev.loom.query.service.SeriesRequest;
import dev.loom.query.service.TraceRequest;
import dev.loom.query.service.TracesRequest;
import dev.loom.query.service.ValuesRequest;
import dev.loom.query.trace.Trace;
import dev.loom.query.trace.TraceSummary;
import dev.loom.server.json.DifferenceRows;
import dev.loom.server.json.GroupRows;
import dev.loom.server.json.JsonResults;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.json.RecordResults;
import dev.loom.server.json.ResultRows;
import dev.loom.server.json.SeriesRows;
import dev.loom.server.json.TraceRows;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes any answer in columns. For one thread. */
public class TableResults extends RecordResults {
    private final @Nullable TableForm form;
    private final List<String> fields;
    private final boolean causes;
    private List<Column> columns = List.of();
    private boolean begun;

    /**
     * Prepares to write.
     *
     * @param form null if a subclass takes all results
     * @param fields of each record; empty for all
     * @param causes whether records have the address of their cause
     */
    public TableResults(@Nullable TableForm form, List<String> fields, boolean causes) {
        this.form = form;
        this.fields = fields;
        this.causes = causes;
    }

    /** Sets the request before it is run; not called for a tail. */
    public final void asked(QueryRequest request) {
        columns = ResultTables.columns(request);
    }

    private TableForm table() {
        return Objects.requireNonNull(form, "no table");
    }

    @Override
    protected RecordPrinter printer(Source source) {
        return columns.isEmpty()
                ? table().records(source.name(), JsonResults.chosen(source.format(), fields), causes)
                : RecordPrinter.NONE;
    }

    private void begin() {
        if (!begun) {
            begun = true;
            table().begin(columns);
        }
    }

    private void add(Map<String, @Nullable Object> row) {
        begin();
        table().add(row);
        printed(1);
    }

    @Override
    public void onAggregate(AggregateRequest request, IndexedAggregate.Result result) {
        add(AggregateColumns.flat(ResultRows.aggregate(request, result)));
    }

    @Override
    public void onGroups(GroupRequest request, TimeRange covered, Completeness missing, Groups groups) {
        GroupColumns flat = new GroupColumns(request);
        new GroupRows(request, covered, missing, groups).forEach(row -> add(flat.flat(row)));
    }

    @Override
    public void onValues(ValuesRequest request, Groups values) {
        GroupRows.values(request, values, row -> add(ResultTables.value(row)));
    }

    @Override
    public void onHistogram(HistogramRequest request, Histogram.Counts counts, List<BinGroup> groups) {
        ResultRows.histogram(request, counts, groups, this::add);
    }

    @Override
    public void onDifference(DifferenceRequest request, Difference.Result found) {
        super.onDifference(request, found);
        if (form != null) {
            DifferenceRows.forEach(request, found, row -> add(ResultTables.difference(row)));
        }
    }

    @Override
    public void onCount(CountRequest request, ProgressiveCount.Counts counts) {
        ResultRows.counts(counts, this::add);
    }

    @Override
    public void onMetrics(MetricsRequest request, List<MetricCatalog.Metric> metrics) {
        metrics.forEach(metric -> add(SeriesRows.metric(metric)));
    }

    @Override
    public void onSeries(SeriesRequest request, SeriesStep step) {
        add(SeriesColumns.flat(SeriesRows.step(request, step)));
    }

    @Override
    public void onTrace(TraceRequest request, Trace trace) {
        TraceRows.forEach(trace, row -> add(ResultTables.joined(row)));
    }

    @Override
    public void onTraces(TracesRequest request, List<TraceSummary> traces) {
        traces.forEach(trace -> add(ResultTables.joined(TraceRows.summary(trace))));
    }

    @Override
    public void onFlush() {
        super.onFlush();
        if (form != null) {
            form.flush();
        }
    }

    /**
     * Ends the answer; an empty one has its columns all the same.
     *
     * @param outcome what became of it
     */
    public final void end(Map<String, ? extends @Nullable Object> outcome) {
        if (!columns.isEmpty()) {
            begin();
        }
        table().end(outcome);
    }

    /** What was done to values that are not as their columns need them: see {@link TableForm#altered}. */
    public final Map<String, Long> altered() {
        return form == null ? Map.of() : form.altered();
    }
}
