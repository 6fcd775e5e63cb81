package dev.loom.log;

/** The state that must become durable together with the logs. The evictor's thread calls it. */
public interface Durability {
    /** Makes durable what the pages refer to. Called before they are written. */
    void syncSchema();

    /**
     * Durably records how far each log is durable.
     *
     * @param durable the durable address of each log, in the order given to the evictor
     */
    void writeMark(long[] durable);

    /** Called about once a second, and before each mark. */
    void tick();
}
