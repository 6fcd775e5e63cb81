package dev.loom.record;

import dev.loom.log.LogView;

/**
 * What operators read: both logs up to their tails at one moment. The record log's tail was read first, so entries of the
 * timestamp index may end above it; those are ignored. Immutable.
 *
 * @param timeTail end of the timestamp index as far as the slots knew it when the snapshot was taken
 * @param chunkTail end of the chunk index; bins that the timestamp index names are below
 * @param slots where the newest directory of each source is found; may be ahead of the snapshot
 */
public record SnapshotView(
        LogView records,
        LogView times,
        LogView chunks,
        long recordTail,
        long timeTail,
        long chunkTail,
        SourceSlots slots) {
    /** The oldest retained address of the record log. */
    public long recordBegin() {
        return records.watermarks().beginAcquire();
    }
}
