package dev.loom.otlp.format;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.RecordLookup;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;

/** Stands for any field of a context: reads where the context is, if a record may refer to it. */
final class ContextIdentity implements FieldReader {
    private static final FieldReader INSTANCE = new ContextIdentity();

    private ContextIdentity() {}

    /** What stands for a field: this if it is in the context, else its reader. */
    static FieldReader of(Part part, FieldReader reader) {
        return part == Part.CONTEXT ? INSTANCE : reader;
    }

    @Override
    public void read(DirectBuffer buffer, int offset, int length, FieldValue into) {
        RecordLookup lookup = into.lookup();
        boolean fits = offset >= 0
                && length >= ContextReference.LENGTH
                && offset <= buffer.capacity() - ContextReference.LENGTH;
        into.setAbsent();
        if (fits && lookup != null) {
            long address = ContextReference.address(buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN));
            if (lookup.mayRefer(address)) {
                into.setInteger(address);
            }
        }
    }
}
