package dev.loom.log;

/** What else must be durable along with the logs. Called by the evictor's thread. */
public interface Durability {
    /** Makes durable whatever the pages refer to. Called before they are written. */
    void syncSchema();

    /**
     * Records, durably, how far each log is.
     *
     * @param durable by log, in the order given to the evictor
     */
    void writeMark(long[] durable);

    /** Called about once a second, and before each mark. */
    void tick();
}
