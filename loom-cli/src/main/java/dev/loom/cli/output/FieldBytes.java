package dev.loom.cli.output;

import dev.loom.format.FieldValue;
import org.agrona.DirectBuffer;

/** A copy of a value's bytes in a reused array. For one thread. */
final class FieldBytes {
    private byte[] array = new byte[256];
    private int length;

    void load(FieldValue value) {
        load(value.bytes(), value.offset(), value.length());
    }

    void load(DirectBuffer buffer, int offset, int count) {
        if (count > array.length) {
            array = new byte[Math.max(count, array.length * 2)];
        }
        buffer.getBytes(offset, array, 0, count);
        length = count;
    }

    byte[] array() {
        return array;
    }

    int length() {
        return length;
    }
}
