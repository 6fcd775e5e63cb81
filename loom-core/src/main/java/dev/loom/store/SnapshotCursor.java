package dev.loom.store;

import dev.loom.api.SourceCursor;
import dev.loom.record.AscendingChunks;
import dev.loom.record.BackwardRecords;
import dev.loom.record.Chunks;
import dev.loom.record.DescendingChunks;
import dev.loom.record.ForwardRecords;
import dev.loom.record.PageCursor;
import dev.loom.record.PageRecords;
import dev.loom.record.RecordWalk;
import dev.loom.record.SnapshotView;
import dev.loom.record.WalkGuide;

/**
 * The records of one source in a time range of a snapshot, on which it holds a lease (paper, section 5.1). Takes ten
 * pages, and the longest payload met that spans pages.
 */
final class SnapshotCursor extends PageCursor implements SourceCursor {
    private final StoreSnapshot snapshot;
    private final Chunks chunks;
    private final PageRecords page;
    private final RecordWalk walk;
    private final long fromNs;
    private final long toNs;
    private final boolean newestFirst;

    private SnapshotCursor(
            StoreSnapshot snapshot, Chunks chunks, PageRecords page, boolean newestFirst, long fromNs, long toNs) {
        super(page);
        this.snapshot = snapshot;
        this.chunks = chunks;
        this.page = page;
        this.newestFirst = newestFirst;
        this.fromNs = fromNs;
        this.toNs = toNs;
        this.walk = newestFirst
                ? new BackwardRecords(chunks, page, new InRange(fromNs, toNs))
                : new ForwardRecords(chunks, page, WalkGuide.READ_ALL);
    }

    /** Follows the source's chain. The caller has taken a lease for the cursor. */
    static SnapshotCursor newestFirst(StoreSnapshot snapshot, int sourceId, long fromNs, long toNs) {
        SnapshotView view = snapshot.view();
        Chunks chunks = new DescendingChunks(view, sourceId, toNs);
        return new SnapshotCursor(snapshot, chunks, records(view, sourceId), true, fromNs, toNs);
    }

    /** Reads page by page. The caller has taken a lease for the cursor. */
    static SnapshotCursor oldestFirst(StoreSnapshot snapshot, int sourceId, long fromNs, long toNs) {
        SnapshotView view = snapshot.view();
        Chunks chunks = new AscendingChunks(view, sourceId, fromNs, toNs, 0);
        return new SnapshotCursor(snapshot, chunks, records(view, sourceId), false, fromNs, toNs);
    }

    private static PageRecords records(SnapshotView view, int sourceId) {
        return new PageRecords(view.records(), view.recordTail(), sourceId);
    }

    /** Skips chunks that are newer by their directories, and ends at the first older one. */
    private record InRange(long fromNs, long toNs) implements WalkGuide {
        @Override
        public Step decide(Chunks part) {
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
        while (walk.next()) {
            boolean before = page.timeNs() < fromNs;
            boolean behind = isBehind(page.timeNs(), toNs);
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
        return walk.damaged();
    }

    @Override
    public boolean expired() {
        return walk.expired();
    }

    @Override
    protected void release() {
        page.close();
        chunks.close();
        snapshot.release();
    }
}
