package dev.loom.otlp.format;

import dev.loom.format.FieldValue;
import dev.loom.format.RecordLookup;
import dev.loom.otlp.wire.WireReader;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;

/** The state for reading a field, kept in the {@link FieldValue} that is read into, so that nothing is allocated. */
final class ReadState {
    final WireReader reader = new WireReader();
    final WireReader within = new WireReader();
    final WireField.Found found = new WireField.Found();
    final AnyValue any = new AnyValue();
    final AttributeJson json = new AttributeJson();

    /** The longest key so far that leads to the one an {@link AnyField} looks for, and the place of its value. */
    int leadLength;

    int leadOffset;
    int leadValueLength;

    private boolean fieldsOnce;

    private ReadState() {}

    static ReadState of(FieldValue value) {
        return value.state(ReadState.class, ReadState::new);
    }

    /** The number in a record's last field with this tag; 0 if there is none, or if the record is malformed. */
    long last(int tag, DirectBuffer buffer, int offset, int length, FieldValue value) {
        long last = 0;
        if (wrap(Part.MESSAGE, buffer, offset, length, value)) {
            while (reader.nextOf(tag)) {
                last = reader.value();
                if (fieldsOnce) {
                    return last;
                }
            }
        }
        return reader.failure() == null ? last : 0;
    }

    /**
     * Whether the wrapped message has each field once at most, except repeated ones, so that the first occurrence is enough.
     */
    boolean fieldsOnce() {
        return fieldsOnce;
    }

    /** Positions the reader at a message of the record; false if the record has none. */
    boolean wrap(Part part, DirectBuffer buffer, int offset, int length, FieldValue value) {
        fieldsOnce = false;
        int capacity = buffer.capacity();
        if (offset < 0 || length < 0 || offset > capacity) {
            return false;
        }
        int whole = Math.min(length, capacity - offset);
        if (part == Part.PAYLOAD) {
            reader.wrap(buffer, offset, whole);
            return true;
        }
        if (whole < ContextReference.LENGTH) {
            return false;
        }
        long reference = buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
        if (part == Part.MESSAGE) {
            fieldsOnce = ContextReference.hasFieldsOnce(reference);
            reader.wrap(buffer, offset + ContextReference.LENGTH, whole - ContextReference.LENGTH);
            return true;
        }
        RecordLookup lookup = value.lookup();
        if (lookup == null || !lookup.find(ContextReference.address(reference), OtlpFormatProvider.CONTEXT)) {
            return false;
        }
        reader.wrap(lookup.buffer(), lookup.offset(), lookup.length());
        return true;
    }
}
