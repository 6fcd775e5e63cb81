package dev.loom.read;

/** Tells a walk over records which parts of the log to read, and when to stop. Called by the walk's thread. */
public interface ChunkGuide {
    /** What to do with a part. */
    enum Step {
        /** Read its records. */
        READ,
        /** Go on to the next part. */
        PASS_OVER,
        /** End the walk. */
        END
    }

    /** Reads everything. */
    ChunkGuide READ_ALL = new ChunkGuide() {
        @Override
        public Step decide(ChunkCursor chunk) {
            return Step.READ;
        }

        @Override
        public boolean mayGoOn(long bytesRead) {
            return true;
        }
    };

    /** Decides about the part that the chunks stand on. */
    Step decide(ChunkCursor chunk);

    /**
     * Called before each page, and at intervals between skipped parts; false ends the walk.
     *
     * @param bytesRead the bytes that the walk has read so far
     */
    boolean mayGoOn(long bytesRead);
}
