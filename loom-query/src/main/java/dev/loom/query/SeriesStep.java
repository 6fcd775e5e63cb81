package dev.loom.query;

import dev.loom.format.FieldValue;
import dev.loom.query.model.PercentileEstimate;
import dev.loom.query.model.TimeRange;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the series of one group say in one step. Immutable.
 *
 * @param key the values of the fields that make the group, in their order; a missing one is {@link FieldValue.Kind#ABSENT}
 * @param range the times of the step; the last one ends with the range
 * @param series how many have a value in the step, or a last one that is still valid
 * @param points how many values there are in the step
 * @param last the sum of the last values, of histograms of their counts: a {@link Long} if it is exact, otherwise a {@link Double};
 *     null if there are none, or they were not asked for
 * @param increase the sum of what the series added, in the same form; null if no series is known to have added anything, or it was not
 *     asked for
 * @param percentiles of what histograms counted, in the order asked for; without those of which nothing is known
 */
public record SeriesStep(
        List<FieldValue> key,
        TimeRange range,
        long series,
        long points,
        @Nullable Number last,
        @Nullable Number increase,
        Map<BigDecimal, PercentileEstimate> percentiles) {
    /** The increase per second of the step; null if there is none, or if all points have one time, which the range then is. */
    public @Nullable Double rate() {
        return increase == null || range.toNs() - range.fromNs() == 1
                ? null
                : (Double) (increase.doubleValue() / range.seconds());
    }
}
