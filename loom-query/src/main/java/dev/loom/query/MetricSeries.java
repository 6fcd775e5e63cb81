package dev.loom.query;

import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.format.UnknownFieldException;
import dev.loom.query.histogram.TimeSteps;
import dev.loom.query.model.GroupLimitException;
import dev.loom.query.model.PercentileEstimate;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.query.rank.Percentiles;
import dev.loom.query.series.Amount;
import dev.loom.query.series.GroupState;
import dev.loom.query.series.SeriesEngine;
import dev.loom.value.KeyEncoder;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Last values, increases, and percentiles out of histograms, of the points of a metric: the series of each group together, step by step.
 * It takes points in the order of their times, with those of the same time in the order of their arrival, and hands over each step when
 * it is over. It is given these points and reads no snapshot, so unlike a {@link Query} it has no {@code run()}.
 *
 * <p><b>Series.</b> Points are of one series if they agree in name, unit, kind, temporality, scope, and all attributes, those of the
 * resource too. If a series has several points with the same time, only the first counts.
 *
 * <p><b>Increase.</b> A cumulative sum or count adds its difference from the previous point, in the step of the later one. It has
 * restarted if its start is not before the time of the previous point, or if a sum that can only rise has fallen; then its whole value
 * was added since. The same holds for the first point of a series if its start lies in the range. Otherwise what came before is unknown,
 * and that point adds nothing. A point whose start is its own time also means that what came before is unknown. Deltas are added up.
 * Gauges have no increase.
 *
 * <p><b>Last value.</b> The sum of each series' last value in the step, or of one at most the lookback older than the step's end. A point
 * without a recorded value ends a series until the next one. The value of a histogram is its count.
 *
 * <p><b>Percentiles</b> cover what histograms counted in the step, see {@link PercentileEstimate}.
 *
 * <p><b>Memory</b>, reserved in the {@link QueryMemory}: for each series 320 bytes, its attributes, and with percentiles its buckets; for
 * each group 512, its key and its buckets. Not thread-safe.
 */
public final class MetricSeries implements AutoCloseable {
    /** The cap on series if none is set. */
    public static final int SERIES_MAX_DEFAULT = 10_000;

    /** The greatest cap on series. */
    public static final int SERIES_MAX = 1 << 20;

    /** The most percentiles of one query. */
    public static final int PERCENTILES_MAX = 16;

    private final SeriesEngine engine;

    /**
     * What is asked.
     *
     * @param by the fields whose values make a group
     * @param range of the points' times
     * @param step zero for one step
     * @param lookback how old a last value may be; points up to this long before the range may be given; they
     *     determine the values that the range begins with
     * @param percentiles each from 0 to 100
     * @param seriesMax the cap on series
     */
    public record Terms(
            List<String> by,
            TimeRange range,
            Duration step,
            Duration lookback,
            boolean last,
            boolean increase,
            List<BigDecimal> percentiles,
            int seriesMax) {
        /** @throws IllegalArgumentException if a number is out of range */
        public Terms {
            by = List.copyOf(by);
            percentiles = Percentiles.checked(percentiles, PERCENTILES_MAX);
            Query.checkedNs("step", step);
            Query.checkedNs("lookback", lookback);
            if (seriesMax < 1 || seriesMax > SERIES_MAX) {
                throw new IllegalArgumentException(
                        "cap is out of range: cap=" + seriesMax + ", min=1, max=" + SERIES_MAX);
            }
        }
    }

    /**
     * Prepares to take points.
     *
     * @param lookup finds the records that points refer to; must stand at each point that is added
     * @param memory where it reserves what it holds, until it is closed
     * @param cancelled ends long work in memory
     * @param steps takes the groups of each step that have points, or last values
     * @throws UnknownFieldException if the format lacks a field
     * @throws IllegalArgumentException if there are steps but the range has no start, or too many
     */
    public MetricSeries(
            PayloadFormat format,
            @Nullable RecordLookup lookup,
            Terms terms,
            QueryMemory memory,
            BooleanSupplier cancelled,
            Consumer<SeriesStep> steps) {
        terms.by().forEach(field -> KeyEncoder.check(format, field));
        engine = new SeriesEngine(
                format,
                lookup,
                new SeriesEngine.Terms(
                        terms.by(),
                        new TimeSteps(terms.range(), terms.step().toNanos()),
                        terms.lookback().toNanos(),
                        terms.last(),
                        !terms.percentiles().isEmpty(),
                        terms.seriesMax()),
                memory,
                cancelled,
                (range, group, series, last) -> steps.accept(step(terms, range, group, series, last)));
    }

    /**
     * Takes the next point.
     *
     * @param timeNs not before that of the previous point, and before the end of the range
     * @throws GroupLimitException if there are more series than the cap, or the key of a group is too long
     */
    public void add(long timeNs, DirectBuffer buffer, int offset, int length) {
        engine.add(timeNs, buffer, offset, length);
    }

    /** Hands over what is left. */
    public void end() {
        engine.end();
    }

    private static SeriesStep step(Terms terms, TimeRange range, GroupState group, long series, @Nullable Amount last) {
        Map<BigDecimal, PercentileEstimate> percentiles = new LinkedHashMap<>();
        for (BigDecimal p : terms.percentiles()) {
            PercentileEstimate estimate = group.percentile(p);
            if (estimate != null) {
                percentiles.put(p, estimate);
            }
        }
        return new SeriesStep(
                group.key(),
                range,
                series,
                group.points(),
                last == null ? null : last.number(),
                terms.increase() && group.increased() ? group.increase().number() : null,
                percentiles);
    }

    /** The number of series met, also before the range. */
    public int series() {
        return engine.series();
    }

    /** The number of points in the range that count. */
    public long points() {
        return engine.points();
    }

    /** The number of points ignored because their series already had one with the same time. */
    public long duplicates() {
        return engine.duplicates();
    }

    /** The number of records ignored because they have no value of a metric. */
    public long withoutValue() {
        return engine.without();
    }

    @Override
    public void close() {
        engine.close();
    }
}
