package dev.loom.cli.logtime;

/** A way of writing times. For one thread. */
interface TimeForm {
    int NONE = -1;

    /** The name for messages. */
    String name();

    /** The last of a line's words, counted from 0, at which such a time may begin. */
    int wordMax();

    /**
     * Reads a time.
     *
     * @param into gets its parts, which may be out of their ranges
     * @return where the time ends, or {@link #NONE} if the text has another form
     */
    int read(byte[] array, int from, int end, WrittenTime into);
}
