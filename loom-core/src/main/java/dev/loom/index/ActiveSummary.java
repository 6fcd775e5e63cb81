package dev.loom.index;

import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The indexes of one source, and what they hold of the active chunk (paper, section 4.2: the chunk summary).
 *
 * <p>Records that stay where they are, in the ring, are added by their place and taken in batches, index by index: each step
 * is then a loop over primitive arrays, in which nothing has to be decided that is the same for all. What the indexes hold is
 * true after {@link #complete}.
 *
 * <p>Owned by the writer's thread, but for {@link #define}, by which any thread, one at a time, says which indexes the next
 * chunk has.
 */
public final class ActiveSummary {
    private static final ActiveIndex[] NONE = {};

    /** Made for the first index, as most sources may have none; then published by {@link #wanted}. */
    private @Nullable RecordBatch batch;

    private volatile ActiveIndex[] wanted = NONE;
    private ActiveIndex[] active = NONE;
    private long start;
    private int startOffset;

    /** Sets the indexes from the next chunk on. */
    public void define(List<ActiveIndex> indexes) {
        if (batch == null && !indexes.isEmpty()) {
            batch = new RecordBatch(); // here, as beginning a chunk must not fail
        }
        wanted = indexes.toArray(NONE);
    }

    /**
     * Begins a chunk, before its first record is added.
     *
     * @param chunkAddress its address
     * @param payloadDistance of a payload from its record's address
     * @param indexesMax if there are more, the chunk has none of them
     */
    public void begin(long chunkAddress, int payloadDistance, int indexesMax) {
        for (ActiveIndex index : active) {
            index.reset();
        }
        ActiveIndex[] next = wanted;
        active = next.length <= indexesMax ? next : NONE;
        start = chunkAddress;
        startOffset = (int) chunkAddress + payloadDistance;
        if (batch != null) {
            batch.begin(start, startOffset);
        }
    }

    /** Adds a record of the source to every index, at once; its payload is anywhere. */
    public void add(DirectBuffer payload, int offset, int length, long address) {
        RecordBatch records = batch;
        if (records != null) {
            complete();
            records.setOne(payload, offset, length, address);
            complete();
            records.begin(start, startOffset);
        }
    }

    /** Adds a record whose payload stays as it is, in the ring as all those before, until {@link #complete}. */
    public void addInPlace(DirectBuffer buffer, int offset, int length) {
        RecordBatch records = batch;
        if (records != null) {
            records.add(buffer, offset, length);
            if (records.isFull()) {
                complete();
            }
        }
    }

    /** Takes what was added in place. */
    public void complete() {
        RecordBatch records = batch;
        if (records != null && records.count > 0) {
            for (ActiveIndex index : active) {
                index.add(records);
            }
            records.count = 0;
        }
    }

    /** How many indexes the chunk has. */
    public int count() {
        return active.length;
    }

    /** One of the chunk's indexes. */
    public ActiveIndex index(int i) {
        return active[i];
    }
}
