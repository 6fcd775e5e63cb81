package dev.loom.format;

import org.agrona.DirectBuffer;

/** Reads one field from payloads of one format. Immutable, usable from any thread. */
@FunctionalInterface
public interface FieldReader {
    /**
     * Reads the field from the payload at {@code [offset, offset + length)}, as far as that lies within the buffer. If
     * the payload lacks the field, or is too short or malformed, the value is {@link FieldValue.Kind#ABSENT}. Never
     * reads outside the payload, and never throws. The payload must not change during the call.
     */
    void read(DirectBuffer buffer, int offset, int length, FieldValue into);

    /**
     * A reader of an integer that stands for the field's value and is cheaper to read, such as where the value is kept: two records of
     * one log for which it is equal have equal values. A record may have none. This reader itself if there is nothing cheaper.
     */
    default FieldReader identity() {
        return this;
    }
}
