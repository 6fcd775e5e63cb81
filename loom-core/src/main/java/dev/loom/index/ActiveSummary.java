package dev.loom.index;

import dev.loom.value.RecordBatch;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The indexes of one source and their summaries of the active chunk (paper, section 4.2: the chunk summary).
 *
 * <p>Records that stay in place in the ring are added by offset and processed in batches, index by index. Each step is
 * then a loop over primitive arrays, free of decisions that are the same for all records. The indexes are up to date
 * after {@link #complete}.
 *
 * <p>Owned by the writer's thread, except for {@link #define}, with which any thread, one at a time, sets the indexes
 * of the next chunk.
 */
public final class ActiveSummary {
    private static final ActiveIndex[] NONE = {};

    /** Made with the first index, since most sources may have none; published by {@link #wanted}. */
    private @Nullable RecordBatch batch;
    /** The batch, while the chunk goes without indexes. */
    private @Nullable RecordBatch spare;

    /** Room for the bins of a batch; made and published with it. */
    private int[] bins = {};

    private volatile ActiveIndex[] wanted = NONE;
    private ActiveIndex[] active = NONE;
    private long start;
    private int startOffset;
    /** The records of the chunk that were processed. */
    private int added;

    /** Sets the indexes for the next chunk on. */
    public void define(List<ActiveIndex> indexes) {
        if (batch == null && !indexes.isEmpty()) {
            bins = new int[RecordBatch.RECORDS_MAX];
            batch = new RecordBatch(); // allocated here, because beginning a chunk must not fail
        }
        wanted = indexes.toArray(NONE);
    }

    /**
     * Begins a chunk, before its first record is added.
     *
     * @param chunkAddress its address
     * @param payloadDistance the distance of a payload from its record's address
     * @param indexesMax if there are more, the chunk has none of them
     */
    public void begin(long chunkAddress, int payloadDistance, int indexesMax) {
        ActiveIndex[] next = wanted;
        if (spare != null) {
            batch = spare;
            spare = null;
        }
        for (ActiveIndex index : active) {
            index.reset();
        }
        if (active != next) { // those that the chunk before was to have, and went without
            for (ActiveIndex index : next) {
                index.reset();
            }
        }
        active = next.length <= indexesMax ? next : NONE;
        start = chunkAddress;
        startOffset = (int) chunkAddress + payloadDistance;
        added = 0;
        if (batch != null) {
            batch.begin(start, startOffset);
        }
    }

    /** Adds a record of the source to every index at once; its payload may be anywhere. */
    public void add(DirectBuffer payload, int offset, int length, long address) {
        RecordBatch records = batch;
        if (records != null) {
            complete();
            records.setOne(payload, offset, length, address);
            complete();
            records.begin(start, startOffset);
        }
    }

    /** Adds a record whose payload, like the earlier ones, stays unchanged in the ring until {@link #complete}. */
    public void addInPlace(DirectBuffer buffer, int offset, int length) {
        RecordBatch records = batch;
        if (records != null) {
            try {
                records.add(buffer, offset, length);
                if (records.isFull()) {
                    complete();
                }
            } catch (StackOverflowError e) {
                // the record is stored by now; the chunk goes without indexes; a call might overflow again
                active = NONE;
                if (batch != null) { // else the overflow was within the processing of a batch, which is spared
                    spare = batch;
                    batch = null;
                }
            }
        }
    }

    /** Processes the records added in place. */
    public void complete() {
        RecordBatch records = batch;
        if (records != null && records.count() > 0) {
            try {
                ActiveIndex before = null;
                for (ActiveIndex index : active) {
                    index.add(records, bins, before);
                    before = index;
                }
                added += records.count();
                records.begin(start, startOffset);
            } catch (StackOverflowError e) {
                // some indexes have the records, which must not be added again
                active = NONE;
                spare = batch;
                batch = null;
                throw e;
            }
        }
    }

    /**
     * Processes the records added in place. If the chunk has other records than were added, it goes without indexes: the stack may overflow
     * between the storing of one and its adding.
     *
     * @param records the source's records of the chunk
     */
    public void complete(int records) {
        complete();
        if (added != records) {
            active = NONE;
        }
    }

    /** The number of the chunk's indexes. */
    public int count() {
        return active.length;
    }

    /** One of the chunk's indexes. */
    public ActiveIndex index(int i) {
        return active[i];
    }
}
