package dev.loom.index;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexKey;
import dev.loom.api.ValueType;
import dev.loom.format.RecordLookup;
import dev.loom.value.BinScale;
import dev.loom.value.KeyReader;
import dev.loom.value.RecordBatch;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/** One index and its summary of the active chunk. Owned by the thread that adds records. */
public final class ActiveIndex {
    private final Index definition;
    private final KeyReader keys;
    private final BinScale scale;
    private final boolean binned;
    private final FunctionGuard guard;
    private final BinTable bins;
    /** Null if the index does not keep values. */
    private final @Nullable ChunkValues values;

    /** Null if the index keeps nothing apart. */
    private final @Nullable ChunkKeys byKey;

    private int timeCount;
    private long timeMinKey = Long.MAX_VALUE;
    private long timeMaxKey = Long.MIN_VALUE;
    /** Whether a record of the chunk had a value that does not fit. */
    private boolean unfit;

    /** The number of values of the batch read last, and whether others did not fit. */
    private int found;

    private boolean unfitFound;
    /** The id of the index that asked last for values, and whether it is over the same ones. */
    private int followerId = -1;

    private boolean sharesValues;
    private long binsAddress = IndexSummary.NO_BINS;

    /** Whether it lacks records of the chunk, for example for lack of memory. */
    private boolean spoilt;

    /** Makes an empty index without a guard. */
    public ActiveIndex(Index definition, @Nullable RecordLookup lookup) {
        this(definition, lookup, FunctionGuard.NONE);
    }

    /**
     * Makes an empty index.
     *
     * @param definition the index, with a readable function
     * @param lookup finds the records that others refer to
     * @param guard notified of each call of a function of the program's own
     */
    public ActiveIndex(Index definition, @Nullable RecordLookup lookup, FunctionGuard guard) {
        this.definition = definition;
        this.keys = new KeyReader(definition.function(), lookup);
        this.scale = BinScale.of(definition.bins(), keys.type());
        this.bins =
                new BinTable(keys.type() == ValueType.F64 && definition.bins().form() != Bins.Form.LOG_LINEAR);
        // a format's readers of keys are the program's own, too
        boolean foreign = definition.function().fixedField() == null || definition.key() != null;
        this.guard = foreign ? guard : FunctionGuard.NONE;
        this.binned = definition.kind() == Index.Kind.VALUE;
        IndexKey key = definition.key();
        this.byKey = key == null
                ? null
                : new ChunkKeys(
                        key,
                        definition,
                        scale,
                        keys.type() == ValueType.F64 && definition.bins().form() != Bins.Form.LOG_LINEAR,
                        lookup);
        this.values = binned && byKey == null && definition.bins().keepsValues() ? new ChunkValues() : null;
    }

    public Index definition() {
        return definition;
    }

    /**
     * Adds the values of those records that have one. If anything fails, the chunk goes without the index.
     *
     * @param batchBins room for the bins of a batch
     * @param before the index that the batch was added to last; null if there is none
     */
    void add(RecordBatch batch, int[] batchBins, @Nullable ActiveIndex before) {
        if (spoilt) {
            return;
        }
        guard.enter();
        try {
            readValues(batch, before);
            addAll(batch, batchBins);
        } catch (Throwable e) {
            spoil();
        } finally {
            guard.leave();
        }
    }

    /** Marks the index as lacking records of the chunk. */
    public void spoil() {
        spoilt = true;
    }

    /** Reads the values of a batch, unless an index over the same ones did. */
    private void readValues(RecordBatch batch, @Nullable ActiveIndex before) {
        if (before != null && before.hasValuesOf(definition)) {
            found = before.found;
            unfitFound = before.unfitFound;
        } else {
            long unfitEarlier = keys.unfit();
            found = keys.readAll(batch);
            unfitFound = keys.unfit() != unfitEarlier;
        }
        unfit |= unfitFound;
    }

    private boolean hasValuesOf(Index other) {
        if (other.id() != followerId) {
            followerId = other.id();
            boolean areFields =
                    !definition.function().isLambda() && !other.function().isLambda();
            sharesValues = areFields && definition.function().equals(other.function());
        }
        return sharesValues && !spoilt;
    }

    private void addAll(RecordBatch batch, int[] batchBins) {
        if (byKey != null) {
            addByKey(byKey, batch, batchBins);
        } else if (binned) {
            scale.bins(batch.keys(), found, batchBins);
            bins.add(batchBins, batch.keys(), found);
            if (values != null) {
                values.add(batchBins, batch.keys(), found);
            }
        } else {
            addTimes(batch.keys(), found);
        }
    }

    /** If each record has a value, those read are theirs; otherwise they are read again, one by one. */
    private void addByKey(ChunkKeys into, RecordBatch batch, int[] batchBins) {
        if (!into.addRecords(batch)) {
            spoil();
        } else if (found == batch.count()) {
            scale.bins(batch.keys(), found, batchBins);
            into.add(batchBins, batch.keys(), found);
        } else {
            for (int i = 0; found > 0 && i < batch.count(); i++) {
                if (keys.read(batch.buffer(), batch.offset(i), batch.length(i))) {
                    into.add(i, scale.bin(keys.key()), keys.key());
                }
            }
        }
    }

    private void addTimes(long[] times, int length) {
        timeCount += length;
        for (int i = 0; i < length; i++) {
            timeMinKey = Math.min(timeMinKey, times[i]);
            timeMaxKey = Math.max(timeMaxKey, times[i]);
        }
    }

    /** Whether every record added is accounted for; only then may the chunk list the index. */
    public boolean isComplete() {
        return !spoilt && !unfit;
    }

    /** Whether there are bins to write. */
    public boolean hasBins() {
        return byKey == null ? binned && !bins.isEmpty() : !byKey.isEmpty();
    }

    /** The address of the chunk's written bins. */
    public long binsAddress() {
        return binsAddress;
    }

    public void binsAddress(long address) {
        binsAddress = address;
    }

    /** How often the function has thrown. Any thread; the latest failures may show late. */
    public long failures() {
        return keys.failures();
    }

    /** Sets the totals of the chunk. */
    public void summarize(IndexSummary into) {
        into.clear(definition.id());
        if (!binned) {
            into.setRange(timeCount, timeMinKey, timeMaxKey);
            return;
        }
        if (byKey != null) {
            byKey.addTo(into, keys.type());
            into.binsAddress(binsAddress);
            return;
        }
        bins.rewind();
        while (bins.next()) {
            into.add(bins, keys.type());
        }
        into.binsAddress(binsAddress);
    }

    /** The most bytes that {@link #encodeBins} writes. */
    public int binsLengthMax() {
        if (byKey != null) {
            return byKey.lengthMax();
        }
        return BinListWriter.lengthMax(bins.entryCount(), values == null ? 0 : values.count());
    }

    /** Writes the bins of the chunk. Returns the offset after them. */
    public int encodeBins(BinListWriter writer, MutableDirectBuffer buffer, int offset) {
        if (byKey != null) {
            return byKey.encode(writer, scale, keys.type(), definition.id(), buffer, offset);
        }
        return writer.write(
                bins, values == null ? null : values.inOrderOf(bins), 0, scale, keys.type(), buffer, offset);
    }

    /** Begins another chunk. */
    public void reset() {
        bins.reset();
        if (values != null) {
            values.clear();
        }
        if (byKey != null) {
            byKey.reset();
        }
        timeCount = 0;
        timeMinKey = Long.MAX_VALUE;
        timeMaxKey = Long.MIN_VALUE;
        unfit = false;
        spoilt = false;
        binsAddress = IndexSummary.NO_BINS;
    }
}
