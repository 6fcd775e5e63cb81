package dev.loom.record;

import org.jspecify.annotations.Nullable;

/**
 * Writes periodic checkpoints into the timestamp index. From any place, a reader finds the newest directory of every
 * source by reading back to the last checkpoint. Owned by the writer's thread.
 */
final class CheckpointWriter {
    /** A checkpoint follows this many bytes of records, or more if the checkpoint itself is large. */
    static final long INTERVAL_MIN = 64 << 20;

    /** The least bytes of records between two pages of the index that are ended before they are full. */
    private static final long SEAL_INTERVAL = 1 << 20;

    /** The least bytes of records per byte of checkpoint. */
    private static final long INTERVAL_FACTOR = 1024;

    private final TimeIndexWriter index;
    private final long segmentLength;
    private volatile long previous;
    private long writtenAt;
    private long sealedAt;
    private long interval = INTERVAL_MIN;

    /**
     * @param segmentLength of the record log; each segment begins with a checkpoint, so that the store can begin there once
     *     the earlier segments are deleted
     * @param previous address of the last checkpoint in the timestamp index, or -1
     */
    CheckpointWriter(TimeIndexWriter index, long segmentLength, long previous, long recordEnd) {
        this.index = index;
        this.segmentLength = segmentLength;
        this.previous = previous;
        this.writtenAt = recordEnd;
        this.sealedAt = recordEnd;
    }

    boolean due(long recordEnd) {
        return recordEnd - writtenAt >= interval || beginsSegment(recordEnd);
    }

    private boolean beginsSegment(long recordEnd) {
        return recordEnd / segmentLength != writtenAt / segmentLength;
    }

    /** Whether a checkpoint can be begun without waiting. */
    boolean hasRoom(int sourceCount) {
        return index.hasRoom(TimeEntryDescriptor.checkpointLengthMax(sourceCount));
    }

    /** Whether one part can be written without waiting. */
    boolean hasPartRoom() {
        return index.hasPartRoom();
    }

    /** The address of the last checkpoint's first part, or -1. Any thread. */
    long last() {
        return previous;
    }

    /**
     * Writes and publishes a checkpoint, part by part, since it may exceed the ring. The parts have no meaning until
     * the last one is there.
     *
     * @param sources by id; null for ids that are not in use
     * @param recordEnd the end of a chunk; the directories up to it are written
     * @param makeRoom makes room for a part; called when there is none
     */
    void write(@Nullable SourceState[] sources, long recordEnd, long lastTimeNs, Runnable makeRoom) {
        long first = -1;
        int from = 0;
        int part = 0;
        long bytes = 0;
        do {
            if (!hasPartRoom()) {
                makeRoom.run();
            }
            int to;
            long address;
            do {
                to = from;
                address = index.begin(TimeEntryDescriptor.CHECKPOINT, recordEnd);
                index.putLong(TimeEntryDescriptor.PREVIOUS_CHECKPOINT_OFFSET, previous);
                index.putLong(TimeEntryDescriptor.CHECKPOINT_TIME_OFFSET, lastTimeNs);
                index.putLong(TimeEntryDescriptor.CHECKPOINT_PART_OFFSET, part);
                boolean more = true;
                while (more && to < sources.length) {
                    more = list(sources[to++]);
                }
            } while (!index.end(part == 0, to == sources.length, lastTimeNs, lastTimeNs, recordEnd));
            first = part == 0 ? address : first;
            index.publish();
            from = to;
            part++;
            bytes += TimeEntryDescriptor.PART_LENGTH_MAX;
        } while (from < sources.length);
        index.publishCovered();
        previous = first;
        if (beginsSegment(recordEnd) && recordEnd - sealedAt >= SEAL_INTERVAL) {
            // the store can begin here as soon as this page is on the disk
            index.seal();
            sealedAt = recordEnd;
        }
        writtenAt = recordEnd;
        interval = Math.max(INTERVAL_MIN, (bytes - TimeEntryDescriptor.PART_LENGTH_MAX) * INTERVAL_FACTOR);
    }

    private boolean list(@Nullable SourceState source) {
        if (source == null) {
            return true;
        }
        // a reader that continues from the checkpoint adds the losses of later markers
        long lost = source.lost - source.unmarkedRecords();
        if (source.totals.directoryAddress == SourceSlots.NO_DIRECTORY && lost == 0) {
            return true;
        }
        index.add(source.id);
        index.add(source.totals.directoryAddress + 1);
        index.add(source.totals.records);
        index.add(source.totals.bytes);
        index.add(lost);
        index.add(source.totals.firstTimeNs);
        return index.endListed(TimeEntryDescriptor.CHECKPOINTED_LENGTH_MAX);
    }
}
