package dev.loom.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.api.RecordClaim;
import org.agrona.concurrent.UnsafeBuffer;

/** A claim in the middle of a buffer whose other bytes must not change. */
final class GuardedClaim implements RecordClaim {
    static final long ADDRESS = 4711;

    private static final byte GUARD = 0x5A;

    private final UnsafeBuffer buffer;
    private final int offset;
    private final int length;
    int commits;
    int aborts;

    GuardedClaim(UnsafeBuffer buffer, int offset, int length) {
        this.buffer = buffer;
        this.offset = offset;
        this.length = length;
        buffer.setMemory(0, buffer.capacity(), GUARD);
    }

    @Override
    public UnsafeBuffer buffer() {
        return buffer;
    }

    @Override
    public int offset() {
        return offset;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public long commit() {
        commits++;
        return ADDRESS;
    }

    @Override
    public void abort() {
        aborts++;
    }

    void assertGuardsUntouched() {
        for (int i = 0; i < buffer.capacity(); i++) {
            if (i < offset || i >= offset + length) {
                assertEquals(GUARD, buffer.getByte(i), "offset=" + i);
            }
        }
    }
}
