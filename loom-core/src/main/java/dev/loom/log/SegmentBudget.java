package dev.loom.log;

/** Keeps the segment files within limits by deleting the oldest. The evictor's thread calls it. */
public interface SegmentBudget {
    /** No limits. */
    SegmentBudget UNLIMITED = new SegmentBudget() {
        @Override
        public boolean makeRoom(long bytes) {
            return true;
        }

        @Override
        public boolean relieve() {
            return false;
        }

        @Override
        public boolean isShort() {
            return false;
        }
    };

    /**
     * Called before bytes are written.
     *
     * @return false if they would exceed the budget, and nothing durable is left to delete for them
     */
    boolean makeRoom(long bytes);

    /**
     * Called after a failed write; frees space if the disk lacks it.
     *
     * @return whether it freed any
     */
    boolean relieve();

    /** Whether the disk lacks space that would be freed if there were more to delete. */
    boolean isShort();
}
