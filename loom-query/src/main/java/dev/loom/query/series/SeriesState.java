package dev.loom.query.series;

import org.jspecify.annotations.Nullable;

/** What is known of one series up to its last point. For one thread. */
final class SeriesState {
    /** The memory of a series besides its key and buckets, in bytes. */
    static final long BYTES = 320;

    final GroupState group;
    private final Amount last = new Amount();
    private final Amount more = new Amount();
    private boolean known;
    private boolean ended;
    private long pointNs = Long.MIN_VALUE;
    private long valueNs = Long.MIN_VALUE;
    private long startNs;
    private @Nullable HistogramValue buckets;
    /** The last step in which it was counted. */
    private long step = -1;

    SeriesState(GroupState group) {
        this.group = group;
    }

    /** The time of the last point. */
    long pointNs() {
        return pointNs;
    }

    /** The last value. */
    Amount last() {
        return last;
    }

    /** The memory of the buckets that it remembers, in bytes. */
    long bucketBytes() {
        return buckets == null ? 0 : buckets.bytes();
    }

    /** Whether there is a value at a time: one of the step that ends then, or one that is not older than the staleness. */
    boolean isAlive(long stepFromNs, long stepToNs, long lookbackNs) {
        // the unsigned difference: the last value is never behind the end
        return known && !ended && (valueNs >= stepFromNs || stepToNs - valueNs <= lookbackNs);
    }

    /** Notes that the series counts in a step; true once for each. */
    boolean entersStep(long number) {
        boolean enters = step != number;
        step = number;
        return enters;
    }

    /** Whether it counted in a step, which must be the last one that it entered. */
    boolean isInStep(long number) {
        return step == number;
    }

    /** Takes a point that says that there is no value. */
    void end(long timeNs) {
        pointNs = timeNs;
        ended = true;
    }

    /**
     * Takes the next value; adds what it adds to the series to the group, if it is in the range.
     *
     * @param fromNs the start of the range
     */
    void add(Point point, long timeNs, long fromNs, boolean inBuckets) {
        boolean distributed = inBuckets && point.kind() != null && point.kind().counts();
        HistogramValue now = distributed ? point.buckets() : null;
        boolean inRange = timeNs >= fromNs;
        if (point.kind() != PointKind.GAUGE) {
            if (point.delta()) {
                count(point, point.amount(), now, inRange, distributed);
            } else {
                addCumulative(point, now, timeNs, fromNs, inRange, distributed);
            }
        }
        known = true;
        ended = false;
        pointNs = timeNs;
        valueNs = timeNs;
        startNs = point.startNs();
        last.set(point.amount());
        buckets = point.delta() ? null : now;
    }

    private void addCumulative(
            Point point, @Nullable HistogramValue now, long timeNs, long fromNs, boolean inRange, boolean distributed) {
        if (!known) {
            if (point.startNs() != 0 && point.startNs() >= fromNs && point.startNs() < timeNs) {
                count(point, point.amount(), now, inRange, distributed);
            }
            return;
        }
        boolean restarted =
                point.startNs() != 0 && startNs != 0 && point.startNs() != startNs && point.startNs() >= valueNs;
        // the count alone tells, so that an increase is the same whether buckets are read or not
        boolean dropped = point.monotonic() && point.amount().isLess(last);
        if (restarted || dropped) {
            // a start at the time of the point says that what came before it is not known
            if (point.startNs() != timeNs) {
                count(point, point.amount(), now, inRange, distributed);
            }
            return;
        }
        more.setDifference(point.amount(), last);
        HistogramValue before = buckets;
        HistogramValue since = now != null && before != null && now.isComparable(before) ? now.since(before) : null;
        count(point, more, since, inRange, distributed);
    }

    private void count(
            Point point, Amount amount, @Nullable HistogramValue counted, boolean inRange, boolean distributed) {
        if (inRange) {
            group.addIncrease(amount);
            if (distributed) {
                group.distribution().add(counted, (long) amount.doubleValue(), point.min(), point.max());
            }
        }
    }
}
