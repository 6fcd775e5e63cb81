package dev.loom.read;

import dev.loom.record.BackwardRecords;
import dev.loom.record.DescendingChunks;
import dev.loom.record.OwnRecord;
import dev.loom.record.PageRecords;
import dev.loom.record.RecordWalk;
import dev.loom.record.SnapshotView;
import dev.loom.record.WalkGuide;

/** Counts the records lost of a source, from the markers in the store's own source. */
final class Losses {
    private Losses() {}

    /** The records lost of a source within a time range; a loss that overlaps the range counts in full. */
    static long marked(SnapshotView view, int sourceId, long fromNs, long toNs) {
        long lost = 0;
        // markers are sparse, and the cursor still holds its own memory, so one page each is enough
        // a marker is written after the losses it counts: none before the range matters, any after it may
        try (DescendingChunks chunks = new DescendingChunks(view, 0, Long.MAX_VALUE, 1);
                PageRecords page = new PageRecords(view.records(), view.recordTail(), 0, 1)) {
            RecordWalk markers = new BackwardRecords(chunks, page, WalkGuide.READ_ALL);
            while (markers.next() && page.timeNs() >= fromNs) {
                if (OwnRecord.kind(page.buffer(), page.offset()) == OwnRecord.LOSS
                        && OwnRecord.source(page.buffer(), page.offset()) == sourceId
                        && OwnRecord.lossFirstNs(page.buffer(), page.offset()) < toNs
                        && OwnRecord.lossLastNs(page.buffer(), page.offset()) >= fromNs) {
                    lost += OwnRecord.lost(page.buffer(), page.offset());
                }
            }
        }
        return lost;
    }
}
