package dev.loom.server.json;

import dev.loom.format.FieldValue;
import dev.loom.format.RecordLookup;
import org.agrona.DirectBuffer;

/** Prints the records of one source. For one thread. */
public abstract class RecordPrinter {
    /** For answers without records. */
    public static final RecordPrinter NONE = new RecordPrinter() {
        @Override
        public void print(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
            throw new IllegalStateException("answer has no records");
        }

        @Override
        public void flush() {}
    };

    /** The field at hand. */
    protected final FieldValue value = new FieldValue();

    /** Address of the cause of the next records. */
    protected long cause;

    protected RecordPrinter() {}

    /**
     * Prints one record, whose payload is at {@code [offset, offset + length)} during the call only.
     *
     * @param timeNs the time to show, epoch nanoseconds
     */
    public abstract void print(long timeNs, long address, DirectBuffer buffer, int offset, int length);

    /** Sets where to find the records that printed ones refer to. */
    final void lookup(RecordLookup lookup) {
        value.lookup(lookup);
    }

    /** Sets the address of the cause of the next records; for printers created with causes. */
    final void cause(long address) {
        cause = address;
    }

    /** Texts printed so far that are not UTF-8; 0 for forms that do not count them. */
    public long malformed() {
        return 0;
    }

    /** Makes everything printed so far visible to the reader of standard output. */
    public abstract void flush();
}
