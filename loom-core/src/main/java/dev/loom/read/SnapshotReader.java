package dev.loom.read;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.TextIndexInfo;
import dev.loom.filter.UnitFiles;
import dev.loom.filter.UnitFiles.UnitFile;
import dev.loom.format.IndexedText;
import dev.loom.format.RecordLookup;
import dev.loom.index.ChunkIndexReader;
import dev.loom.log.Watermarks;
import dev.loom.record.AllChunks;
import dev.loom.record.AscendingChunks;
import dev.loom.record.Chunks;
import dev.loom.record.DescendingChunks;
import dev.loom.record.LeasedSnapshot;
import dev.loom.record.PageRecords;
import dev.loom.record.ReferencedRecords;
import dev.loom.record.SnapshotView;
import dev.loom.record.SourceCounter;
import dev.loom.record.SourceFormats;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads a snapshot's logs, with a lease that keeps them mapped even after the snapshot is closed. Times are arrival
 * times, epoch nanoseconds; a range is half-open, {@code Long.MIN_VALUE} its beginning and {@code Long.MAX_VALUE} its
 * end at the latest. Close what it hands out before the reader. For one thread.
 */
public final class SnapshotReader implements AutoCloseable {
    private static final int ALL_SOURCES = -1;

    private final LeasedSnapshot leased;
    private final SnapshotView view;
    private final ReferencedRecords referenced;
    private @Nullable ChunkIndexReader bins;
    private final List<TextUnits> textUnits = new ArrayList<>();
    private boolean closed;

    private SnapshotReader(Snapshot snapshot, LeasedSnapshot leased, SnapshotView view) {
        this.leased = leased;
        this.view = view;
        this.referenced =
                new ReferencedRecords(view.records(), view::recordTail, new SourceFormats(snapshot), () -> {});
    }

    /**
     * Takes a lease of a snapshot.
     *
     * @throws IllegalStateException if the snapshot is closed
     * @throws IllegalArgumentException if the snapshot is not one that a store of this library took
     */
    public static SnapshotReader of(Snapshot snapshot) {
        if (!(Objects.requireNonNull(snapshot) instanceof LeasedSnapshot leased)) {
            throw new IllegalArgumentException("not a snapshot of a store: class=" + snapshot.getClass());
        }
        SnapshotReader reader = new SnapshotReader(snapshot, leased, leased.view());
        leased.acquire();
        return reader;
    }

    /** The oldest address retained now. */
    public long beginAddress() {
        return view.retainedBegin();
    }

    /** Whether indexes are being rebuilt: then what walks find of chunks may change from one to the next. */
    public boolean isRebuilding() {
        Watermarks times = view.times().watermarks();
        return times.rebuiltAcquire() < times.rebuildTo();
    }

    /** Arrival time of the newest record of any source, or {@code Long.MIN_VALUE} if there is none. */
    public long lastTimeNs() {
        return view.lastTimeNs();
    }

    /**
     * The chunks of a source newest first, along its chain of directories (paper, section 4.3).
     *
     * @param sourceId 0 is the store's own source
     * @param toNs the range's end: newer chunks may be skipped
     */
    public ChunkCursor newestFirst(int sourceId, long toNs) {
        return cursor(sourceId, new DescendingChunks(view, sourceId, toNs));
    }

    /**
     * The chunks of a source oldest first.
     *
     * @param sourceId 0 is the store's own source
     * @param fromNs the range's begin, and {@code toNs} its end: chunks outside may be skipped
     * @param fromAddress chunks at lower addresses may be skipped
     */
    public ChunkCursor oldestFirst(int sourceId, long fromNs, long toNs, long fromAddress) {
        return cursor(sourceId, new AscendingChunks(view, sourceId, fromNs, toNs, fromAddress));
    }

    /** As {@link #newestFirst}; parts may be {@linkplain ChunkCursor#isRun runs}. */
    public ChunkCursor newestFirstInRuns(int sourceId, long toNs) {
        return cursor(sourceId, DescendingChunks.withRuns(view, sourceId, toNs));
    }

    /** As {@link #oldestFirst}; parts may be {@linkplain ChunkCursor#isRun runs}. */
    public ChunkCursor oldestFirstInRuns(int sourceId, long fromNs, long toNs, long fromAddress) {
        return cursor(sourceId, AscendingChunks.withRuns(view, sourceId, fromNs, toNs, fromAddress));
    }

    /** The whole log as one unlisted part, to read a source's records without the timestamp index. */
    public ChunkCursor unindexed(int sourceId) {
        return cursor(sourceId, new AllChunks(view, sourceId));
    }

    /**
     * The log from a time on as one unlisted part, with the records of all sources in the order of arrival, the store's own
     * source among them; records before the time may come first.
     */
    public ChunkCursor everything(long fromNs) {
        return cursor(ALL_SOURCES, new AllChunks(view, ALL_SOURCES, fromNs));
    }

    private ChunkCursor cursor(int sourceId, Chunks chunks) {
        return new ChunkCursor(view, sourceId, chunks);
    }

    /** Walks the records of chunks page by page, oldest first. The chunks must come oldest first too. */
    public SourceRecords forward(ChunkCursor chunks, SourceRecords.ChunkGuide guide) {
        return SourceRecords.forward(chunks, guide);
    }

