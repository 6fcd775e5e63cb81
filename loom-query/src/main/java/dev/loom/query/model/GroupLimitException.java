package dev.loom.query.model;

import dev.loom.error.LoomException;

/**
 * A query has more groups, or more distinct values, than it may hold, or a key that is too long. The message has the cap and what was
 * found so far. With the rest counted as other, groups past the cap and long keys are no error.
 */
public final class GroupLimitException extends LoomException {
    private static final long serialVersionUID = 1L;

    private final long max;
    private final long found;

    /**
     * A cap is exceeded.
     *
     * @param what is too many or too long, lower case
     * @param records that were read so far
     */
    public GroupLimitException(String what, long found, long max, long records) {
        super(what + ": found=" + found + ", max=" + max + ", records read=" + records);
        this.max = max;
        this.found = found;
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
