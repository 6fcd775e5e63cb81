package dev.loom.query;

import dev.loom.index.RecordBatch;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;
import dev.loom.query.Completeness.Limit;
import dev.loom.record.Chunks;
import dev.loom.record.PageRecords;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Moves through the records of one source, chunk by chunk and page by page, in the direction in which the chunks are
 * walked. For one thread.
 */
final class ChunkRecords {
    /** As many records as a page can hold. */
    private static final int RECORDS_MAX = 4096;

    private static final int CHECK_EVERY = 256;

    private final Chunks chunks;
    private final PageRecords page;
    private final ScanLimits limits;
    private final LongSupplier bytesBesides;
    private final Function<Chunks, ChunkUse> decider;
    private final Map<ChunkUse, Used> used = new EnumMap<>(ChunkUse.class);
    private final int[] offsets = new int[RECORDS_MAX];

    private boolean inChunk;
    /** Of the chunk, the page read. */
    private long current = -1;

    private int left;
    private long next;
    private boolean listed;
    private long pagesDamaged;
    private int parts;
    private boolean expired;
    private Limit limit = Limit.NONE;

    /**
     * @param bytesBesides what the query has read before, or reads besides
     * @param decider whether a part is read; those that are not are passed over
     */
    ChunkRecords(
            Chunks chunks,
            PageRecords page,
            ScanLimits limits,
            LongSupplier bytesBesides,
            Function<Chunks, ChunkUse> decider) {
        this.chunks = chunks;
        this.page = page;
        this.limits = limits;
        this.bytesBesides = bytesBesides;
        this.decider = decider;
        for (ChunkUse use : ChunkUse.values()) {
            used.put(use, new Used());
        }
    }

    /** Moves to the record before in the chunk, or to the last of the next; false when there is none. */
    boolean previous() {
        while (limit == Limit.NONE) {
            if (listed) {
                if (followChain()) {
                    return true;
                }
            } else if (left > 0) {
                if (page.seek(current + offsets[--left])) {
                    return true;
                }
            } else if (!previousPage()) {
                return false;
            }
        }
        return false;
    }

    /**
     * Gives the source's records before the current one in its page, at most as many as the batch takes; false when there is
     * none that {@link #previous()} need not see.
     */
    boolean previous(RecordBatch batch) {
        if (!listed || limit != Limit.NONE) {
            return false;
        }
        next = page.previous(next, batch);
        return batch.count() > 0;
    }

    /** One step back along the source's chain in the chunk; false at its end. */
    private boolean followChain() {
        long address = next;
        long pageAddress = PageDescriptor.pageAddress(address);
        if (address < chunks.start()) {
            listed = false;
            inChunk = false;
            return false;
        }
        if (pageAddress != current && !read(pageAddress)) {
            // the chunk's pages below may still be whole
            listed = false;
            return false;
        }
        boolean there = page.seek(address);
        // a record that can't be had, such as a jumbo with a damaged page, still links to the one before it
        next = page.back() > 0 && page.address() == address ? address - page.back() : -1;
        return there;
    }

    /** Moves to the next part whose records are to be read; false when there is none. */
    private boolean nextToRead() {
        while (chunks.next()) {
            // as often as pages are read would cost more than the parts themselves
            if (++parts % CHECK_EVERY == 0 && !withinLimits()) {
                return false;
            }
            ChunkUse use = decider.apply(chunks);
            if (use == ChunkUse.BEHIND_RANGE) {
                return false;
            }
            Used counts = used(use);
            // of a part that no directory covers, each page counts as it is read
            counts.chunks += chunks.listed() || use != ChunkUse.READ ? 1 : 0;
            if (use == ChunkUse.READ) {
                return true;
            }
            counts.pages += (chunks.end() - chunks.start()) >> PageDescriptor.PAGE_SHIFT;
        }
        return false;
    }

    private boolean withinLimits() {
        limit = limits.check(bytesBesides.getAsLong() + page.bytesRead() + chunks.bytesRead());
        return limit == Limit.NONE;
    }

    private boolean previousPage() {
        if (!inChunk) {
            if (!nextToRead()) {
                return false;
            }
            inChunk = true;
            listed = chunks.listed();
            next = chunks.lastRecord();
            current = -1;
            if (listed) {
                return true;
            }
            current = PageDescriptor.pageAddress(chunks.end() + PageDescriptor.PAGE_LENGTH - 1);
        }
        long address = current - PageDescriptor.PAGE_LENGTH;
        if (address < chunks.start()) {
            inChunk = false;
            return true;
        }
        if (read(address)) {
            while (page.next()) {
                offsets[left++] = (int) (page.address() - address);
            }
        }
        current = address;
        return true;
    }

    /** Moves to the next record; false when there is none. The chunks are ascending. */
    boolean next() {
        while (current < 0 || !page.next()) {
            if (limit != Limit.NONE || !nextPage()) {
                return false;
            }
        }
        return true;
    }

    private boolean nextPage() {
        if (!inChunk) {
            if (!nextToRead()) {
                current = -1;
                return false;
            }
            inChunk = true;
            next = chunks.start();
        }
        if (next >= chunks.end()) {
            inChunk = false;
            current = -1;
            return true;
        }
        long address = next;
        next += PageDescriptor.PAGE_LENGTH;
        if (!read(address)) {
            current = -1;
        }
        return true;
    }

    private boolean read(long address) {
        if (!withinLimits()) {
            return false;
        }
        used(ChunkUse.READ).pages++;
        used(ChunkUse.READ).chunks += chunks.listed() ? 0 : 1;
        PageState state = page.read(address);
        current = address;
        if (state == PageState.DAMAGED) {
            pagesDamaged++;
        }
        expired |= state == PageState.EXPIRED;
        return state == PageState.PRESENT;
    }

    /** Why it stopped early. */
    Limit limit() {
        return limit;
    }

    long pagesDamaged() {
        return pagesDamaged;
    }

    private Used used(ChunkUse use) {
        return Objects.requireNonNull(used.get(use));
    }

    private static final class Used {
        private long chunks;
        private long pages;
    }

    /** How many chunks were used so. */
    long chunks(ChunkUse use) {
        return used(use).chunks;
    }

    /** How many pages were used so; of those to be read, what was asked for. */
    long pages(ChunkUse use) {
        return used(use).pages;
    }

    boolean expired() {
        return expired;
    }
}
