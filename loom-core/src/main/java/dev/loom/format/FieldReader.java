package dev.loom.format;

import org.agrona.DirectBuffer;

/** Reads one field out of payloads of one format. Immutable, and usable from any thread. */
@FunctionalInterface
public interface FieldReader {
    /**
     * Reads the field of the payload at {@code [offset, offset + length)}, of which only what lies within the buffer's
     * capacity counts. A payload that lacks the field, or is too short or malformed, gives {@link
     * FieldValue.Kind#ABSENT}; nothing outside the payload is read, nothing is thrown. The payload must not change
     * during the call.
     */
    void read(DirectBuffer buffer, int offset, int length, FieldValue into);
}
