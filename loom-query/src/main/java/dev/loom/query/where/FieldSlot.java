package dev.loom.query.where;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.RecordLookup;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** One field of the payload being tested: read when first asked for, then kept until the next payload. */
final class FieldSlot {
    private final FieldReader reader;
    private final CurrentPayload payload;
    private final FieldValue value = new FieldValue();
    private long sequence;

    FieldSlot(FieldReader reader, CurrentPayload payload, @Nullable RecordLookup lookup) {
        this.reader = reader;
        this.payload = payload;
        value.lookup(lookup);
    }

    FieldValue value() {
        if (sequence != payload.sequence) {
            sequence = payload.sequence;
            reader.read(payload.buffer, payload.offset, payload.length, value);
        }
        return value;
    }

    /** The payload being tested, shared by the slots of one predicate. */
    static final class CurrentPayload {
        private DirectBuffer buffer;
        private int offset;
        private int length;
        /** Counts payloads, so that a slot knows whether it holds an earlier one's. */
        private long sequence;

        CurrentPayload(DirectBuffer none) {
            buffer = none;
        }

        void wrap(DirectBuffer newBuffer, int newOffset, int newLength) {
            buffer = newBuffer;
            offset = newOffset;
            length = newLength;
            sequence++;
        }
    }
}
