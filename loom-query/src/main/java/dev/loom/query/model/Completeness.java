package dev.loom.query.model;

/**
 * What a query's answer lacks.
 *
 * @param lost records of the source that were dropped within the time range
 * @param damagedPages pages in the range that could not be read
 * @param expired whether part of the range is no longer retained
 * @param limit why the query stopped early, or {@link Limit#NONE}
 * @param reachesFuture whether the range ends after the snapshot of a store that is still being written
 * @param overtaken whether retention deleted records that existed when the query began before it had read them; then it is expired too
 */
public record Completeness(
        long lost, long damagedPages, boolean expired, Limit limit, boolean reachesFuture, boolean overtaken) {
    /** Why a query stopped early. */
    public enum Limit {
        NONE,
        TIME,
        BYTES,
        CANCELLED
    }

    /** Nothing is missing. */
    public static final Completeness WHOLE = new Completeness(0, 0, false, Limit.NONE, false);

    /** What an answer lacks if no records were overtaken. */
    public Completeness(long lost, long damagedPages, boolean expired, Limit limit, boolean reachesFuture) {
        this(lost, damagedPages, expired, limit, reachesFuture, false);
    }

    /** Whether nothing is missing up to the snapshot. */
    public boolean complete() {
        return lost == 0 && damagedPages == 0 && !expired && limit == Limit.NONE;
    }

    /** Combines what two parts of an answer lack. */
    public Completeness and(Completeness other) {
        return new Completeness(
                lost + other.lost,
                damagedPages + other.damagedPages,
                expired || other.expired,
                limit == Limit.NONE ? other.limit : limit,
                reachesFuture || other.reachesFuture,
                overtaken || other.overtaken);
    }
}
