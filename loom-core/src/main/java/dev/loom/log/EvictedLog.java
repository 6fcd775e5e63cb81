package dev.loom.log;

import dev.loom.error.StoreIoException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.agrona.BufferUtil;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * The evictor's side of one log: writes sealed pages from the ring to the segment files. Owned by the evictor's thread.
 */
final class EvictedLog implements AutoCloseable {
    private static final int RUN_LENGTH_MAX = 16 << 20;

    /** How often a page is asked for that the disk does not deliver, while it delivers others. */
    private static final int READ_ATTEMPTS = 5;

    private final HybridLog log;
    private final LogKind kind;
    private final long storeId;
    private final Watermarks watermarks;
    private final int ringLength;
    private final SegmentWriter writer;
    private final @Nullable OpenPageCopy copy;
    private final PageChecksum checksum;
    private final int runLengthMin;
    private long synced;
    private long aim;
    /** How often in succession the disk has not delivered each page that was to be written again, while it delivered others. */
    private Map<Long, Integer> unreadable = Map.of();

    EvictedLog(HybridLog log, long storeId, SegmentWriter writer, @Nullable OpenPageCopy copy) {
        this.log = log;
        this.copy = copy;
        this.kind = log.kind();
        this.storeId = storeId;
        this.watermarks = log.watermarks();
        this.ringLength = log.ringLength();
        this.writer = writer;
        this.checksum = new PageChecksum(log.kind(), storeId);
        this.runLengthMin = Math.min(1 << 20, ringLength / 4);
        this.synced = watermarks.durableAcquire();
    }

    /** Sealed bytes that are not in segment files yet. */
    long pending() {
        return watermarks.sealedAcquire() - watermarks.evictedAcquire();
    }

    /** Whether enough is sealed for a full write. Any thread. */
    boolean runWaiting() {
        return pending() >= runLengthMin;
    }

    /** Bytes in segment files that are not durable yet. */
    long undurable() {
        return watermarks.evictedAcquire() - watermarks.durableAcquire();
    }

    /** Notes what is sealed now, as what is to be written next. */
    void aim() {
        aim = watermarks.sealedAcquire();
    }

    /** Whether all that was sealed at the last {@link #aim} is in segment files. */
    boolean aimReached() {
        return watermarks.evictedAcquire() >= aim;
    }

    /**
     * The length of the next run of sealed pages to write.
     *
     * @param all whether a short run is written too
     * @return 0 if there is none
     */
    long nextRun(boolean all) {
        long from = watermarks.evictedAcquire();
        long pending = watermarks.sealedAcquire() - from;
        if (pending == 0 || (pending < runLengthMin && !all)) {
            return 0;
        }
        long length = Math.min(Math.min(pending, RUN_LENGTH_MAX), ringLength - offsetInRing(from));
        return Math.min(length, writer.remainingInSegment(from));
    }

    private int offsetInRing(long address) {
        return (int) (address & (ringLength - 1));
    }

    /** Writes the next run, of a length from {@link #nextRun}. */
    void evictRun(long length) {
        long from = watermarks.evictedAcquire();
        ByteBuffer ring = log.evictorBytes();
        int start = offsetInRing(from);
        for (int pageOffset = 0; pageOffset < length; pageOffset += PageDescriptor.PAGE_LENGTH) {
            checksum.fill(ring, start + pageOffset, from + pageOffset);
        }
        ring.limit(start + (int) length).position(start);
        writer.write(ring, from);
        watermarks.evictedRelease(from + length);
    }

    /** Makes the contents of the segment files durable; {@link #synced()} is the end of what is durable. */
    void sync() {
        long evicted = watermarks.evictedAcquire();
        if (evicted != synced) {
            writer.sync();
            synced = evicted;
        }
    }

    /**
     * Rewrites what is in segment files but not durable, after a failed sync: part of it may be lost, and the next sync
     * would not report that. Reads it back from where readers get it too, the ring as long as it is there. A page that the disk has
     * lost stays damaged, as it does after a crash, so that those behind it become durable.
     *
     * @throws StoreIoException if the disk does not deliver what it may have; of single pages a few times only
     */
    void writeAgain() {
        writer.reopen();
        long end = watermarks.evictedAcquire();
        synced = watermarks.durableAcquire();
        int length = PageDescriptor.PAGE_LENGTH;
        ByteBuffer memory = ByteBuffer.allocateDirect(2 * length);
        ByteBuffer pageBytes = memory.alignedSlice(length);
        StoreIoException failure = null;
        boolean delivered = false;
        Map<Long, Integer> failed = new HashMap<>();
        try (PageReader reader =
                new PageReader(writer.view(kind, storeId, watermarks).with(log.ring()))) {
            for (long address = synced; address < end; address += length) {
                boolean fromFile = address < watermarks.overwrittenOpaque(); // asked before, as the writer goes on
                if (reader.read(address, end) == PageState.PRESENT) {
                    reader.buffer().getBytes(reader.pageOffset(), pageBytes, 0, length);
                    writer.write(pageBytes.limit(length).position(0), address);
                    delivered |= fromFile;
                } else if (reader.failure() != null) {
                    failure = reader.failure();
                    failed.put(address, unreadable.getOrDefault(address, 0) + 1);
                }
            }
        } finally {
            BufferUtil.free(memory); // attempts go on as long as the disk fails
        }
        unreadable = delivered ? failed : Map.of();
        if (failure != null && (!delivered || failed.values().stream().anyMatch(times -> times < READ_ATTEMPTS))) {
            throw failure;
        }
    }

    long synced() {
        return synced;
    }

    /** Publishes the synced address as durable, after the mark has recorded it. */
    void publishDurable() {
        watermarks.durableRelease(synced);
    }

    /**
     * Makes the first page that is not durable so, as far as it is published, once everything before it is. It is still in the ring, also if
     * it has been filled since. What it has left free is no part of the copy, so readers of the copy find what is declared durable.
     *
     * @param durability makes durable what the page refers to
     */
    void keepNextPage(Durability durability) {
        OpenPageCopy kept = copy;
        long pageAddress = watermarks.durableAcquire();
        int published = (int) Math.min(watermarks.tailAcquire() - pageAddress, PageDescriptor.PAGE_LENGTH);
        if (kept == null || published <= PageDescriptor.HEADER_LENGTH) {
            return;
        }
        ByteBuffer ring = log.evictorBytes();
        int start = offsetInRing(pageAddress);
        int used = used(ring.clear(), start, published);
        if (pageAddress + used > watermarks.keptAcquire()) {
            durability.syncSchema();
            ring.limit(start + used).position(start);
            kept.keep(ring, pageAddress);
            watermarks.keptRelease(pageAddress + used);
        }
    }

    /** Without the rest that a sealed page has left free; its header was published with its end. */
    private static int used(ByteBuffer ring, int start, int published) {
        int sealed = published < PageDescriptor.PAGE_LENGTH ? 0 : ring.getInt(start + PageDescriptor.USED_OFFSET);
        return sealed == 0 ? published : sealed;
    }

    @Override
    public void close() {
        CloseHelper.closeAll(writer, copy);
    }
}
