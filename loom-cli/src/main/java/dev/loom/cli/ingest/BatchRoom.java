package dev.loom.cli.ingest;

import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;

/** Room for one batch, until closed. For one thread. */
public interface BatchRoom extends AutoCloseable {
    /** The whole room, to be filled. */
    ByteBuffer bytes();

    /** What holds it, from {@link #offset()} for {@link #length()} bytes. */
    DirectBuffer buffer();

    int offset();

    int length();

    @Override
    void close();
}
