package dev.loom.record;

import dev.loom.filter.UnitFiles;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;

/**
 * What operators read: the logs up to their tails at one moment. The record log's tail was read first, so entries of
 * the timestamp index may end above it; readers ignore those. Immutable.
 *
 * @param recordBegin the oldest address that was retained when the snapshot was taken
 * @param timeTail the end of the timestamp index that the slots covered when the snapshot was taken
 * @param chunkTail the end of the chunk index; all bins that the timestamp index refers to are below
 * @param slots the newest directory of each source; may be ahead of the snapshot
 * @param text the files of the text index, as they are whenever they are asked for
 */
public record SnapshotView(
        LogView records,
        LogView times,
        LogView chunks,
        long recordBegin,
        long recordTail,
        long timeTail,
        long chunkTail,
        SourceSlots slots,
        UnitFiles text) {
    /** The oldest address of the record log that is still retained. */
    public long retainedBegin() {
        return records.watermarks().beginAcquire();
    }

    /** No record that retention deleted arrived later; {@code Long.MIN_VALUE} if it deleted none. */
    public long deletedToNs() {
        long address = retainedBegin();
        if (address == 0) {
            return Long.MIN_VALUE;
        }
        try (PageRecords page = new PageRecords(records, recordTail, -1, 1)) {
            for (; address < recordTail; address += PageDescriptor.PAGE_LENGTH) {
                if (page.read(address) == PageState.PRESENT) {
                    return page.baseTimeNs();
                }
            }
        }
        return Long.MAX_VALUE;
    }

    /** Arrival time of the newest record of any source, or {@code Long.MIN_VALUE} if there is none. */
    public long lastTimeNs() {
        long address = PageDescriptor.pageAddress(recordTail - 1);
        try (PageRecords page = new PageRecords(records, recordTail, -1)) {
            while (address >= retainedBegin()) {
                if (page.read(address) == PageState.PRESENT) {
                    long last = page.baseTimeNs();
                    while (page.next()) {
                        last = page.timeNs();
                    }
                    return last;
                }
                address -= PageDescriptor.PAGE_LENGTH;
            }
        }
        return Long.MIN_VALUE;
    }
}
