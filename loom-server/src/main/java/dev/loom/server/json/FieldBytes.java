package dev.loom.server.json;

import dev.loom.format.FieldValue;
import org.agrona.DirectBuffer;

/** A copy of a value's bytes in a reused array. For one thread. */
public final class FieldBytes {
    private byte[] array = new byte[256];
    private int length;

    public FieldBytes() {}

    public void load(FieldValue value) {
        load(value.bytes(), value.offset(), value.length());
    }

    public void load(DirectBuffer buffer, int offset, int count) {
        if (count > array.length) {
            array = new byte[Math.max(count, array.length * 2)];
        }
        buffer.getBytes(offset, array, 0, count);
        length = count;
    }

    public byte[] array() {
        return array;
    }

    public int length() {
        return length;
    }
}
