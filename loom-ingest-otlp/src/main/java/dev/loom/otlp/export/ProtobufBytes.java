package dev.loom.otlp.export;

import dev.loom.otlp.wire.WireReader;
import dev.loom.otlp.wire.WireWriter;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

/** Fields of a message, which grow as they are appended. For one thread. */
final class ProtobufBytes {
    private final ExpandableArrayBuffer bytes = new ExpandableArrayBuffer(256);
    private int length;

    int length() {
        return length;
    }

    DirectBuffer buffer() {
        return bytes;
    }

    byte[] toByteArray() {
        return Arrays.copyOf(bytes.byteArray(), length);
    }

    /** The bytes that a field with a message of this length takes. */
    static int length(int tag, int messageLength) {
        return WireWriter.varintLength(tag) + WireWriter.varintLength(messageLength) + messageLength;
    }

    /** Appends the head of a field with a message, which must follow. */
    void head(int tag, int messageLength) {
        length = WireWriter.putVarint(bytes, length, tag);
        length = WireWriter.putVarint(bytes, length, messageLength);
    }

    void append(DirectBuffer from, int offset, int count) {
        bytes.putBytes(length, from, offset, count);
        length += count;
    }

    void append(byte[] fields) {
        bytes.putBytes(length, fields);
        length += fields.length;
    }

    /** Appends the field that a reader stands on, unchanged. */
    void append(WireReader field) {
        append(field.buffer(), field.fieldOffset(), field.fieldEnd() - field.fieldOffset());
    }

    void clear() {
        length = 0;
    }
}
