package dev.loom.otlp.ingest;

import dev.loom.otlp.wire.WireReader;
import dev.loom.otlp.wire.WireWriter;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Fields of a message, one after the other, up to a maximum length. Reused; for one thread. */
final class EncodedFields {
    private final MutableDirectBuffer bytes;
    private int length;
    private boolean tooLong;

    EncodedFields(int lengthMax) {
        bytes = new UnsafeBuffer(new byte[lengthMax]);
    }

    DirectBuffer buffer() {
        return bytes;
    }

    int length() {
        return length;
    }

    /** Whether something did not fit and is missing. */
    boolean tooLong() {
        return tooLong;
    }

    void reset() {
        length = 0;
        tooLong = false;
    }

    /** Takes away what was appended behind this length; all of it had fit. */
    void cut(int toLength) {
        length = toLength;
    }

    /** Appends the field that a reader stands on, unchanged. */
    void append(WireReader field) {
        append(field.buffer(), field.fieldOffset(), field.fieldEnd() - field.fieldOffset());
    }

    /** Appends the tag and length of a field that holds a message. */
    void append(int tag, int messageLength) {
        if (hasRoom(WireWriter.varintLength(tag) + WireWriter.varintLength(messageLength))) {
            length = WireWriter.putVarint(bytes, length, tag);
            length = WireWriter.putVarint(bytes, length, messageLength);
        }
    }

    void append(EncodedFields others) {
        append(others.bytes, 0, others.length);
    }

    private void append(DirectBuffer from, int offset, int count) {
        if (hasRoom(count)) {
            bytes.putBytes(length, from, offset, count);
            length += count;
        }
    }

    private boolean hasRoom(int count) {
        tooLong |= count > bytes.capacity() - length;
        return !tooLong;
    }
}
