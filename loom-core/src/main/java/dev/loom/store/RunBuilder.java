package dev.loom.store;

import dev.loom.api.DoubleSum;
import dev.loom.api.Index;
import dev.loom.api.LongSum;
import dev.loom.api.ValueType;
import dev.loom.error.CorruptStoreException;
import dev.loom.index.ChunkIndexReader;
import dev.loom.index.IndexSummary;
import dev.loom.index.MergedIndex;
import dev.loom.index.MergedKeys;
import dev.loom.index.RunBinsWriter;
import dev.loom.read.BinListReader;
import dev.loom.read.KeyedSummary;
import dev.loom.record.ListedChunk.ListedIndex;
import dev.loom.record.ListedChunk.ListedSource;
import dev.loom.record.ListedChunks;
import dev.loom.record.SnapshotView;
import dev.loom.rollup.RunReader;
import dev.loom.rollup.RunShape;
import dev.loom.rollup.RunWriter;
import dev.loom.value.BinScale;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.LongPredicate;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Sums up runs of chunks. Of each source it merges the totals and bins of those indexes that every chunk with the source lists. Holds
 * one run: at most {@value #BINS_MAX} bins, beyond which indexes go without, and a few values of each index that keeps them. For one
 * thread.
 */
final class RunBuilder {
    /** 40 bytes each, and as much again for a table that is half full. */
    private static final int BINS_MAX = 1 << 17;

    /** The most values that an index's bins of a run of level 1 have, and of one above: some 2 and 20 KB of latencies. */
    private static final int VALUES_MAX = 768;

    private static final int VALUES_MAX_ABOVE = 8_192;

    private final IntFunction<@Nullable Index> indexes;
    private final Map<Integer, BinListReader> readers = new HashMap<>();
    private final Map<Integer, KeyedSummary> keyReaders = new HashMap<>();
    private final TreeMap<Integer, SourceRun> sources = new TreeMap<>();
    private final IndexSummary summary = new IndexSummary();
    private final LongSum keys = new LongSum();
    private final DoubleSum doubles = new DoubleSum();
    private final RunBinsWriter encoder = new RunBinsWriter();
    private final ExpandableArrayBuffer encoded = new ExpandableArrayBuffer();

    private long start;
    private long end;
    private long lastEntry;
    private int chunks;
    private int binCount;

    /** @param indexes the index by its id; null for one that is not known, which is left out */
    RunBuilder(IntFunction<@Nullable Index> indexes) {
        this.indexes = indexes;
    }

    /** Whether a run could be summed up. */
    enum Outcome {
        DONE,
        /** Some of it is not known, and will not be. */
        HOLE,
        /** Some of it is not known, or not durable, yet. */
        LATER
    }

    /** A source in the run. */
    private static final class SourceRun {
        final long previousDirectoryAddress;
        final long previousChunkAddress;
        final long firstTimeNs;
        long records;
        long bytes;
        long lastTimeNs;
        int chunks;
        /** Parts that were added, each of one or more chunks. */
        int parts;

        final Map<Integer, MergedIndex> indexes = new TreeMap<>();
        /** Of indexes by keys. */
        final Map<Integer, MergedKeys> keyed = new TreeMap<>();

        SourceRun(long previousDirectoryAddress, long previousChunkAddress, long firstTimeNs) {
            this.previousDirectoryAddress = previousDirectoryAddress;
            this.previousChunkAddress = previousChunkAddress;
            this.firstTimeNs = firstTimeNs;
        }
    }

    private void clear(long from) {
        sources.clear();
        start = from;
        end = from;
        lastEntry = -1;
        chunks = 0;
        binCount = 0;
    }

    /** The chunks of a snapshot, with what {@link #ofChunks} needs. Closed by the caller. */
    ChunkWalk walk(SnapshotView snapshot) {
        return new ChunkWalk(snapshot, indexes);
    }

    /**
     * Sums up a run of level 1.
     *
     * @param walk from {@link #walk}; the run after the one before is found at once
     * @param durable the end of the records that survive a power cut
     * @param rest called for each chunk
     */
    Outcome ofChunks(ChunkWalk walk, long number, long durable, Runnable rest) {
        long limit = RunShape.begin(1, number + 1);
        clear(walk.moveTo(number, RunShape.begin(1, number)));
        ListedChunks listed = walk.chunks();
        while (end < limit && listed.next()) {
            rest.run();
            if (listed.start() < start) {
                continue;
            }
            if (listed.start() != end) {
                return Outcome.HOLE;
            }
            if (listed.end() > durable) {
                return Outcome.LATER;
            }
            add(listed, walk.bins());
            end = listed.end();
        }
        if (end < limit) {
            return Outcome.LATER;
        }
        walk.ended(number, end);
        return Outcome.DONE;
    }

    private void add(ListedChunks chunk, ChunkIndexReader bins) {
        chunks++;
        lastEntry = chunk.lastEntry();
        for (ListedSource listed : chunk.sources()) {
            SourceRun source = sources.computeIfAbsent(
                    listed.id(),
                    id -> new SourceRun(
                            listed.previous(),
                            listed.unchained() ? ListedChunks.UNKNOWN : chunk.chunkOf(listed.previous()),
                            listed.firstTimeNs()));
            source.records += listed.records();
            source.bytes += listed.bytes();
            source.lastTimeNs = listed.lastTimeNs();
            source.chunks++;
            source.parts++;
            for (ListedIndex index : listed.indexes()) {
                IndexSummary totals = index.summary();
                MergedIndex merged = merged(source, totals.indexId());
                if (merged != null && source.keyed.containsKey(totals.indexId())) {
                    merged.add(totals);
                    boolean readable = bins.readKeyed(totals.binsAddress(), chunk.start(), totals.indexId());
                    addKeys(source, totals, readable ? bins.buffer() : null, bins.offset(), bins.length());
                } else if (merged != null) {
                    boolean readable = bins.read(totals.binsAddress(), chunk.start(), totals.indexId());
                    add(merged, totals, readable ? bins : null);
                }
            }
        }
    }

    private void add(MergedIndex merged, IndexSummary totals, @Nullable ChunkIndexReader bins) {
        merged.add(totals);
        if (totals.count() > 0 && merged.hasBins()) {
            if (bins == null) {
                dropBins(merged);
            } else {
                addBins(merged, reader(totals.indexId()), bins.buffer(), bins.offset(), bins.length());
            }
        }
    }

    /** The merged index of a source; null if an earlier part lacks it. */
    private @Nullable MergedIndex merged(SourceRun source, int indexId) {
        Index index = indexes.apply(indexId);
        if (index == null) {
            return null;
        }
        MergedIndex merged = source.indexes.get(indexId);
        if (merged == null && source.parts == 1) {
            merged = new MergedIndex(index, reader(indexId).scale());
            if (index.key() != null) {
                merged.dropBins(); // they are apart by key
                source.keyed.put(indexId, new MergedKeys(index, reader(indexId).scale()));
            }
            source.indexes.put(indexId, merged);
        }
        return merged != null && merged.parts() == source.parts - 1 ? merged : null;
    }

    /** @param from what has the keys; null if it can't be read */
    private void addKeys(SourceRun source, IndexSummary totals, @Nullable DirectBuffer from, int offset, int length) {
        MergedKeys merged = Objects.requireNonNull(source.keyed.get(totals.indexId()));
        if (!merged.isWhole()) {
            return;
        }
        int before = merged.binCount();
        boolean whole = from != null && addKeys(merged, totals.indexId(), from, offset, length);
        binCount += merged.binCount() - before;
        if (!whole || binCount > BINS_MAX) {
            binCount -= merged.binCount();
            merged.drop();
        }
    }

    private boolean addKeys(MergedKeys merged, int indexId, DirectBuffer from, int offset, int length) {
        KeyedSummary keys =
                keyReaders.computeIfAbsent(indexId, id -> new KeyedSummary(Objects.requireNonNull(indexes.apply(id))));
        try {
            boolean whole = keys.wrap(from, offset, length);
            while (whole && keys.next()) {
                MergedIndex ofKey = merged.add(keys.buffer(), keys.keyOffset(), keys.keyLength(), keys.records());
                BinListReader bins = keys.bins();
                whole = ofKey != null && (bins == null || putBins(ofKey, bins));
            }
            return whole;
        } catch (CorruptStoreException e) {
            return false;
        }
    }

    private BinListReader reader(int indexId) {
        return readers.computeIfAbsent(indexId, id -> {
            Index index = indexes.apply(id);
            if (index == null) {
                throw new IllegalArgumentException("unknown index: id=" + id);
            }
            ValueType type = index.function().type();
            return new BinListReader(BinScale.of(index.bins(), type), type);
        });
    }

    /** Adds the bins of a part; if they are malformed, the index goes without. */
    private void addBins(MergedIndex merged, BinListReader list, DirectBuffer from, int offset, int length) {
        int before = merged.binCount();
        try {
            list.wrap(from, offset, length);
            putBins(merged, list);
        } catch (CorruptStoreException e) {
            merged.dropBins();
        }
        binCount += merged.binCount() - before;
        if (binCount > BINS_MAX) {
            dropBins(merged);
        }
    }

    private void dropBins(MergedIndex merged) {
        binCount -= merged.binCount();
        merged.dropBins();
    }

    private boolean putBins(MergedIndex merged, BinListReader list) {
        while (list.next()) {
            putValues(merged, list);
            if (merged.type() == ValueType.F64) {
                doubles.clear();
                list.addTo(doubles);
                merged.addBin(list.bin(), list.count(), list.minKey(), list.maxKey(), doubles.value());
            } else {
                keys.clear();
                list.addKeysTo(keys);
                merged.addBin(list.bin(), list.count(), list.minKey(), list.maxKey(), keys);
            }
        }
        return true;
    }

    private static void putValues(MergedIndex merged, BinListReader list) {
        if (!merged.keepsValues()) {
            return;
        }
        int bin = list.bin();
        if (!list.isComplete()) {
            merged.dropValues(bin);
            return;
        }
        boolean kept = true;
        for (int i = 0; kept && i < list.count(); i++) {
            kept = merged.addValue(bin, list.key(i));
        }
    }

    /**
     * Sums up a run of level 2 or more.
     *
     * @param rest called for each run of the level below
     * @return that it is done, or a hole if one of them is not there
     */
    Outcome ofRuns(RunReader runs, int level, long number, Runnable rest) {
        long first = number * RunShape.fanOut();
        for (long child = first; child < first + RunShape.fanOut(); child++) {
            rest.run();
            if (!runs.read(level - 1, child)) {
                return Outcome.HOLE;
            }
            if (child == first) {
                clear(runs.start());
            }
            if (runs.start() != end) {
                return Outcome.HOLE;
            }
            try {
                add(runs);
            } catch (CorruptStoreException e) {
                return Outcome.HOLE;
            }
        }
        return Outcome.DONE;
    }

    private void add(RunReader run) {
        chunks += run.chunks();
        lastEntry = run.chunks() > 0 ? run.lastEntry() : lastEntry;
        end = run.end();
        for (int i = 0; i < run.sources(); i++) {
            run.seek(i);
            SourceRun source = sources.computeIfAbsent(
                    run.sourceId(i),
                    id -> new SourceRun(run.previousDirectoryAddress(), run.previousChunkAddress(), run.firstTimeNs()));
            source.records += run.records();
            source.bytes += run.bytes();
            source.lastTimeNs = run.lastTimeNs();
            source.chunks += run.sourceChunks();
            source.parts++;
            run.forEachSummary(this::typeOf, summary, (type, totals) -> {
                MergedIndex merged = merged(source, totals.indexId());
                if (merged != null) {
                    add(source, merged, totals, run);
                }
            });
        }
    }

    private void add(SourceRun source, MergedIndex merged, IndexSummary totals, RunReader run) {
        merged.add(totals);
        if (source.keyed.containsKey(totals.indexId())) {
            boolean readable = run.readBins(totals);
            addKeys(source, totals, readable ? run.bins() : null, 0, run.binsLength());
        } else if (totals.count() > 0 && merged.hasBins()) {
            if (run.readBins(totals)) {
                addBins(merged, reader(totals.indexId()), run.bins(), 0, run.binsLength());
            } else {
                dropBins(merged);
            }
        }
    }

    private @Nullable ValueType typeOf(int indexId) {
        Index index = indexes.apply(indexId);
        return index == null ? null : index.function().type();
    }

    /**
     * Writes what was summed up.
     *
     * @return false if there is no room; a run that lists too much is not written
     */
    boolean write(RunWriter writer, int level, long number, LongPredicate room) {
        writer.begin(level, number);
        List<SourceRun> all = new ArrayList<>(sources.values());
        for (SourceRun source : all) {
            source.indexes.values().removeIf(index -> index.parts() < source.parts);
            source.indexes.forEach((id, index) -> writeBins(writer, index, source.keyed.get(id), level));
        }
        writer.beginDirectory(start, end, lastEntry, chunks, sources.size());
        sources.forEach((id, source) -> {
            writer.addSource(
                    id,
                    source.records,
                    source.bytes,
                    source.firstTimeNs,
                    source.lastTimeNs,
                    source.previousDirectoryAddress,
                    source.previousChunkAddress,
                    source.chunks);
            source.indexes.values().forEach(index -> writer.addSummary(index.totals(), index.type()));
        });
        try (writer) {
            return !writer.fits() || writer.finish(room);
        }
    }

    /**
     * Whether a stored run says what was summed up. Indexes that only one of the two has do not count: a rebuilt directory may have
     * other ones.
     *
     * @throws CorruptStoreException if the run is impossible
     */
    boolean agreesWith(RunReader run) {
        boolean alike =
                run.start() == start && run.end() == end && run.chunks() == chunks && run.sources() == sources.size();
        int i = 0;
        for (Map.Entry<Integer, SourceRun> entry : sources.entrySet()) {
            alike = alike && run.sourceId(i) == entry.getKey() && agreesWith(run, i++, entry.getValue());
        }
        return alike;
    }

    private boolean agreesWith(RunReader run, int i, SourceRun source) {
        run.seek(i);
        boolean alike = run.records() == source.records
                && run.bytes() == source.bytes
                && run.firstTimeNs() == source.firstTimeNs
                && run.lastTimeNs() == source.lastTimeNs
                && run.sourceChunks() == source.chunks;
        for (Map.Entry<Integer, MergedIndex> entry : source.indexes.entrySet()) {
            MergedIndex merged = entry.getValue();
            if (alike && run.summary(entry.getKey(), merged.type(), summary) && merged.parts() == source.parts) {
                alike = merged.agreesWith(summary) && sameBins(run, merged);
            }
        }
        return alike;
    }

    /** Whether the bins of the totals read last are these, as far as both are known. */
    private boolean sameBins(RunReader run, MergedIndex merged) {
        if (summary.binsAddress() == IndexSummary.NO_BINS) {
            return true;
        }
        if (!run.readBins(summary)) {
            return false;
        }
        if (!merged.hasBins()) {
            return true; // or they are apart by key
        }
        int length = encode(merged, run.level());
        return length == run.binsLength()
                && new UnsafeBuffer(encoded, 0, length).equals(new UnsafeBuffer(run.bins(), 0, length));
    }

    /** Encodes bins with as many values as there is room for. Returns their length. */
    private int encode(MergedIndex merged, int level) {
        int length = merged.encodeBins(encoder, encoded, 0, level == 1 ? VALUES_MAX : VALUES_MAX_ABOVE);
        return length <= RunWriter.BINS_LENGTH_MAX ? length : merged.encodeBins(encoder, encoded, 0);
    }

    private void writeBins(RunWriter writer, MergedIndex index, @Nullable MergedKeys keys, int level) {
        long address = IndexSummary.NO_BINS;
        if (keys != null && keys.isWhole()) {
            encoded.checkLimit(keys.lengthMax());
            int length = keys.encode(encoder, encoded, 0);
            address = writer.addBins(new UnsafeBuffer(encoded, 0, length), length);
        } else if (index.hasBins()) {
            int length = encode(index, level);
            address = writer.addBins(new UnsafeBuffer(encoded, 0, length), length);
        }
        index.totals().binsAddress(address);
    }
}
