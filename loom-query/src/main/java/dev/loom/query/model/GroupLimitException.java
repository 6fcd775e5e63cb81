package dev.loom.query.model;

import dev.loom.error.LoomException;

/**
 * A query has more groups, distinct values or series than it may hold, or a key that is too long. It says which cap was hit, the cap, and
 * what was found so far. With the rest counted as other, groups past the cap and long keys are no error.
 */
public final class GroupLimitException extends LoomException {
    private static final long serialVersionUID = 1L;

    /** What the cap limits. */
    public enum Cap {
        /** Groups, whether shown or not. */
        GROUPS("too many groups"),
        /** Groups with their steps, of those that have records. */
        GROUPS_AND_STEPS("too many groups and steps"),
        /** Distinct values of all groups. */
        DISTINCT_VALUES("too many distinct values"),
        /** Series of metrics. */
        SERIES("too many series"),
        /** Bytes of the key of a group. */
        KEY_BYTES("group key is too long"),
        /** Bytes of a distinct value. */
        VALUE_BYTES("distinct value is too long");

        private final String exceeded;

        Cap(String exceeded) {
            this.exceeded = exceeded;
        }
    }

    private final Cap cap;
    private final long max;
    private final long found;

    /**
     * A cap is exceeded.
     *
     * @param records that were read so far
     */
    public GroupLimitException(Cap cap, long found, long max, long records) {
        super(cap.exceeded + ": found=" + found + ", max=" + max + ", records read=" + records);
        this.cap = cap;
        this.max = max;
        this.found = found;
    }

    /** Which cap was hit. */
    public Cap cap() {
        return cap;
    }

    /** The cap. */
    public long max() {
        return max;
    }

    /** How many, or how long, it was when the query ended. */
    public long found() {
        return found;
    }
}
