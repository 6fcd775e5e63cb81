package dev.loom.server.ingest;

import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;

/** Memory for one batch, until closed. For one thread. */
public interface BatchRoom extends AutoCloseable {
    /** The memory, to be filled. */
    ByteBuffer bytes();

    /** The buffer that holds the memory, at {@link #offset()}, {@link #length()} bytes long. */
    DirectBuffer buffer();

    int offset();

    int length();

    @Override
    void close();
}
