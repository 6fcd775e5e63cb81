package dev.loom.store;

import dev.loom.io.FileId;
import java.nio.file.Path;

/**
 * The durable state of a store, as one slot of {@code loom.mark} holds it.
 *
 * @param sequence the higher of two valid slots wins
 * @param epoch how often the store was recovered
 * @param closed whether all is in segment files, and staging means nothing
 * @param owner who writes, or wrote last
 * @param sessionNonce names one session and its staging; of a closed store the last one
 * @param recordDurable end of the record log that survives a power cut; all of it when closed
 * @param schemaDurable length of the schema that survives a power cut
 * @param checkpoint address of the last checkpoint in the timestamp index, or -1
 * @param lastTimeNs a time that no record below is later than
 * @param file the mark itself, which a copy is not; its device is known by that number until the next boot
 */
record Mark(
        long sequence,
        long storeId,
        int epoch,
        boolean closed,
        Owner owner,
        long sessionNonce,
        Path staging,
        long segmentLength,
        int recordRingLength,
        int timeRingLength,
        long recordBegin,
        long recordDurable,
        long timeBegin,
        long timeDurable,
        long schemaDurable,
        long checkpoint,
        long lastTimeNs,
        FileId file) {

    /** A process on a machine since it was booted. */
    record Owner(long pid, long startTimeMs, String bootId, String host) {
        static final Owner NONE = new Owner(0, 0, "", "");
    }

    /** Whether this is the mark of another file, of which the one it was read from is a copy. */
    boolean copied(FileId readFrom, String bootId) {
        return !closed
                && (readFrom.inode() != file.inode()
                        || (owner.bootId().equals(bootId) && readFrom.device() != file.device()));
    }

    /** As the session's evictor advances it. */
    Mark advanced(
            long newRecordDurable, long newTimeDurable, long newSchemaDurable, long newCheckpoint, long newLastTimeNs) {
        return new Mark(
                sequence + 1,
                storeId,
                epoch,
                closed,
                owner,
                sessionNonce,
                staging,
                segmentLength,
                recordRingLength,
                timeRingLength,
                recordBegin,
                newRecordDurable,
                timeBegin,
                newTimeDurable,
                newSchemaDurable,
                newCheckpoint,
                newLastTimeNs,
                file);
    }

    /** Closed, at the ends given. */
    Mark ended(
            int newEpoch,
            long recordEnd,
            long timeEnd,
            long schemaEnd,
            long newCheckpoint,
            long newLastTimeNs,
            FileId newFile) {
        return new Mark(
                sequence + 1,
                storeId,
                newEpoch,
                true,
                Owner.NONE,
                sessionNonce,
                staging,
                segmentLength,
                recordRingLength,
                timeRingLength,
                recordBegin,
                recordEnd,
                timeBegin,
                timeEnd,
                schemaEnd,
                newCheckpoint,
                newLastTimeNs,
                newFile);
    }

    /** Taken by a writer. */
    Mark owned(Owner newOwner, long nonce, Path newStaging, int newRecordRing, int newTimeRing, FileId newFile) {
        return new Mark(
                sequence + 1,
                storeId,
                epoch,
                false,
                newOwner,
                nonce,
                newStaging,
                segmentLength,
                newRecordRing,
                newTimeRing,
                recordBegin,
                recordDurable,
                timeBegin,
                timeDurable,
                schemaDurable,
                checkpoint,
                lastTimeNs,
                newFile);
    }
}
