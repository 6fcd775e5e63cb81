package dev.loom.read;

import dev.loom.api.DoubleSum;
import dev.loom.api.Index;
import dev.loom.api.LongSum;
import dev.loom.api.ValueType;
import dev.loom.error.CorruptStoreException;
import dev.loom.index.ChunkIndexReader;
import dev.loom.index.IndexSummary;
import dev.loom.index.IndexSummaryCodec;
import dev.loom.record.Chunks;
import dev.loom.rollup.RunReader;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What an index holds of a chunk: the totals of the records that have a value, and where its bins are. Values are given
 * as keys, signed longs that sort as they do ({@link ValueType}). Reused for chunk after chunk; for one thread.
 */
public final class ChunkSummary {
    private final @Nullable SnapshotReader reader;
    private final IndexSummary totals = new IndexSummary();
    private ValueType type = ValueType.I64;
    private long chunkAddress;
    private @Nullable Chunks part;

    ChunkSummary(@Nullable SnapshotReader reader) {
        this.reader = reader;
    }

    /**
     * Reads the totals of the part that a cursor stands on.
     *
     * @return false if there are none, so that the part's records have to be read: the part is unlisted, its directory
     *     is damaged, or the index did not see all of its records
     */
    public boolean read(ChunkCursor chunk, Index index) {
        type = index.function().type();
        chunkAddress = chunk.start();
        part = chunk.chunks();
        return chunk.chunks().summary(index.id(), type, totals);
    }

    /** The number of records with a value. */
    public long count() {
        return totals.count();
    }

    /** The least key; above every other if there are no values. */
    public long minKey() {
        return totals.minKey();
    }

    /** The greatest key; below every other if there are no values. */
    public long maxKey() {
        return totals.maxKey();
    }

    /** Adds the sum of the values of an index of doubles. */
    public void addTo(DoubleSum sum) {
        sum.add(totals.doubleSum());
    }

    /** Adds the values of an index of integers. */
    public void addTo(LongSum sum) {
        totals.addValuesTo(sum, type);
    }

    /** Sets the totals from an entry of an index by keys. */
    void set(ValueType valueType, DirectBuffer buffer, int offset, int limit, int lengths) {
        type = valueType;
        part = null;
        IndexSummaryCodec.read(buffer, offset, limit, lengths, valueType, 0, totals);
        totals.binsAddress(IndexSummary.NO_BINS);
    }

    /** Where the bins lie that a run has; null if there are none. */
    @Nullable
    RunReader runBins() {
        Chunks from = part;
        return from == null ? null : from.runBins(totals);
    }

    long binsAddress() {
        return totals.binsAddress();
    }

    /** Whether there are bins besides the totals. */
    public boolean hasBins() {
        return totals.binsAddress() != IndexSummary.NO_BINS;
    }

    /**
     * Reads the bins, and moves the reader before the first one. They are valid until the next are read, for any index
     * of the snapshot.
     *
     * @param into a reader for the bins of the index
     * @return false if there are none, or if they can't be read
     * @throws CorruptStoreException if their contents are impossible
     */
    public boolean readBins(BinListReader into) {
        Chunks from = part;
        if (from != null && from.isRun()) {
            RunReader run = from.runBins(totals);
            if (run != null) {
                into.wrap(run.bins(), 0, run.binsLength());
            }
            return run != null;
        }
        if (reader == null) {
            return false;
        }
        ChunkIndexReader bins = reader.bins();
        boolean there = hasBins() && bins.read(totals.binsAddress(), chunkAddress, totals.indexId());
        if (there) {
            into.wrap(bins.buffer(), bins.offset(), bins.length());
        }
        return there;
    }
}
