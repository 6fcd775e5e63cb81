package dev.loom.server.ingest;

import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Rooms of their own, as long as none is longer than a limit. */
record HeapMemory(int lengthMax) implements BatchMemory {
    @Override
    public @Nullable BatchRoom take(int length) {
        if (length > lengthMax) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.allocate(length);
        UnsafeBuffer buffer = new UnsafeBuffer(bytes.array());
        return new BatchRoom() {
            @Override
            public ByteBuffer bytes() {
                return bytes;
            }

            @Override
            public DirectBuffer buffer() {
                return buffer;
            }

            @Override
            public int offset() {
                return 0;
            }

            @Override
            public int length() {
                return length;
            }

            @Override
            public void close() {}
        };
    }
}
