package dev.loom.store;

import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.read.ChunkCursor;
import dev.loom.read.SnapshotReader;
import dev.loom.read.SourceRecords;
import dev.loom.read.StoredRecordCursor;
import java.util.function.Function;

/**
 * The records of one source in a time range of a snapshot, on which it holds a lease (paper, section 5.1). Takes ten
 * pages, and the longest payload met that spans pages.
 */
final class SnapshotCursor extends StoredRecordCursor implements RecordCursor {
    private final SnapshotReader reader;
    private final int sourceId;
    private final SourceRecords records;
    private final long fromNs;
    private final long toNs;
    private final boolean newestFirst;

    private SnapshotCursor(
            SnapshotReader reader, int sourceId, SourceRecords records, boolean newestFirst, long fromNs, long toNs) {
        super(records);
        this.reader = reader;
        this.sourceId = sourceId;
        this.records = records;
        this.newestFirst = newestFirst;
        this.fromNs = fromNs;
        this.toNs = toNs;
    }

    /** Follows the source's chain. */
    static SnapshotCursor newestFirst(Snapshot snapshot, int sourceId, long fromNs, long toNs) {
        return open(
                snapshot,
                sourceId,
                true,
                fromNs,
                toNs,
                reader -> reader.backward(reader.newestFirst(sourceId, toNs), new InRange(fromNs, toNs)));
    }

    /** Reads page by page. */
    static SnapshotCursor oldestFirst(Snapshot snapshot, int sourceId, long fromNs, long toNs) {
        return open(
                snapshot,
                sourceId,
                false,
                fromNs,
                toNs,
                reader -> reader.forward(
                        reader.oldestFirst(sourceId, fromNs, toNs, 0), SourceRecords.ChunkGuide.READ_ALL));
    }

    private static SnapshotCursor open(
            Snapshot snapshot,
            int sourceId,
            boolean newestFirst,
            long fromNs,
            long toNs,
            Function<SnapshotReader, SourceRecords> walk) {
        StoreSnapshot.requireSource(sourceId);
        SnapshotReader reader = SnapshotReader.of(snapshot);
        try {
            return new SnapshotCursor(reader, sourceId, walk.apply(reader), newestFirst, fromNs, toNs);
        } catch (RuntimeException | Error e) {
            reader.close();
            throw e;
        }
    }

    /** Skips chunks that are newer by their directories, and ends at the first older one. */
    private record InRange(long fromNs, long toNs) implements SourceRecords.ChunkGuide {
        @Override
        public Step decide(ChunkCursor part) {
            if (part.listed() && part.lastTimeNs() < fromNs) {
                return Step.END;
            }
            return part.listed() && isBehind(part.firstTimeNs(), toNs) ? Step.PASS_OVER : Step.READ;
        }

        @Override
        public boolean mayGoOn(long bytesRead) {
            return true;
        }
    }

    private static boolean isBehind(long timeNs, long toNs) {
        return timeNs >= toNs && toNs != Long.MAX_VALUE;
    }

    @Override
    protected boolean advance() {
        while (records.next()) {
            boolean before = records.timeNs() < fromNs;
            boolean behind = isBehind(records.timeNs(), toNs);
            if (!before && !behind) {
                return true;
            }
            if (newestFirst ? before : behind) {
                return false;
            }
        }
        return false;
    }

    @Override
    public long damaged() {
        return records.damaged();
    }

    @Override
    public boolean expired() {
        checkOpen();
        return records.expired() || reader.hasDeleted(sourceId, fromNs);
    }

    @Override
    protected void release() {
        records.close();
        reader.close();
    }
}
