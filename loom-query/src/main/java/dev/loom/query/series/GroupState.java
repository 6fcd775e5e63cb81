package dev.loom.query.series;

import dev.loom.format.FieldValue;
import dev.loom.query.model.PercentileEstimate;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the series of one group add in the current step. For one thread. */
public final class GroupState {
    /** The memory of a group besides its key and what its distribution holds, in bytes. */
    static final long BYTES = 512;

    private final List<FieldValue> key;
    private Amount increase = new Amount();
    private boolean increased;
    private Distribution distribution = new Distribution();
    private long distributionBytes;
    private long points;
    private long series;

    GroupState(List<FieldValue> key) {
        this.key = key;
    }

    /** The values of the fields that make the group. */
    public List<FieldValue> key() {
        return key;
    }

    void addIncrease(Amount amount) {
        increase.add(amount);
        increased = true;
    }

    Distribution distribution() {
        return distribution;
    }

    /** By how many bytes the distribution has grown since the last call. */
    long grown() {
        long now = distribution.bytes();
        long more = Math.max(0, now - distributionBytes);
        distributionBytes = Math.max(now, distributionBytes);
        return more;
    }

    /** A percentile of what histograms counted; null if there is nothing. */
    public @Nullable PercentileEstimate percentile(BigDecimal p) {
        return distribution.percentile(p);
    }

    void addPoint(boolean newSeries) {
        points++;
        series += newSeries ? 1 : 0;
    }

    /** Whether any point added something. */
    public boolean increased() {
        return increased;
    }

    /** The sum of what all points added. */
    public Amount increase() {
        return increase;
    }

    /** The number of points with a value in the step. */
    public long points() {
        return points;
    }

    /** The number of their series. */
    public long series() {
        return series;
    }

    void beginStep() {
        increase = new Amount();
        increased = false;
        distribution = new Distribution();
        distributionBytes = 0;
        points = 0;
        series = 0;
    }
}
