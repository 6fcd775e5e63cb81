package dev.loom.index;

import dev.loom.api.Index;
import dev.loom.api.LongSum;
import dev.loom.api.ValueType;
import dev.loom.value.BinScale;
import org.agrona.MutableDirectBuffer;

/**
 * What an index holds of several chunks together: their totals and bins, merged. Exact for up to 2^31 values, but for the rounding of
 * sums of doubles. For one thread.
 */
public final class MergedIndex {
    private final ValueType type;
    private final BinScale scale;
    private final BinTable bins;
    private final IndexSummary totals = new IndexSummary();
    private boolean binned;
    private int parts;

    /** @param scale numbers the index's bins */
    public MergedIndex(Index definition, BinScale scale) {
        this.type = definition.function().type();
        this.scale = scale;
        this.bins = new BinTable(type == ValueType.F64);
        this.binned = definition.kind() == Index.Kind.VALUE;
        totals.clear(definition.id());
    }

    public ValueType type() {
        return type;
    }

    /** Adds the totals of another part. */
    public void add(IndexSummary part) {
        totals.add(part);
        parts++;
    }

    /** The number of parts added. */
    public int parts() {
        return parts;
    }

    /** Adds a bin of integers. */
    public void addBin(int bin, int values, long minKey, long maxKey, LongSum keys) {
        bins.merge(bin, values, minKey, maxKey, keys);
    }

    /** Adds a bin of doubles. */
    public void addBin(int bin, int values, long minKey, long maxKey, double sum) {
        bins.merge(bin, values, minKey, maxKey, sum);
    }

    /** Forgets all bins, since those of a part are not known, or are too many. */
    public void dropBins() {
        binned = false;
        bins.clear();
    }

    /** Whether all parts' bins are here. */
    public boolean hasBins() {
        return binned && totals.count() > 0;
    }

    /** The number of bins with values. */
    public int binCount() {
        return bins.entryCount();
    }

    /** The most bytes that {@link #encodeBins} writes. */
    public int binsLengthMax() {
        return BinListWriter.lengthMax(bins.entryCount(), 0);
    }

    /** Writes the bins. Returns the offset after them. */
    public int encodeBins(BinListWriter writer, MutableDirectBuffer buffer, int offset) {
        return writer.write(bins, null, 0, scale, type, buffer, offset);
    }

    /** Whether totals that were stored are these; sums of doubles may differ by their rounding. */
    public boolean agreesWith(IndexSummary stored) {
        boolean alike = stored.count() == totals.count();
        if (alike && totals.count() > 0) {
            alike = stored.minKey() == totals.minKey() && stored.maxKey() == totals.maxKey();
        }
        return alike
                && (type == ValueType.F64
                        || (stored.keySum().high() == totals.keySum().high()
                                && stored.keySum().low() == totals.keySum().low()));
    }

    /** Sets the totals of the bins. */
    public void summarize(IndexSummary into) {
        into.clear(totals.indexId());
        bins.rewind();
        while (bins.next()) {
            into.add(bins, type);
        }
    }

    /** The totals of all parts; the bins' address is the caller's to set. */
    public IndexSummary totals() {
        return totals;
    }
}
