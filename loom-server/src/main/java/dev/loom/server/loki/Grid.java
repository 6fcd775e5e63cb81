package dev.loom.server.loki;

import dev.loom.server.http.ApiFailure;

/**
 * The times at which a query is evaluated.
 *
 * @param startNs the first one, epoch nanoseconds
 * @param stepNs from one to the next; any positive number if there is but one
 */
record Grid(long startNs, long stepNs, int count) {
    /** @throws ApiFailure if there would be too many */
    static Grid of(long startNs, long endNs, long stepNs) {
        if (stepNs <= 0) {
            throw ApiFailure.badRequest(
                    "zero or negative query resolution step widths are not accepted; try a" + " positive integer");
        }
        long count = (endNs - startNs) / stepNs + 1;
        if (count > LokiLimits.POINTS_MAX) {
            throw ApiFailure.badRequest("exceeded maximum resolution of " + LokiLimits.POINTS_MAX
                    + " points per time series; try increasing the value of the step parameter");
        }
        return new Grid(startNs, stepNs, (int) count);
    }

    long timeNs(int point) {
        return startNs + point * stepNs;
    }
}
