package dev.loom.index;

import dev.loom.api.Index;
import dev.loom.api.IndexKey;
import dev.loom.api.ValueType;
import dev.loom.format.RecordLookup;
import dev.loom.value.BinScale;
import dev.loom.value.KeyEncoder;
import dev.loom.value.KeyWords;
import dev.loom.value.RecordBatch;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What an index by keys has of a chunk: records, totals and bins of each key. Keys are found by words that stand for them, or by a
 * hash of their bytes. Once the chunk has more than {@link KeyedBinsDescriptor#KEYS_MAX} keys, or one that is too long, it will be read
 * anyway: no more are sought, and nothing of them is written.
 *
 * <p>One table has the bins of all keys: a key's are numbered behind those of the key before. Keys are kept for the next chunk, which
 * usually has the same ones. Adding allocates only when a chunk has more of something than any before. For one thread.
 */
final class ChunkKeys {
    private static final int KEYS_MAX = KeyedBinsDescriptor.KEYS_MAX;
    /** Those of the chunk, and as many of chunks before. */
    private static final int KNOWN_MAX = 2 * KEYS_MAX;

    private static final int SLOTS = 4 * KNOWN_MAX;
    private static final int REST = KNOWN_MAX;
    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;
    private static final int BYTES_INITIAL = 1 << 10;

    /** The most that are known of what stands for keys, and its slots. */
    private static final int WORDS_MAX = 256;

    private static final int WORD_SLOTS = 2 * WORDS_MAX;

    private final KeyEncoder encoder;
    /** What stands for keys; null if nothing does. */
    private final @Nullable KeyWords words;

    private final @Nullable RecordLookup lookup;
    /** The number of bins that a key may have. */
    private final int span;

    private final BinTable table;
    private final @Nullable ChunkValues values;
    private final IndexSummary summary = new IndexSummary();

    /** By slot: the number of a key and 1, or 0. */
    private final int[] slots = new int[SLOTS];

    private final long[] hashes = new long[KNOWN_MAX];
    private final int[] offsets = new int[KNOWN_MAX + 1];
    private byte[] bytes = new byte[BYTES_INITIAL];
    private final UnsafeBuffer keys = new UnsafeBuffer(bytes);
    /** The known keys in the order of their bytes, so that a chunk's entry does not depend on the order of its records. */
    private final int[] order = new int[KNOWN_MAX];

    /** By slot of {@link #words}: the words, and the number of the key and 1, or 0. */
    private final long[] wordSlots;

    private int wordsKnown;

    private int known;
    /** The number of keys that the chunk has. */
    private int used;

    /** By key: the number of records in the chunk. */
    private final long[] records = new long[KNOWN_MAX + 1];

    /** By key: where its values begin among all. */
    private final int[] valuesBegin = new int[KNOWN_MAX + 1];

    /** The key of each record of a batch. */
    private final int[] ofBatch = new int[RecordBatch.RECORDS_MAX];

    /**
     * @param compensated as for {@link BinTable}
     * @param lookup finds the records that others refer to
     */
    ChunkKeys(IndexKey key, Index definition, BinScale scale, boolean compensated, @Nullable RecordLookup lookup) {
        this.encoder = new KeyEncoder(key.readers(), lookup);
        this.words = KeyWords.of(key.format(), key.fields(), lookup, new SplittableRandom().nextLong());
        this.wordSlots = words == null ? new long[0] : new long[WORD_SLOTS * (words.width() + 1)];
        this.lookup = lookup;
        this.span = scale.count();
        this.table = new BinTable(compensated);
        this.values = definition.bins().keepsValues() ? new ChunkValues() : null;
    }

    /**
     * Counts the records of a batch.
     *
     * @return false if what one of them refers to could not be read
     */
    boolean addRecords(RecordBatch batch) {
        KeyWords of = words;
        long have = of == null || hasRest() ? 0 : of.read(batch);
        for (int i = 0; i < batch.count(); i++) {
            int key =
                    hasRest() ? REST : of == null || (have >>> i & 1) == 0 ? find(batch, i) : findByWords(of, batch, i);
            if (key < 0) {
                return false;
            }
            records[key]++;
            ofBatch[i] = key;
        }
        return true;
    }

    /** Whether keys are not apart any more, and no more are sought. */
    private boolean hasRest() {
        return records[REST] > 0;
    }

    private int findByWords(KeyWords of, RecordBatch batch, int i) {
        int at = slotOf(of, i);
        int width = of.width();
        int number = (int) wordSlots[at + width] - 1;
        if (number >= 0) {
            return records[number] == 0 ? use(number) : number;
        }
        int key = find(batch, i);
        if (key >= 0 && key != REST) {
            if (wordsKnown == WORDS_MAX) {
                forgetWords();
                at = slotOf(of, i);
            }
            System.arraycopy(of.words(), i * width, wordSlots, at, width);
            wordSlots[at + width] = key + 1L;
            wordsKnown++;
        }
        return key;
    }

    /** Where the slot of a record's words begins, or the empty one where they belong. */
    private int slotOf(KeyWords of, int i) {
        long[] all = of.words();
        int width = of.width();
        int from = i * width;
        int slot = of.hash(i) & (WORD_SLOTS - 1);
        int at = slot * (width + 1);
        while (wordSlots[at + width] != 0 && !holds(at, all, from, width)) {
            slot = (slot + 1) & (WORD_SLOTS - 1);
            at = slot * (width + 1);
        }
        return at;
    }

    private boolean holds(int at, long[] all, int from, int width) {
        for (int i = 0; i < width; i++) {
            if (wordSlots[at + i] != all[from + i]) {
                return false;
            }
        }
        return true;
    }

    private void forgetWords() {
        Arrays.fill(wordSlots, 0);
        wordsKnown = 0;
    }

    /** Finds or adds the key of a record; negative if what it refers to could not be read. */
    private int find(RecordBatch batch, int i) {
        RecordLookup references = lookup;
        long failures = 0;
        if (references != null) {
            references.from(batch.address(i));
            failures = references.failures();
        }
        int keyLength = encoder.encode(batch.buffer(), batch.offset(i), batch.length(i));
        if (references != null && references.failures() != failures) {
            return -1;
        }
        boolean tooLong = keyLength < 0 || keyLength > KeyedBinsDescriptor.KEY_LENGTH_MAX;
        return tooLong ? REST : find(encoder.key(), keyLength);
    }

    private int find(UnsafeBuffer key, int length) {
        long hash = length;
        for (int i = 0; i < length; i += Long.BYTES) {
            hash = (hash ^ key.getLong(i)) * MIX;
            hash ^= hash >>> 29;
        }
        int slot = (int) (hash >>> 40) & (SLOTS - 1);
        while (slots[slot] != 0) {
            int number = slots[slot] - 1;
            if (hashes[number] == hash && isAt(number, key, length)) {
                return records[number] == 0 ? use(number) : number;
            }
            slot = (slot + 1) & (SLOTS - 1);
        }
        return used == KEYS_MAX ? REST : use(add(key, length, hash, slot));
    }

    /** Keys are whole words. */
    private boolean isAt(int number, UnsafeBuffer key, int length) {
        int at = offsets[number];
        if (offsets[number + 1] - at != length) {
            return false;
        }
        for (int i = 0; i < length; i += Long.BYTES) {
            if (keys.getLong(at + i) != key.getLong(i)) {
                return false;
            }
        }
        return true;
    }

    /** Makes a key one of the chunk, or of the rest if the chunk has enough. */
    private int use(int number) {
        if (used == KEYS_MAX) {
            return REST;
        }
        used++;
        return number;
    }

    private int add(UnsafeBuffer key, int length, long hash, int slot) {
        int begin = offsets[known];
        if (bytes.length - begin < length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, begin + length));
            keys.wrap(bytes);
        }
        keys.putBytes(begin, key, 0, length);
        offsets[known + 1] = begin + length;
        hashes[known] = hash;
        int place = known;
        for (; place > 0 && isLess(known, order[place - 1]); place--) {
            order[place] = order[place - 1];
        }
        order[place] = known;
        slots[slot] = known + 1;
        return known++;
    }

    private boolean isLess(int one, int other) {
        return Arrays.compareUnsigned(bytes, offsets[one], offsets[one + 1], bytes, offsets[other], offsets[other + 1])
                < 0;
    }

    /**
     * Adds the values of a batch whose records were added and all have one.
     *
     * @param bins the bins of the values; overwritten
     */
    void add(int[] bins, long[] keysOfValues, int length) {
        for (int i = 0; i < length; i++) {
            bins[i] += ofBatch[i] * span;
        }
        table.add(bins, keysOfValues, length);
        if (values != null) {
            values.add(bins, keysOfValues, length);
        }
    }

    /** Adds the value of a batch's i-th record. */
    void add(int i, int bin, long value) {
        int keyed = ofBatch[i] * span + bin;
        table.add(keyed, value);
        if (values != null) {
            values.add(keyed, value);
        }
    }

    /** Whether the chunk has no record. */
    boolean isEmpty() {
        return used == 0 && records[REST] == 0;
    }

    /** Adds up the values of all keys, in the order of the keys: a sum of doubles must not depend on chunks before. */
    void addTo(IndexSummary into, ValueType type) {
        for (int i = 0; i < known; i++) {
            if (records[order[i]] > 0) {
                table.select(order[i] * span, span);
                addSelectedTo(into, type);
            }
        }
        table.select(REST * span, span);
        addSelectedTo(into, type);
        table.selectAll();
    }

    private void addSelectedTo(IndexSummary into, ValueType type) {
        table.rewind();
        while (table.next()) {
            into.add(table, type);
        }
    }

    /** The most bytes that {@link #encode} writes. */
    int lengthMax() {
        int each = 2 * Varints.LENGTH_MAX
                + IndexSummaryCodec.LENGTH_MAX
                + Integer.BYTES
                + BinListDescriptor.HEADER_LENGTH_MAX;
        return 2 * Varints.LENGTH_MAX
                + offsets[known]
                + used * each
                + BinListWriter.lengthMax(table.entryCount(), values == null ? 0 : values.count());
    }

    /** Writes what the chunk has. Returns the offset after it. */
    int encode(
            BinListWriter writer, BinScale scale, ValueType type, int indexId, MutableDirectBuffer buffer, int offset) {
        if (hasRest()) {
            return encodeRest(buffer, offset);
        }
        int at = Varints.put(buffer, offset, used);
        at = Varints.put(buffer, at, 0);
        long[] grouped = values == null ? null : values.inOrderOf(table);
        if (grouped != null) {
            findValues();
        }
        for (int i = 0; i < known; i++) {
            int key = order[i];
            if (records[key] == 0) {
                continue;
            }
            int length = offsets[key + 1] - offsets[key];
            at = Varints.put(buffer, at, length);
            buffer.putBytes(at, keys, offsets[key], length);
            at = Varints.put(buffer, at + length, records[key]);
            table.select(key * span, span);
            summary.clear(indexId);
            addSelectedTo(summary, type);
            at = IndexSummaryCodec.write(summary, type, 0, buffer, at);
            int bins = at + Integer.BYTES;
            int end = summary.count() == 0
                    ? bins
                    : writer.write(table, grouped, valuesBegin[key], scale, type, buffer, bins);
            buffer.putInt(at, end - bins, ByteOrder.LITTLE_ENDIAN);
            at = end;
        }
        table.selectAll();
        return at;
    }

    /** The chunk will be read anyway. */
    private int encodeRest(MutableDirectBuffer buffer, int offset) {
        long all = records[REST];
        for (int key = 0; key < known; key++) {
            all += records[key];
        }
        return Varints.put(buffer, Varints.put(buffer, offset, 0), all);
    }

    private void findValues() {
        Arrays.fill(valuesBegin, 0);
        table.selectAll();
        table.rewind();
        while (table.next()) {
            int key = table.bin() / span;
            if (key < REST) {
                valuesBegin[key + 1] += table.count();
            }
        }
        for (int key = 0; key < known; key++) {
            valuesBegin[key + 1] += valuesBegin[key];
        }
    }

    /** Begins another chunk. */
    void reset() {
        Arrays.fill(records, 0, known, 0);
        records[REST] = 0;
        used = 0;
        table.reset();
        if (values != null) {
            values.clear();
        }
        if (known > KEYS_MAX) {
            Arrays.fill(slots, 0);
            known = 0;
            table.clear();
            forgetWords();
        }
    }
}
