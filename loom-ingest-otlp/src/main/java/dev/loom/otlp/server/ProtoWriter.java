package dev.loom.otlp.server;

import dev.loom.otlp.wire.WireType;
import dev.loom.otlp.wire.WireWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.ExpandableArrayBuffer;

/** Writes the few small protobuf messages that a server answers with. Leaves out fields that are zero or empty. */
final class ProtoWriter {
    private final ExpandableArrayBuffer out = new ExpandableArrayBuffer();
    private int length;

    ProtoWriter integer(int field, long value) {
        if (value != 0) {
            varint(field << WireType.BITS | WireType.VARINT);
            varint(value);
        }
        return this;
    }

    ProtoWriter text(int field, String value) {
        return value.isEmpty() ? this : bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    /** Writes a nested message, even if empty, as its presence may have a meaning. */
    ProtoWriter message(int field, ProtoWriter value) {
        return bytes(field, value.toByteArray());
    }

    byte[] toByteArray() {
        return Arrays.copyOf(out.byteArray(), length);
    }

    private ProtoWriter bytes(int field, byte[] value) {
        varint(field << WireType.BITS | WireType.LENGTH);
        varint(value.length);
        out.putBytes(length, value);
        length += value.length;
        return this;
    }

    private void varint(long value) {
        length = WireWriter.putVarint(out, length, value);
    }
}
