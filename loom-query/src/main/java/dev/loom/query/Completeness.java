package dev.loom.query;

/**
 * What a query's answer lacks.
 *
 * @param lost records of the source that were dropped within the time range
 * @param damagedPages pages in the range that could not be read
 * @param expired whether part of the range is no longer retained
 * @param limit why the query stopped before its end: {@link Limit#NONE} if it did not
 * @param reachesFuture whether the range reaches past the snapshot of a store that is still written
 */
public record Completeness(long lost, long damagedPages, boolean expired, Limit limit, boolean reachesFuture) {
    /** Why a query stopped early. */
    public enum Limit {
        NONE,
        TIME,
        BYTES,
        CANCELLED
    }

    /** Nothing is missing. */
    static final Completeness WHOLE = new Completeness(0, 0, false, Limit.NONE, false);

    /** Nothing is missing below the snapshot. */
    public boolean complete() {
        return lost == 0 && damagedPages == 0 && !expired && limit == Limit.NONE;
    }

    /** What an answer lacks that is made of two. */
    Completeness and(Completeness other) {
        return new Completeness(
                lost + other.lost,
                damagedPages + other.damagedPages,
                expired || other.expired,
                limit == Limit.NONE ? other.limit : limit,
                reachesFuture || other.reachesFuture);
    }
}
