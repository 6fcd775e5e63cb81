package dev.loom.server.loki;

import dev.loom.query.model.TimeRange;
import dev.loom.server.http.ApiFailure;

/**
 * The times at which a query is evaluated.
 *
 * @param startNs the first one, epoch nanoseconds
 * @param stepNs from one to the next; any positive number if there is but one
 * @param lastNs the last one, if it would be later than that
 */
record Grid(long startNs, long stepNs, int count, long lastNs) {
    Grid(long startNs, long stepNs, int count) {
        this(startNs, stepNs, count, Long.MAX_VALUE);
    }

    /** @throws ApiFailure if there would be too many */
    static Grid of(long startNs, long endNs, long stepNs) {
        if (stepNs <= 0) {
            throw ApiFailure.badRequest(
                    "zero or negative query resolution step widths are not accepted; try a" + " positive integer");
        }
        long steps = (endNs - startNs) / stepNs;
        if (steps > LokiLimits.STEPS_MAX) {
            throw ApiFailure.badRequest("exceeded maximum resolution of " + LokiLimits.STEPS_MAX
                    + " points per time series; try increasing the value of the step parameter");
        }
        return new Grid(startNs, stepNs, (int) steps + 1);
    }

    /**
     * The ends of the steps of a range that is not empty: of each its last nanosecond. The last step ends with the range; a step that is
     * longer than the range is as long as it.
     *
     * @throws ApiFailure if there would be too many
     */
    static Grid ends(TimeRange range, long stepNs) {
        long lengthNs = Math.max(1, range.toNs() - range.fromNs());
        Grid starts = of(range.fromNs(), range.fromNs() + lengthNs - 1, Math.min(stepNs, lengthNs));
        return new Grid(starts.startNs() + starts.stepNs() - 1, starts.stepNs(), starts.count(), range.toNs() - 1);
    }

    long timeNs(int point) {
        return Math.min(startNs + point * stepNs, lastNs);
    }
}
