package dev.loom.query.group;

import java.util.function.BooleanSupplier;

/**
 * Asks, from time to time, whether a query was cancelled while it works in memory. The work of some thousand groups is finished all the
 * same, so that what was found until then is shown in order. For one thread.
 */
public final class Ending {
    /** Steps of work between two looks, each of some nanoseconds up to a microsecond. */
    static final int STEPS = 1 << 18;

    private final BooleanSupplier cancelled;
    private int steps;
    private boolean ended;

    public Ending(BooleanSupplier cancelled) {
        this.cancelled = cancelled;
    }

    /** Called at each step of work; once true, it stays so. */
    public boolean isNow() {
        if (++steps >= STEPS) {
            steps = 0;
            ended |= cancelled.getAsBoolean();
        }
        return ended;
    }

    /** Ends a sort from within its comparator. */
    static final class Interruption extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Interruption() {
            super("query ended", null, false, false);
        }
    }
}
