package dev.loom.format;

import org.agrona.DirectBuffer;

/** Readers of a field that is the whole payload. */
final class WholePayload {
    static final FieldReader TEXT = (buffer, offset, length, into) -> {
        read(FieldValue.Kind.TEXT, buffer, offset, length, into);
    };
    static final FieldReader BYTES = (buffer, offset, length, into) -> {
        read(FieldValue.Kind.BYTES, buffer, offset, length, into);
    };

    private WholePayload() {}

    private static void read(FieldValue.Kind kind, DirectBuffer buffer, int offset, int length, FieldValue into) {
        int end = end(buffer, offset, length);
        if (end < 0) {
            into.setAbsent();
        } else {
            into.setBytes(kind, buffer, offset, end - offset);
        }
    }

    /** The end of the part of {@code [offset, offset + length)} that lies in the buffer, or -1 if no part can. */
    static int end(DirectBuffer buffer, int offset, int length) {
        int capacity = buffer.capacity();
        if ((offset | length) < 0 || offset > capacity) {
            return -1;
        }
        return length > capacity - offset ? capacity : offset + length;
    }
}
