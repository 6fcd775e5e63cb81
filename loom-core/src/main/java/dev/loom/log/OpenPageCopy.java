package dev.loom.log;

import java.nio.ByteBuffer;

/** Keeps a durable copy of the page behind a log's durable ones, so that a slow log is durable without ending its pages early. For the evictor's thread. */
public interface OpenPageCopy extends AutoCloseable {
    /**
     * Makes the page durable as far as it is written.
     *
     * @param page its bytes so far, from the buffer's position to its limit, which are moved
     * @throws dev.loom.error.StoreIoException when that fails; the last copy that succeeded is still durable
     */
    void keep(ByteBuffer page, long address);

    @Override
    void close();
}
