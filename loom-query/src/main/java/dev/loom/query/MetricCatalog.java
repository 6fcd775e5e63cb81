package dev.loom.query;

import dev.loom.api.Snapshot;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.EventClock;
import dev.loom.query.model.GroupLimitException;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.plan.QueryTerms;
import dev.loom.query.series.MetricTable;
import dev.loom.query.walk.ChunkUse;
import dev.loom.query.walk.QueryScope;
import dev.loom.query.walk.SourceWalk;
import dev.loom.read.StoredRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The metrics that one source's points belong to, by name, with the number of their points and series. Series are distinguished as by
 * {@link MetricSeries}.
 *
 * <p>Memory: 1 MiB, the longest jumbo payload met, and for each series 96 bytes and its attributes. Not thread-safe.
 */
public final class MetricCatalog extends Query<MetricCatalog> {
    private int seriesMax = MetricSeries.SERIES_MAX_DEFAULT;
    private @Nullable EventClock clock;

    private MetricCatalog(Snapshot snapshot, int sourceId) {
        super(snapshot, sourceId);
    }

    /** The metrics of a source. */
    public static MetricCatalog of(Snapshot snapshot, int sourceId) {
        return new MetricCatalog(snapshot, sourceId);
    }

    /**
     * A metric. Texts are empty where points have none.
     *
     * @param kind such as {@code sum}
     * @param temporality {@code cumulative} or {@code delta}
     * @param monotonic {@code true} or {@code false}
     * @param points how many there are
     * @param series how many they belong to
     * @param firstNs epoch nanoseconds of the first point, see {@link #times}
     * @param lastNs of the last one
     */
    public record Metric(
            String name,
            String kind,
            String unit,
            String temporality,
            String monotonic,
            long points,
            long series,
            long firstNs,
            long lastNs) {}

    /** The metrics, by name, with the work done and what they lack. */
    public record Result(List<Metric> metrics, QueryStatistics statistics, Completeness completeness) {}

    @Override
    MetricCatalog self() {
        return this;
    }

    /** Where the times of points are read; without it, and where they have none, it is their arrival. */
    public MetricCatalog times(EventClock ofPoints) {
        clock = ofPoints;
        return this;
    }

    /** The cap on series of all metrics, from 1 to {@link MetricSeries#SERIES_MAX}. */
    public MetricCatalog seriesMax(int series) {
        if (series < 1 || series > MetricSeries.SERIES_MAX) {
            throw new IllegalArgumentException(
                    "cap is out of range: cap=" + series + ", min=1, max=" + MetricSeries.SERIES_MAX);
        }
        seriesMax = series;
        return this;
    }

    /**
     * Runs the query. If it ended early, the result covers part of the points, as its completeness says.
     *
     * @throws GroupLimitException if there are more series than the cap
     */
    public Result run() {
        QueryTerms terms = terms();
        try (QueryScope scope = new QueryScope(terms);
                MetricTable table = new MetricTable(
                        terms.format(), scope.lookup(), terms.limits().memory(), seriesMax)) {
            SourceWalk walk = scope.walk(Order.OLDEST_FIRST, (chunk, whole) -> ChunkUse.READ);
            StoredRecord record = walk.record();
            long records = 0;
            while (walk.next()) {
                table.add(timeNs(scope, record), record.buffer(), record.offset(), record.length());
                records++;
            }
            List<Metric> metrics =
                    table.metrics().stream().map(MetricCatalog::metric).toList();
            return new Result(metrics, scope.statistics(records), scope.completeness());
        }
    }

    private long timeNs(QueryScope scope, StoredRecord record) {
        EventClock ofPoints = clock;
        long timeNs = ofPoints == null
                ? EventClock.NONE
                : ofPoints.epochNs(scope.lookup(), record.buffer(), record.offset(), record.length());
        return timeNs == EventClock.NONE ? record.timeNs() : timeNs;
    }

    private static Metric metric(MetricTable.Metric of) {
        List<String> texts = of.texts();
        return new Metric(
                texts.get(0),
                texts.get(1),
                texts.get(2),
                texts.get(3),
                texts.get(4),
                of.points(),
                of.series(),
                of.firstNs(),
                of.lastNs());
    }
}
