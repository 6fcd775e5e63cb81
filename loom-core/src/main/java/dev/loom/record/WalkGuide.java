package dev.loom.record;

/** Tells a walk over records which parts of the log to read, and when to stop. */
public interface WalkGuide {
    /** What becomes of a part. */
    enum Step {
        READ,
        PASS_OVER,
        END
    }

    /** Reads all there is. */
    WalkGuide READ_ALL = new WalkGuide() {
        @Override
        public Step decide(Chunks part) {
            return Step.READ;
        }

        @Override
        public boolean mayGoOn(long bytesRead) {
            return true;
        }
    };

    /** Decides about the part at which the chunks stand. */
    Step decide(Chunks part);

    /**
     * Asked before each page, and now and then between parts that are passed over; false ends the walk.
     *
     * @param bytesRead by the walk so far
     */
    boolean mayGoOn(long bytesRead);
}
