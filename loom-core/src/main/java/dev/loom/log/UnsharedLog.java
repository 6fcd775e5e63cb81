package dev.loom.log;

import dev.loom.io.Storage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A part of a log that is written off the write path. The thread that fills its pages also writes them to the segment
 * files, and nobody else sees the ring. For one thread.
 */
public final class UnsharedLog implements AutoCloseable {
    private final HybridLog log;
    private final EvictedLog evicted;

    /** For a caller with exclusive access to the store. */
    public UnsharedLog(
            LogKind kind, long storeId, int epoch, Storage storage, Segments segments, long begin, int ringLength) {
        this(kind, storeId, epoch, new SegmentWriter(storage, segments), begin, ringLength);
    }

    /**
     * @param begin the address of the first page to write
     * @param ringLength the ring's bytes, a power of two, at least two pages
     */
    public UnsharedLog(LogKind kind, long storeId, int epoch, SegmentWriter writer, long begin, int ringLength) {
        ByteBuffer ring = ByteBuffer.allocateDirect(ringLength).order(ByteOrder.LITTLE_ENDIAN);
        this.log = new HybridLog(kind, storeId, epoch, ring, Watermarks.fixed(begin, begin), begin, begin);
        this.evicted = new EvictedLog(log, storeId, writer, null);
    }

    public HybridLog log() {
        return log;
    }

    /** Writes the sealed pages to the segment files, which makes room in the ring. */
    public void evict() {
        log.publishSealed();
        for (long run = evicted.nextRun(true); run > 0; run = evicted.nextRun(true)) {
            evicted.evictRun(run);
        }
    }

    /** Writes the sealed pages, and makes everything written durable. Returns the address after it. */
    public long sync() {
        evict();
        evicted.sync();
        return evicted.synced();
    }

    @Override
    public void close() {
        evicted.close();
    }
}
