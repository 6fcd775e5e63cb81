package dev.loom.index;

import dev.loom.api.Index;
import dev.loom.api.LongSum;
import dev.loom.api.ValueType;
import dev.loom.value.BinScale;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What an index holds of several chunks together: their totals and bins, merged. Exact for up to 2^31 values, except for the rounding of
 * sums of doubles. For one thread.
 */
public final class MergedIndex {
    private final ValueType type;
    private final BinScale scale;
    private BinTable bins;
    /** Null if the index keeps none. */
    private final @Nullable MergedValues values;

    private final IndexSummary totals = new IndexSummary();
    private boolean binned;
    private int parts;

    /** @param scale numbers the index's bins */
    public MergedIndex(Index definition, BinScale scale) {
        this.type = definition.function().type();
        this.scale = scale;
        this.bins = new BinTable(type == ValueType.F64);
        this.values = definition.bins().keepsValues() && definition.key() == null ? new MergedValues() : null;
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

    /** Whether it takes the values of bins that have few. */
    public boolean keepsValues() {
        return values != null;
    }

    /** Adds a value of a bin that was added, if it takes them. Returns whether the bin's values are still kept. */
    public boolean addValue(int bin, long key) {
        return values != null && values.add(bin, key);
    }

    /** Forgets the values of a bin, since those of a part are not known. */
    public void dropValues(int bin) {
        if (values != null) {
            values.drop(bin);
        }
    }

    /** Forgets all bins, since those of a part are not known, or are too many. */
    public void dropBins() {
        binned = false;
        bins = new BinTable(type == ValueType.F64); // the old one may be large
        if (values != null) {
            values.clear();
        }
    }

    /** Whether all parts' bins are here. */
    public boolean hasBins() {
        return binned && totals.count() > 0;
    }

    /** The number of bins with values. */
    public int binCount() {
        return bins.entryCount();
    }

    /** Writes the bins without their values. Returns the offset after them. */
    public int encodeBins(RunBinsWriter writer, MutableDirectBuffer buffer, int offset) {
        return writer.write(bins, null, scale, type, buffer, offset);
    }

    /**
     * Writes the bins. Returns the offset after them.
     *
     * @param valuesMax how many values there may be, of the bins with the fewest
     */
    public int encodeBins(RunBinsWriter writer, MutableDirectBuffer buffer, int offset, int valuesMax) {
        if (values == null) {
            return encodeBins(writer, buffer, offset);
        }
        values.choose(valuesMax);
        return writer.write(bins, values, scale, type, buffer, offset);
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
