package dev.loom.record;

/** Tells a walk over records which parts of the log to read, and when to stop. */
public interface WalkGuide {
    /** What to do with a part. */
    enum Step {
        READ,
        PASS_OVER,
        /** Only for a run: to go on with what it sums up. */
        DESCEND,
        END
    }

    /** Reads everything. */
    WalkGuide READ_ALL = new WalkGuide() {
        @Override
        public Step decide(Chunks part) {
            return part.isRun() ? Step.DESCEND : Step.READ;
        }

        @Override
        public boolean mayGoOn(long bytesRead) {
            return true;
        }
    };

    /** Decides about the chunks' current part. */
    Step decide(Chunks part);

    /**
     * Called before each page, and at intervals between skipped parts; false ends the walk.
     *
     * @param bytesRead the bytes that the walk has read so far
     */
    boolean mayGoOn(long bytesRead);
}
