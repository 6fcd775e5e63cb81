package dev.loom.otlp.server;

import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;

/**
 * Network buffers. Those on the heap, into which HTTP/1 reads requests, are used once. Jetty 12.1 answers a malformed request on a second
 * thread, which goes on reading from the connection while the first one releases the buffer: pooled, it would belong to another connection
 * by then, which would get bytes of this one. Thread-safe.
 */
final class ConnectionBuffers extends ArrayByteBufferPool {
    private final ByteBufferPool once = new ByteBufferPool.NonPooling();

    /**
     * Creates an empty pool.
     *
     * @param lengthMax of a buffer that is kept
     * @param bytesMax of all that are kept
     */
    ConnectionBuffers(int lengthMax, long bytesMax) {
        super(0, 4096, lengthMax, Integer.MAX_VALUE, bytesMax, bytesMax);
    }

    @Override
    public RetainableByteBuffer.Mutable acquire(int length, boolean direct) {
        return direct ? super.acquire(length, true) : once.acquire(length, false);
    }
}
