package dev.loom.index;

import dev.loom.api.Index;
import dev.loom.api.IndexKey;
import dev.loom.api.ValueType;
import dev.loom.format.RecordLookup;
import dev.loom.value.BinScale;
import dev.loom.value.KeyEncoder;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What an index by keys has of a chunk: records, totals and bins of each key. Keys are found by a hash of their bytes. What exceeds {@link
 * KeyedBinsDescriptor#KEYS_MAX} keys, or a key that is too long, is counted as the rest. Adding allocates only when a chunk has more of
 * something than any before. For one thread.
 */
final class ChunkKeys {
    private static final int KEYS_MAX = KeyedBinsDescriptor.KEYS_MAX;
    private static final int SLOTS = 4 * KEYS_MAX;
    private static final int REST = KEYS_MAX;
    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

    private final KeyEncoder encoder;
    private final @Nullable RecordLookup lookup;
    private final boolean compensated;
    private final boolean keepsValues;

    /** By slot: the number of a key and 1, or 0. */
    private final int[] slots = new int[SLOTS];

    private final long[] hashes = new long[KEYS_MAX];
    private final int[] offsets = new int[KEYS_MAX + 1];
    private final byte[] bytes = new byte[KEYS_MAX * KeyedBinsDescriptor.KEY_LENGTH_MAX];
    private final UnsafeBuffer keys = new UnsafeBuffer(bytes);
    private int count;

    private final long[] records = new long[KEYS_MAX + 1];
    private final @Nullable BinTable[] tables = new BinTable[KEYS_MAX + 1];
    private final @Nullable ChunkValues[] values = new ChunkValues[KEYS_MAX + 1];
    private final IndexSummary summary = new IndexSummary();

    /**
     * @param compensated as for {@link BinTable}
     * @param lookup finds the records that others refer to
     */
    ChunkKeys(IndexKey key, Index definition, boolean compensated, @Nullable RecordLookup lookup) {
        this.encoder = new KeyEncoder(key.readers(), lookup);
        this.lookup = lookup;
        this.compensated = compensated;
        this.keepsValues = definition.bins().keepsValues();
    }

    /**
     * Counts a record.
     *
     * @return what to give to {@link #add(int, int, long)} for its value; negative if what it refers to could not be read
     */
    int addRecord(DirectBuffer payload, int offset, int length, long address) {
        RecordLookup references = lookup;
        long failures = 0;
        if (references != null) {
            references.from(address);
            failures = references.failures();
        }
        int keyLength = encoder.encode(payload, offset, length);
        if (references != null && references.failures() != failures) {
            return -1;
        }
        boolean tooLong = keyLength < 0 || keyLength > KeyedBinsDescriptor.KEY_LENGTH_MAX;
        int key = tooLong ? REST : find(encoder.key(), keyLength);
        records[key]++;
        return key;
    }

    private int find(UnsafeBuffer key, int length) {
        long hash = length;
        for (int i = 0; i < length; i += Long.BYTES) {
            hash = (hash ^ key.getLong(i)) * MIX;
            hash ^= hash >>> 29;
        }
        int slot = (int) (hash >>> 40) & (SLOTS - 1);
        while (slots[slot] != 0) {
            int known = slots[slot] - 1;
            if (hashes[known] == hash && isAt(known, key, length)) {
                return known;
            }
            slot = (slot + 1) & (SLOTS - 1);
        }
        if (count == KEYS_MAX) {
            return REST;
        }
        hashes[count] = hash;
        keys.putBytes(offsets[count], key, 0, length);
        offsets[count + 1] = offsets[count] + length;
        slots[slot] = count + 1;
        return count++;
    }

    /** Keys are whole words. */
    private boolean isAt(int known, UnsafeBuffer key, int length) {
        int at = offsets[known];
        if (offsets[known + 1] - at != length) {
            return false;
        }
        for (int i = 0; i < length; i += Long.BYTES) {
            if (keys.getLong(at + i) != key.getLong(i)) {
                return false;
            }
        }
        return true;
    }

    /** Adds the value of a record. */
    void add(int key, int bin, long value) {
        table(key).add(bin, value);
        if (keepsValues) {
            ChunkValues kept = values[key];
            if (kept == null) {
                kept = new ChunkValues();
                values[key] = kept;
            }
            kept.add(bin, value);
        }
    }

    private BinTable table(int key) {
        BinTable table = tables[key];
        if (table == null) {
            table = new BinTable(compensated);
            tables[key] = table;
        }
        return table;
    }

    /** Whether the chunk has no record. */
    boolean isEmpty() {
        return count == 0 && records[REST] == 0;
    }

    /** Adds up the values of all keys. */
    void addTo(IndexSummary into, ValueType type) {
        for (int key = 0; key < count; key++) {
            addTo(into, type, key);
        }
        addTo(into, type, REST);
    }

    private void addTo(IndexSummary into, ValueType type, int key) {
        BinTable table = tables[key];
        if (table != null) {
            table.rewind();
            while (table.next()) {
                into.add(table, type);
            }
        }
    }

    /** The most bytes that {@link #encode} writes. */
    int lengthMax() {
        int length = 2 * Varints.LENGTH_MAX + offsets[count];
        for (int key = 0; key < count; key++) {
            BinTable table = tables[key];
            ChunkValues kept = values[key];
            length += 2 * Varints.LENGTH_MAX + IndexSummaryCodec.LENGTH_MAX + Integer.BYTES;
            length += table == null ? 0 : BinListWriter.lengthMax(table.entryCount(), kept == null ? 0 : kept.count());
        }
        return length;
    }

    /** Writes what the chunk has. Returns the offset after it. */
    int encode(
            BinListWriter writer, BinScale scale, ValueType type, int indexId, MutableDirectBuffer buffer, int offset) {
        int at = Varints.put(buffer, offset, count);
        at = Varints.put(buffer, at, records[REST]);
        for (int key : sorted()) {
            int length = offsets[key + 1] - offsets[key];
            at = Varints.put(buffer, at, length);
            buffer.putBytes(at, keys, offsets[key], length);
            at = Varints.put(buffer, at + length, records[key]);
            summary.clear(indexId);
            addTo(summary, type, key);
            at = IndexSummaryCodec.write(summary, type, 0, buffer, at);
            int bins = at + Integer.BYTES;
            int end = bins;
            if (summary.count() > 0) {
                BinTable table = Objects.requireNonNull(tables[key]);
                ChunkValues kept = values[key];
                end = writer.write(table, kept == null ? null : kept.inOrderOf(table), scale, type, buffer, bins);
            }
            buffer.putInt(at, end - bins, ByteOrder.LITTLE_ENDIAN);
            at = end;
        }
        return at;
    }

    /** The keys in the order of their bytes, so that a chunk's entry does not depend on the order of its records. */
    private int[] sorted() {
        return Arrays.stream(indexes())
                .boxed()
                .sorted(this::compare)
                .mapToInt(Integer::intValue)
                .toArray();
    }

    private int[] indexes() {
        int[] all = new int[count];
        Arrays.setAll(all, i -> i);
        return all;
    }

    private int compare(int one, int other) {
        return Arrays.compareUnsigned(bytes, offsets[one], offsets[one + 1], bytes, offsets[other], offsets[other + 1]);
    }

    /** Begins another chunk. */
    void reset() {
        for (int key = 0; key <= REST; key = key + 1 < count ? key + 1 : key < REST ? REST : REST + 1) {
            BinTable table = tables[key];
            if (table != null) {
                table.reset();
            }
            ChunkValues kept = values[key];
            if (kept != null) {
                kept.clear();
            }
            records[key] = 0;
        }
        Arrays.fill(slots, 0);
        count = 0;
    }
}
