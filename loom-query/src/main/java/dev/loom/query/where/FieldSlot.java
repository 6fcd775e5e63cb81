package dev.loom.query.where;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.RecordLookup;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** One field of the payload being tested: read on first use, then kept until the next payload. */
final class FieldSlot {
    private final FieldReader reader;
    private final CurrentPayload payload;
    private final FieldValue value = new FieldValue();
    private final FieldValue.JsonView elements = new FieldValue.JsonView();
    private final FieldValue element = new FieldValue();
    private long sequence;
    private boolean seen;

    FieldSlot(FieldReader reader, CurrentPayload payload, @Nullable RecordLookup lookup) {
        this.reader = reader;
        this.payload = payload;
        value.lookup(lookup);
    }

    FieldValue value() {
        if (sequence != payload.sequence) {
            sequence = payload.sequence;
            reader.read(payload.buffer, payload.offset, payload.length, value);
            seen |= value.kind() != FieldValue.Kind.ABSENT;
        }
        return value;
    }

    /** Whether it was read from any payload. */
    boolean isRead() {
        return sequence != 0;
    }

    /** Whether any payload had a value. */
    boolean isSeen() {
        return seen;
    }

    /** Whether the value or, if it is an array, any of its elements passes a test. */
    boolean any(ValueTest test) {
        FieldValue whole = value();
        if (whole.kind() != FieldValue.Kind.JSON) {
            return test.passes(whole);
        }
        elements.elementsOf(whole);
        while (elements.next(element)) {
            if (test.passes(element)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a text passes a test as people see it: a JSON value passes as printed, or with the escapes in its strings
     * resolved.
     */
    boolean anyText(ValueTest test) {
        FieldValue whole = value();
        if (whole.kind() != FieldValue.Kind.JSON || test.passes(whole)) {
            return test.passes(whole);
        } else if (FieldValue.JsonView.isPlain(whole)) {
            return false;
        }
        FieldValue.JsonView.visible(whole, false, element);
        if (test.passes(element)) {
            return true;
        }
        FieldValue.JsonView.visible(whole, true, element);
        return test.passes(element);
    }

    /** Whether words pass a test; those of a JSON value come from its text with escapes resolved. */
    boolean words(ValueTest test) {
        FieldValue whole = value();
        if (whole.kind() != FieldValue.Kind.JSON || FieldValue.JsonView.isPlain(whole)) {
            return test.passes(whole);
        }
        FieldValue.JsonView.visible(whole, true, element);
        return test.passes(element);
    }

    /** A test of one value. */
    interface ValueTest {
        boolean passes(FieldValue value);
    }

    /** The payload being tested, shared by the slots of one predicate. */
    static final class CurrentPayload {
        private DirectBuffer buffer;
        private int offset;
        private int length;
        /** Counts payloads, so that a slot knows whether its value is from an earlier one. */
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
