package dev.loom.query.walk;

import dev.loom.error.ExpiredException;

/** Makes sure that all passes of a query see the same records: none may be deleted between them. For one thread. */
public final class PassGuard {
    private final QueryScope scope;
    private long begin;
    private int passes;

    public PassGuard(QueryScope scope) {
        this.scope = scope;
    }

    /** Begins a pass. */
    public void begin() {
        if (passes++ == 0) {
            begin = scope.reader().beginAddress();
        }
    }

    /** Whether the pass that runs, or ran last, is the first one. */
    public boolean first() {
        return passes == 1;
    }

    /**
     * Ends a pass.
     *
     * @throws ExpiredException if records of the range were deleted since the first pass began
     */
    public void end() {
        long now = scope.reader().beginAddress();
        if (passes > 1 && now > begin && scope.hasDeleted()) {
            throw new ExpiredException("records were deleted between passes of a query: begin=" + begin + ", now=" + now
                    + ", passes=" + passes);
        }
    }

    /** Makes the next pass the first one. */
    public void restart() {
        passes = 0;
    }
}
