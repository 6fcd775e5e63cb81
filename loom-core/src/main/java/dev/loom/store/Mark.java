package dev.loom.store;

import dev.loom.io.FileId;
import dev.loom.io.Platform;
import dev.loom.io.ProcessId;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
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
    record Owner(ProcessId process, String bootId, String host) {
        static final Owner NONE = new Owner(ProcessId.NONE, "", "");

        /** Whether it lives, as far as processes can be told from here. */
        ProcessId.Life life() {
            return bootId.equals(Platform.bootId()) ? process.life() : ProcessId.Life.DEAD;
        }
    }

    /** Whether its numbers can be those of a store, whatever its files hold. */
    boolean possible() {
        return segmentLength > 0
                && segmentLength % PageDescriptor.PAGE_LENGTH == 0
                && segmentLength <= PageDescriptor.ADDRESS_MAX
                && schemaDurable >= 0
                && logs.stream().allMatch(LogMark::possible)
                && rebuild.possible(durable(LogKind.RECORD), durable(LogKind.TIME), durable(LogKind.CHUNK));
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

    int ringWanted(LogKind kind) {
        return logs.get(kind.index()).ringWanted();
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

    /** With a timestamp index that goes on at an address, after a checkpoint. */
    Mark withTimeIndex(long end, long newCheckpoint) {
        List<LogMark> ended = Stream.of(LogKind.values())
                .map(kind -> {
                    LogMark log = logs.get(kind.index());
                    return kind == LogKind.TIME ? log.movedTo(end) : log;
                })
                .toList();
        return with(sequence, ended, newCheckpoint, rebuild, indexState);
    }

    private List<LogMark> withIndexLogs(UnaryOperator<LogMark> change) {
        return Stream.of(LogKind.values())
                .map(kind -> kind == LogKind.RECORD ? logs.get(kind.index()) : change.apply(logs.get(kind.index())))
                .toList();
    }

    /** The same, taken from its owner: who still writes learns from it that the store is another's. */
    Mark takenOver() {
        return new Mark(
                sequence + 1,
                storeId,
                epoch,
                closed,
                new Owner(ProcessId.NONE, owner.bootId(), owner.host()),
                sessionNonce,
                staging,
                segmentLength,
                logs,
                schemaDurable,
                checkpoint,
                lastTimeNs,
                rebuild,
                indexState,
                file);
    }

    /** The same, with staging elsewhere. */
    Mark movedTo(Path newStaging) {
        return new Mark(
                sequence + 1,
                storeId,
                epoch,
                closed,
                owner,
                sessionNonce,
                newStaging,
                segmentLength,
                logs,
                schemaDurable,
                checkpoint,
                lastTimeNs,
                rebuild,
                indexState,
                file);
    }

    /** The same, of a copy, to which the staging of the original does not belong. */
    Mark adopted() {
        return new Mark(
                sequence,
                storeId,
                epoch,
                closed,
                owner,
                0,
                Path.of(""),
                segmentLength,
                logs,
                schemaDurable,
                checkpoint,
                lastTimeNs,
                rebuild,
                indexState,
                file);
    }

    /** With a record log that begins at an address. */
    Mark withRecordBegin(long begin) {
        List<LogMark> begun = Stream.of(LogKind.values())
                .map(kind -> {
                    LogMark log = logs.get(kind.index());
                    return kind == LogKind.RECORD ? log.withBegin(begin) : log;
                })
                .toList();
        return with(sequence, begun, checkpoint, rebuild, indexState);
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
    Mark owned(
            Owner newOwner,
            long nonce,
            Path newStaging,
            Rings rings,
            Rings wanted,
            IndexState newState,
            FileId newFile) {
        return new Mark(
                sequence + 1,
                storeId,
                epoch,
                false,
                newOwner,
                nonce,
                newStaging,
                segmentLength,
                Stream.of(LogKind.values())
                        .map(kind -> logs.get(kind.index()).withRing(rings.length(kind), wanted.length(kind)))
                        .toList(),
                schemaDurable,
                checkpoint,
                lastTimeNs,
                rebuild,
                newState,
                newFile);
    }
}