    /** Walks the records of each chunk newest first, along the source's chain. The chunks may come in either order. */
    public SourceRecords backward(ChunkCursor chunks, SourceRecords.ChunkGuide guide) {
        return SourceRecords.backward(chunks, guide);
    }

    /** Reads single records of a source. */
    public RecordReader records(int sourceId) {
        // they lie anywhere, so reading ahead is of no use
        return new RecordReader(new PageRecords(view.records(), view.recordTail(), sourceId, 1));
    }

    /** Reads what indexes hold of chunks. */
    public ChunkSummary summary() {
        return new ChunkSummary(this);
    }

    /** Reads what an index by keys holds of chunks. */
    public KeyedSummary keyedSummary(Index index) {
        return new KeyedSummary(this, index);
    }

    /** The text index of a source. */
    public TextUnits textUnits(int sourceId) {
        TextUnits units = new TextUnits(view, sourceId);
        textUnits.add(units);
        return units;
    }

    /**
     * How far the text index of a source has come.
     *
     * @param all the source's totals, which are all there is to know where it has no unit
     */
    public TextIndexInfo textIndex(Source source, IndexedText fields, Source.Statistics all) {
        UnitFiles files = view.text();
        int rowUnits = 0;
        int columnUnits = 0;
        long bytes = 0;
        UnitFiles.Contents contents = UnitFiles.Contents.NONE;
        long indexedTo = beginAddress();
        for (UnitFile file : files.ofSourceOrNone(source.id())) {
            rowUnits += file.units() == 1 ? 1 : 0;
            columnUnits += file.units() == 1 ? 0 : file.units();
            bytes += files.length(file);
            contents = contents.plus(files.contents(file, view.records().storeId()));
            indexedTo = Math.max(indexedTo, file.end());
        }
        if (rowUnits + columnUnits == 0) {
            return new TextIndexInfo(fields, 0, 0, 0, 0, 0, indexedTo, all.records(), all.bytes());
        }
        RecordTotal left = new RecordTotal();
        ChunkCursor chunks = oldestFirst(source.id(), Long.MIN_VALUE, Long.MAX_VALUE, indexedTo);
        left.countFrom(indexedTo);
        try (SourceRecords records = forward(chunks, left)) {
            while (records.next()) {
                left.add(records.length());
            }
        }
        return new TextIndexInfo(
                fields,
                rowUnits,
                columnUnits,
                bytes,
                contents.rows(),
                contents.words(),
                indexedTo,
                left.records,
                left.bytes);
    }

    /** Counts records chunk by chunk, and one by one only where there is no directory. */
    private static final class RecordTotal implements SourceRecords.ChunkGuide {
        private long from;
        private long records;
        private long bytes;

        void countFrom(long address) {
            from = address;
        }

        void add(long length) {
            records++;
            bytes += length;
        }

        @Override
        public Step decide(ChunkCursor chunk) {
            if (chunk.start() < from) {
                return Step.PASS_OVER;
            } else if (!chunk.listed()) {
                return Step.READ;
            }
            records += chunk.records();
            bytes += chunk.payloadBytes();
            return Step.PASS_OVER;
        }

        @Override
        public boolean mayGoOn(long bytesRead) {
            return true;
        }
    }

    /** The reader of bins, which all summaries share in turn. */
    ChunkIndexReader bins() {
        ChunkIndexReader reader = bins;
        if (reader == null) {
            reader = new ChunkIndexReader(view.chunks(), view.chunkTail());
            bins = reader;
        }
        return reader;
    }

    /**
     * Finds the records that others refer to; always the same object, valid until this reader is closed. Memory: at most 256
     * KiB, and the longest jumbo payload that is referred to; none until the first lookup.
     */
    public RecordLookup lookup() {
        return referenced;
    }

    /** Damaged pages that the {@link #lookup()} has met so far. */
    public long lookupPagesDamaged() {
        return referenced.pagesDamaged();
    }

    /** Bytes read so far of bins, of the text index, and of records that others refer to. */
    public long bytesReadBesides() {
        ChunkIndexReader reader = bins;
        long ofUnits = 0;
        for (int i = 0; i < textUnits.size(); i++) {
            ofUnits += textUnits.get(i).bytesRead();
        }
        return referenced.bytesRead() + (reader == null ? 0 : reader.bytesRead()) + ofUnits;
    }

    /** The records of a source lost in a time range; a loss that overlaps the range counts in full. */
    public long lost(int sourceId, long fromNs, long toNs) {
        return leased.unmarkedLost(sourceId, fromNs, toNs) + Losses.marked(view, sourceId, fromNs, toNs);
    }

    /**
     * Whether retention deleted records of a source that arrived at a time or later; also true if that can't be told. Reads a
     * page, and if that does not rule it out, the timestamp index up to the first checkpoint.
     */
    public boolean hasDeleted(int sourceId, long fromNs) {
        return fromNs <= view.deletedToNs() && SourceCounter.hasDeleted(view, sourceId);
    }

    /** Releases the lease. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            try {
                if (bins != null) {
                    bins.close();
                }
                textUnits.forEach(TextUnits::close);
                referenced.close();
            } finally {
                leased.release();
            }
        }
    }
}
