package dev.loom.server.json;

import dev.loom.format.RecordLookup;
import org.agrona.DirectBuffer;

/** Prints the records of one source. For one thread. */
public interface RecordPrinter {
    /** For answers without records. */
    RecordPrinter NONE = new RecordPrinter() {
        @Override
        public void print(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
            throw new IllegalStateException("answer has no records");
        }

        @Override
        public void flush() {}
    };

    /**
     * Prints one record, whose payload is at {@code [offset, offset + length)} during the call only.
     *
     * @param timeNs the time to show, epoch nanoseconds
     */
    void print(long timeNs, long address, DirectBuffer buffer, int offset, int length);

    /** Sets where to find the records that printed ones refer to. */
    default void lookup(RecordLookup lookup) {}

    /** Sets the address of the cause of the next records; for printers created with causes. */
    default void cause(long address) {}

    /** Makes everything printed so far visible to the reader of standard output. */
    void flush();
}
