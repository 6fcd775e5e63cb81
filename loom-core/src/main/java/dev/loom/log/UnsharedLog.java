package dev.loom.log;

import dev.loom.io.Storage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A part of a log that is written off the write path: its writer's thread also takes the sealed pages to the segment files,
 * and nobody else sees the ring. For one thread.
 */
public final class UnsharedLog implements AutoCloseable {
    private final HybridLog log;
    private final EvictedLog evicted;

    /** As below, for whoever has the store to himself. */
    public UnsharedLog(
            LogKind kind, long storeId, int epoch, Storage storage, Segments segments, long begin, int ringLength) {
        this(kind, storeId, epoch, new SegmentWriter(storage, segments), begin, ringLength);
    }

    /**
     * @param begin a page's address, where it begins to write
     * @param ringLength bytes of memory, a power of two, at least two pages
     */
    public UnsharedLog(LogKind kind, long storeId, int epoch, SegmentWriter writer, long begin, int ringLength) {
        ByteBuffer ring = ByteBuffer.allocateDirect(ringLength).order(ByteOrder.LITTLE_ENDIAN);
        this.log = new HybridLog(kind, storeId, epoch, ring, Watermarks.fixed(begin, begin), begin, begin);
        this.evicted = new EvictedLog(log, storeId, writer);
    }

    public HybridLog log() {
        return log;
    }

    /** Writes the sealed pages to the segment files; there is room for as many then. */
    public void evict() {
        log.publishSealed();
        while (evicted.evictRun(true)) {
            // one run after the other
        }
    }

    /** Writes the sealed pages, and makes all that was written durable. Returns the address behind it. */
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
