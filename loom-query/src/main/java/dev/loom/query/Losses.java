package dev.loom.query;

import dev.loom.record.BackwardRecords;
import dev.loom.record.DescendingChunks;
import dev.loom.record.OwnRecord;
import dev.loom.record.PageRecords;
import dev.loom.record.RecordWalk;
import dev.loom.record.SnapshotView;
import dev.loom.record.WalkGuide;
import dev.loom.store.StoreSnapshot;

/** Counts what was lost of a source, from the markers in the store's own source. */
final class Losses {
    private Losses() {}

    /** Records lost of a source within a time range; a loss that overlaps the range counts whole. */
    static long count(StoreSnapshot snapshot, int sourceId, TimeRange range) {
        SnapshotView view = snapshot.view();
        long lost = snapshot.unmarkedLost(sourceId, range.fromNs(), range.toNs());
        // markers are few and far between, and the cursor's own memory is still held: one page each will do
        // a marker is written after what it counts: none before the range matters, any after it may
        try (DescendingChunks chunks = new DescendingChunks(view, 0, Long.MAX_VALUE, 1);
                PageRecords page = new PageRecords(view.records(), view.recordTail(), 0, 1)) {
            RecordWalk markers = new BackwardRecords(chunks, page, WalkGuide.READ_ALL);
            while (markers.next() && page.timeNs() >= range.fromNs()) {
                if (OwnRecord.kind(page.buffer(), page.offset()) == OwnRecord.LOSS
                        && OwnRecord.source(page.buffer(), page.offset()) == sourceId
                        && OwnRecord.lossFirstNs(page.buffer(), page.offset()) < range.toNs()
                        && OwnRecord.lossLastNs(page.buffer(), page.offset()) >= range.fromNs()) {
                    lost += OwnRecord.lost(page.buffer(), page.offset());
                }
            }
        }
        return lost;
    }
}
