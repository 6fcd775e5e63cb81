package dev.loom.server.prometheus.store;

import dev.loom.api.Source;
import dev.loom.format.RecordLookup;
import dev.loom.query.model.Order;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.RecordSelection;
import dev.loom.query.service.ResultHandler;
import dev.loom.query.service.ScanRequest;
import dev.loom.query.where.Where;
import dev.loom.server.prometheus.promql.EvaluationException;
import dev.loom.server.prometheus.promql.Labels;
import dev.loom.server.prometheus.promql.Matcher;
import dev.loom.server.prometheus.promql.SeriesSource;
import dev.loom.server.prometheus.promql.StoredSeries;
import dev.loom.server.time.EventTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** All the series of a store: points of metrics, and indexed fields of any source. For one thread. */
public final class StoreSeries implements SeriesSource {
    private static final long NS_PER_MS = 1_000_000;

    private final SeriesQuery query;

    public StoreSeries(SeriesQuery query) {
        this.query = query;
    }

    @Override
    public List<StoredSeries> select(Selection selection) {
        List<StoredSeries> series = new ArrayList<>();
        if (mayBePoints(selection)) {
            PointSeries points = new PointSeries(selection, query.session().memory());
            read(selection, points::add);
            series.addAll(points.build());
        }
        Set<Labels> counted = new HashSet<>();
        for (FieldMetric metric : fields(selection)) {
            for (StoredSeries each : new FieldSeries(metric, query, selection).select()) {
                if (!counted.add(each.labels())) {
                    throw new EvaluationException("several indexes have a series of the same labels: " + each.labels());
                }
                series.add(each);
            }
        }
        return series;
    }

    /**
     * Hands over the labels of the series that have samples in the time of a selection, some of them several times.
     *
     * @param label the only one that is needed; null if all are
     */
    public void labels(Selection selection, @Nullable String label, Consumer<Labels> found) {
        if (mayBePoints(selection)) {
            try (PointLabels points = new PointLabels(selection, query.session().memory(), found)) {
                read(selection, (timeMs, point) -> points.add(point));
            }
        }
        TimeRange range =
                FieldSeries.range(selection.afterMs(), selection.steps().lastMs());
        for (FieldMetric metric : fields(selection)) {
            new FieldSeries(metric, query, selection).labels(range, label, found);
        }
    }

    /** The value that a matcher of the name asks for; null if none asks for one. */
    private static @Nullable String name(Selection selection) {
        for (Matcher matcher : selection.matchers()) {
            if (matcher.label().equals(Labels.NAME) && matcher.operator() == Matcher.Operator.EQUAL) {
                return matcher.value();
            }
        }
        return null;
    }

    private static boolean mayBePoints(Selection selection) {
        String name = name(selection);
        return name == null || !name.startsWith(FieldMetric.PREFIX);
    }

    /** The fields that a selection may mean; if it names one, there must not be two of that name. */
    private List<FieldMetric> fields(Selection selection) {
        String name = name(selection);
        List<FieldMetric> fields = new ArrayList<>();
        if (name != null && !name.startsWith(FieldMetric.PREFIX)) {
            return fields;
        }
        FieldMetric.all(query.snapshot()).forEach((each, all) -> {
            boolean wanted = selection.matchers().stream()
                    .filter(matcher -> matcher.label().equals(Labels.NAME))
                    .allMatch(matcher -> matcher.matches(each));
            List<FieldMetric> metrics = wanted ? ofLastSources(all) : List.of();
            if (metrics.size() > 1 && name != null) {
                throw new EvaluationException("several indexes have the name " + each + ": "
                        + metrics.stream()
                                .map(metric -> metric.source().name() + " "
                                        + metric.index().name())
                                .toList());
            }
            fields.addAll(metrics);
        });
        return fields;
    }

    /** The metrics of the last source of each name, among those that have records. */
    private List<FieldMetric> ofLastSources(List<FieldMetric> metrics) {
        List<FieldMetric> last = new ArrayList<>();
        for (FieldMetric metric : metrics) {
            boolean followed = metrics.stream().anyMatch(other -> follows(other, metric));
            if (!followed) {
                last.add(metric);
            } else if (hasRecords(metric)) {
                query.remarkMissing("source " + metric.source().name() + " was defined again; records of #"
                        + metric.source().id() + " are left out");
            }
        }
        return last;
    }

    private boolean follows(FieldMetric other, FieldMetric metric) {
        return other.source().name().equals(metric.source().name())
                && other.source().id() != metric.source().id()
                && (hasRecords(other) == hasRecords(metric)
                        ? other.source().id() > metric.source().id()
                        : hasRecords(other));
    }

    private boolean hasRecords(FieldMetric metric) {
        return query.snapshot().statistics(metric.source().id()).records() > 0;
    }

    /** Takes the points that are read, each until the next one. */
    @FunctionalInterface
    private interface PointSink {
        void add(long timeMs, PointFields point);
    }

    private void read(Selection selection, PointSink points) {
        long fromNs = SeriesQuery.ns(selection.afterMs() + 1);
        long toNs = SeriesQuery.ns(selection.steps().lastMs() + 1);
        String name = name(selection);
        String pattern = name == null ? "" : OtlpNames.pattern(name);
        List<Where> conditions = pattern.isEmpty() ? List.of() : List.of(new Where.MatchesRegex("name", pattern));
        for (Source source : query.snapshot().sources()) {
            if (PointFields.has(source.format()) && EventTime.of(source) != null) {
                read(new RecordSelection(source, new TimeRange(fromNs, toNs), true, conditions), points);
            }
        }
    }

    private void read(RecordSelection records, PointSink points) {
        query.run(
                new ScanRequest(records, Order.OLDEST_FIRST, Long.MAX_VALUE, true, query.limits()),
                new ResultHandler() {
                    private @Nullable RecordLookup lookup;
                    private @Nullable PointFields point;

                    @Override
                    public void onLookup(RecordLookup found) {
                        lookup = found;
                        point = new PointFields(records.source().format(), found);
                    }

                    @Override
                    public void onRecord(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
                        Objects.requireNonNull(lookup).from(address);
                        PointFields read = Objects.requireNonNull(point);
                        read.read(buffer, offset, length);
                        points.add(Math.floorDiv(timeNs, NS_PER_MS), read);
                    }
                });
    }
}
