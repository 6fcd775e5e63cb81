package dev.loom.query.service;

/**
 * Asks how many records there are in steps of time: for estimates first, and then for the exact counts.
 *
 * @param withinShare ends once the sum of all steps is known to lie within this share of its estimate with a probability of 95 %; 0 for
 *     the exact counts
 */
public record CountRequest(
        RecordSelection records, HistogramRequest.Steps steps, double withinShare, QueryLimits limits)
        implements SourceRequest {
    /** @throws RequestException if the share is not from 0 to 1 */
    public CountRequest {
        if (!(withinShare >= 0 && withinShare <= 1)) {
            throw new RequestException("within", " is out of range: share=" + withinShare + ", min=0, max=1");
        }
    }
}
