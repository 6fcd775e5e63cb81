package dev.loom.store;

import dev.loom.io.FileId;
import dev.loom.log.LogKind;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The durable state of a store, as one slot of {@code loom.mark} holds it.
 *
 * @param sequence the higher of two valid slots wins
 * @param epoch how often the store was recovered
 * @param closed whether all is in segment files, and staging means nothing
 * @param owner who writes, or wrote last
 * @param sessionNonce names one session and its staging; of a closed store the last one
 * @param logs by {@link LogKind#index()}
 * @param schemaDurable length of the schema that survives a power cut
 * @param checkpoint address of the last checkpoint in the timestamp index, or -1
 * @param lastTimeNs a time that no record below is later than
 * @param rebuild which part of the indexes is being written anew, or was
 * @param indexState what is known of those indexes that were there when the session began
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
        List<LogMark> logs,
        long schemaDurable,
        long checkpoint,
        long lastTimeNs,
        Rebuild rebuild,
        IndexState indexState,
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

    int ringLength(LogKind kind) {
        return logs.get(kind.index()).ringLength();
    }

    long begin(LogKind kind) {
        return logs.get(kind.index()).begin();
    }

    long durable(LogKind kind) {
        return logs.get(kind.index()).durable();
    }

    /** What is durable, by {@link LogKind#index()}. */
    long[] ends() {
        return logs.stream().mapToLong(LogMark::durable).toArray();
    }

    private List<LogMark> withDurable(long[] durable) {
        return IntStream.range(0, durable.length)
                .mapToObj(i -> logs.get(i).withDurable(durable[i]))
                .toList();
    }

    /**
     * As the session's evictor advances it.
     *
     * @param durable by {@link LogKind#index()}
     */
    Mark advanced(long[] durable, long newSchemaDurable, long newCheckpoint, long newLastTimeNs) {
        return new Mark(
                sequence + 1,
                storeId,
                epoch,
                closed,
                owner,
                sessionNonce,
                staging,
                segmentLength,
                withDurable(durable),
                newSchemaDurable,
                newCheckpoint,
                newLastTimeNs,
                rebuild,
                indexState,
                file);
    }

    /** The same, with another state of the indexes. */
    Mark with(Rebuild newRebuild, IndexState newState) {
        return with(sequence, logs, checkpoint, newRebuild, newState);
    }

    private Mark with(
            long newSequence, List<LogMark> newLogs, long newCheckpoint, Rebuild newRebuild, IndexState newState) {
        return new Mark(
                newSequence,
                storeId,
                epoch,
                closed,
                owner,
                sessionNonce,
                staging,
                segmentLength,
                newLogs,
                schemaDurable,
                newCheckpoint,
                lastTimeNs,
                newRebuild,
                newState,
                file);
    }

    /**
     * With a gap in the indexes, behind which they go on with the records to come.
     *
     * @param covered up to where there are entries for records
     */
    Mark withGap(long covered) {
        LogMark time = logs.get(LogKind.TIME.index());
        LogMark chunk = logs.get(LogKind.CHUNK.index());
        Rebuild gap = new Rebuild(
                time.durable(),
                nextSegment(time.durable() + Rebuild.GAP_LENGTH),
                chunk.durable(),
                nextSegment(chunk.durable() + Rebuild.GAP_LENGTH),
                covered,
                durable(LogKind.RECORD));
        return with(
                sequence + 1,
                withIndexLogs(log -> log.movedTo(nextSegment(log.durable() + Rebuild.GAP_LENGTH))),
                checkpoint,
                gap,
                indexState);
    }

    private List<LogMark> withIndexLogs(UnaryOperator<LogMark> change) {
        return Stream.of(LogKind.values())
                .map(kind -> kind == LogKind.RECORD ? logs.get(kind.index()) : change.apply(logs.get(kind.index())))
                .toList();
    }

    /** The same, to be written again. */
    Mark again() {
        return advanced(ends(), schemaDurable, checkpoint, lastTimeNs);
    }

    /** Without indexes: their logs are empty, and go on in other segments, so that no address is used again. */
    Mark withoutIndexes() {
        return with(
                sequence + 1,
                withIndexLogs(log -> log.emptied(nextSegment(log.durable()))),
                -1,
                Rebuild.NONE,
                IndexState.WHOLE);
    }

    private long nextSegment(long address) {
        return (address / segmentLength + 1) * segmentLength;
    }

    /** Closed, at the ends given. */
    Mark ended(int newEpoch, long[] ends, long schemaEnd, long newCheckpoint, long newLastTimeNs, FileId newFile) {
        return new Mark(
                sequence + 1,
                storeId,
                newEpoch,
                true,
                Owner.NONE,
                sessionNonce,
                staging,
                segmentLength,
                withDurable(ends),
                schemaEnd,
                newCheckpoint,
                newLastTimeNs,
                rebuild,
                indexState,
                newFile);
    }

    /** Taken by a writer. */
    Mark owned(Owner newOwner, long nonce, Path newStaging, List<Integer> rings, IndexState newState, FileId newFile) {
        return new Mark(
                sequence + 1,
                storeId,
                epoch,
                false,
                newOwner,
                nonce,
                newStaging,
                segmentLength,
                IntStream.range(0, rings.size())
                        .mapToObj(i -> logs.get(i).withRing(rings.get(i)))
                        .toList(),
                schemaDurable,
                checkpoint,
                lastTimeNs,
                rebuild,
                newState,
                newFile);
    }
}
