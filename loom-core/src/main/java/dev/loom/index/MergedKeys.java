package dev.loom.index;

import dev.loom.api.Index;
import dev.loom.value.BinScale;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/** What an index by keys holds of several chunks together: records, totals and bins of each key, merged. For one thread. */
public final class MergedKeys {
    private final Index definition;
    private final BinScale scale;
    private final TreeMap<byte[], Key> keys = new TreeMap<>(Arrays::compareUnsigned);
    private final IndexSummary summary = new IndexSummary();
    private int keyBytes;
    private boolean whole = true;

    /** A key, and the bins of its values. */
    private static final class Key {
        private final MergedIndex merged;
        private long records;

        Key(MergedIndex merged) {
            this.merged = merged;
        }
    }

    /** @param scale numbers the index's bins */
    public MergedKeys(Index definition, BinScale scale) {
        this.definition = definition;
        this.scale = scale;
    }

    /**
     * Counts records of a key.
     *
     * @return what takes their bins; null if there are too many keys, and then nothing is whole any more
     */
    public @Nullable MergedIndex add(DirectBuffer from, int offset, int length, long records) {
        byte[] bytes = new byte[length];
        from.getBytes(offset, bytes);
        Key key = keys.get(bytes);
        if (key == null) {
            if (keys.size() == KeyedBinsDescriptor.RUN_KEYS_MAX) {
                drop();
                return null;
            }
            key = new Key(new MergedIndex(definition, scale));
            keys.put(bytes, key);
            keyBytes += length;
        }
        key.records += records;
        return key.merged;
    }

    /** Forgets everything, as some of it is not known. */
    public void drop() {
        whole = false;
        keys.clear();
    }

    /** Whether everything is here. */
    public boolean isWhole() {
        return whole;
    }

    /** The number of bins of all keys. */
    public int binCount() {
        int bins = 0;
        for (Key key : keys.values()) {
            bins += key.merged.binCount();
        }
        return bins;
    }

    /** Writes everything, as {@link KeyedBinsDescriptor} describes. Returns the offset after it. */
    public int encode(RunBinsWriter writer, MutableDirectBuffer buffer, int offset) {
        buffer.checkLimit(offset + 2 * Varints.LENGTH_MAX);
        int at = Varints.put(buffer, offset, keys.size());
        at = Varints.put(buffer, at, 0);
        for (Map.Entry<byte[], Key> entry : keys.entrySet()) {
            byte[] bytes = entry.getKey();
            MergedIndex merged = entry.getValue().merged;
            at = Varints.put(buffer, at, bytes.length);
            buffer.putBytes(at, bytes);
            at = Varints.put(buffer, at + bytes.length, entry.getValue().records);
            merged.summarize(summary);
            at = IndexSummaryCodec.write(summary, merged.type(), 0, buffer, at);
            int bins = at + Integer.BYTES;
            int end = summary.count() == 0 ? bins : merged.encodeBins(writer, buffer, bins);
            buffer.putInt(at, end - bins, ByteOrder.LITTLE_ENDIAN);
            at = end;
        }
        return at;
    }

    /** The most bytes that {@link #encode} writes. */
    public int lengthMax() {
        int perKey = 3 * Varints.LENGTH_MAX + IndexSummaryCodec.LENGTH_MAX + Integer.BYTES;
        return (keys.size() + 1) * perKey
                + keyBytes
                + RunBinsWriter.lengthMax(binCount())
                + RunBinsWriter.lengthMax(0) * keys.size();
    }
}
