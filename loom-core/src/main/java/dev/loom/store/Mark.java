package dev.loom.store;

import dev.loom.io.FileId;
import dev.loom.io.Platform;
import dev.loom.io.ProcessId;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The durable state of a store, as one slot of {@code loom.mark} holds it.
 *
 * @param sequence the higher of two valid slots wins
 * @param rebuild which part of the indexes is being written anew, or was
 * @param indexState what is known of those indexes that were there when the session began
 */
record Mark(
        long sequence, Identity identity, Session session, Contents contents, Rebuild rebuild, IndexState indexState) {

    /**
     * Which store it is.
     *
     * @param file the mark itself, which a copy is not; its device is known by that number until the next boot
     */
    record Identity(long storeId, long segmentLength, FileId file) {}

    /**
     * Who writes, or wrote last, and where.
     *
     * @param epoch how often the store was recovered
     * @param closed whether all is in segment files, and staging means nothing
     * @param nonce names one session and its staging; of a closed store the last one
     */
    record Session(int epoch, boolean closed, Owner owner, long nonce, Path staging) {
        static final Session NONE = new Session(0, true, Owner.NONE, 0, Path.of(""));
    }

    /** A process on a machine since it was booted. */
    record Owner(ProcessId process, String bootId, String host) {
        static final Owner NONE = new Owner(ProcessId.NONE, "", "");

        /** Whether it lives, as far as processes can be told from here. */
        ProcessId.Life life() {
            return bootId.equals(Platform.bootId()) ? process.life() : ProcessId.Life.DEAD;
        }
    }

    /**
     * What of it survives a power cut.
     *
     * @param logs by {@link LogKind#index()}
     * @param schemaDurable length of the schema
     * @param checkpoint address of the last checkpoint in the timestamp index, or -1
     * @param lastTimeNs a time that no record below is later than
     */
    record Contents(List<LogMark> logs, long schemaDurable, long checkpoint, long lastTimeNs) {
        private Contents with(LogKind kind, UnaryOperator<LogMark> change) {
            List<LogMark> changed = Stream.of(LogKind.values())
                    .map(each -> each == kind ? change.apply(of(each)) : of(each))
                    .toList();
            return new Contents(changed, schemaDurable, checkpoint, lastTimeNs);
        }

        private Contents withIndexes(UnaryOperator<LogMark> change) {
            return with(LogKind.TIME, change).with(LogKind.CHUNK, change);
        }

        private Contents withCheckpoint(long address) {
            return new Contents(logs, schemaDurable, address, lastTimeNs);
        }

        private Contents withDurable(long[] durable) {
            Contents changed = this;
            for (LogKind kind : LogKind.values()) {
                changed = changed.with(kind, log -> log.withDurable(durable[kind.index()]));
            }
            return changed;
        }

        private Contents withRings(Rings rings, Rings wanted) {
            Contents changed = this;
            for (LogKind kind : LogKind.values()) {
                changed = changed.with(kind, log -> log.withRing(rings.length(kind), wanted.length(kind)));
            }
            return changed;
        }

        LogMark of(LogKind kind) {
            return logs.get(kind.index());
        }
    }

    long storeId() {
        return identity.storeId();
    }

    long segmentLength() {
        return identity.segmentLength();
    }

    FileId file() {
        return identity.file();
    }

    int epoch() {
        return session.epoch();
    }

    boolean closed() {
        return session.closed();
    }

    Owner owner() {
        return session.owner();
    }

    long sessionNonce() {
        return session.nonce();
    }

    Path staging() {
        return session.staging();
    }

    long schemaDurable() {
        return contents.schemaDurable();
    }

    long checkpoint() {
        return contents.checkpoint();
    }

    long lastTimeNs() {
        return contents.lastTimeNs();
    }

    int ringLength(LogKind kind) {
        return contents.of(kind).ringLength();
    }

    int ringWanted(LogKind kind) {
        return contents.of(kind).ringWanted();
    }

    long begin(LogKind kind) {
        return contents.of(kind).begin();
    }

    long durable(LogKind kind) {
        return contents.of(kind).durable();
    }

    /** What is durable, by {@link LogKind#index()}. */
    long[] ends() {
        return contents.logs().stream().mapToLong(LogMark::durable).toArray();
    }

    /** Whether its numbers can be those of a store, whatever its files hold. */
    boolean possible() {
        return segmentLength() > 0
                && segmentLength() % PageDescriptor.PAGE_LENGTH == 0
                && segmentLength() <= PageDescriptor.ADDRESS_MAX
                && schemaDurable() >= 0
                && contents.logs().stream().allMatch(LogMark::possible)
                && rebuild.possible(durable(LogKind.RECORD), durable(LogKind.TIME), durable(LogKind.CHUNK));
    }

    /** Whether this is the mark of another file, of which the one it was read from is a copy. */
    boolean copied(FileId readFrom, String bootId) {
        return !closed()
                && (readFrom.inode() != file().inode()
                        || (owner().bootId().equals(bootId) && readFrom.device() != file().device()));
    }

    /**
     * As the session's evictor advances it.
     *
     * @param durable by {@link LogKind#index()}
     */
    Mark advanced(long[] durable, long schemaDurable, long checkpoint, long lastTimeNs) {
        return next(session, reached(durable, schemaDurable, checkpoint, lastTimeNs));
    }

    private Contents reached(long[] durable, long schemaDurable, long checkpoint, long lastTimeNs) {
        return new Contents(contents.withDurable(durable).logs(), schemaDurable, checkpoint, lastTimeNs);
    }

    private Mark next(Session newSession, Contents newContents) {
        return new Mark(sequence + 1, identity, newSession, newContents, rebuild, indexState);
    }

    /** The same, to be written again. */
    Mark again() {
        return next(session, contents);
    }

    /** The same, with another state of the indexes. */
    Mark with(Rebuild newRebuild, IndexState newState) {
        return new Mark(sequence, identity, session, contents, newRebuild, newState);
    }

    /**
     * With a gap in the indexes, behind which they go on with the records to come.
     *
     * @param covered up to where there are entries for records
     */
    Mark withGap(long covered) {
        long timeEnd = durable(LogKind.TIME);
        long chunkEnd = durable(LogKind.CHUNK);
        Rebuild gap = new Rebuild(
                timeEnd,
                nextSegment(timeEnd + Rebuild.GAP_LENGTH),
                chunkEnd,
                nextSegment(chunkEnd + Rebuild.GAP_LENGTH),
                covered,
                durable(LogKind.RECORD));
        Contents moved = contents.withIndexes(log -> log.movedTo(nextSegment(log.durable() + Rebuild.GAP_LENGTH)));
        return new Mark(sequence + 1, identity, session, moved, gap, indexState);
    }

    /** Without indexes: their logs are empty, and go on in other segments, so that no address is used again. */
    Mark withoutIndexes() {
        Contents emptied = contents.withIndexes(log -> log.emptied(nextSegment(log.durable())))
                .withCheckpoint(-1);
        return new Mark(sequence + 1, identity, session, emptied, Rebuild.NONE, IndexState.WHOLE);
    }

    private long nextSegment(long address) {
        return (address / segmentLength() + 1) * segmentLength();
    }

    /** With a timestamp index that goes on at an address, after a checkpoint. */
    Mark withTimeIndex(long end, long checkpoint) {
        return with(contents.with(LogKind.TIME, log -> log.movedTo(end)).withCheckpoint(checkpoint));
    }

    /** With a record log that begins at an address. */
    Mark withRecordBegin(long begin) {
        return with(contents.with(LogKind.RECORD, log -> log.withBegin(begin)));
    }

    private Mark with(Contents newContents) {
        return new Mark(sequence, identity, session, newContents, rebuild, indexState);
    }

    /** The same, taken from its owner: who still writes learns from it that the store is another's. */
    Mark takenOver() {
        Owner nobody = new Owner(ProcessId.NONE, owner().bootId(), owner().host());
        return next(new Session(epoch(), closed(), nobody, sessionNonce(), staging()), contents);
    }

    /** The same, with staging elsewhere. */
    Mark movedTo(Path newStaging) {
        return next(new Session(epoch(), closed(), owner(), sessionNonce(), newStaging), contents);
    }

    /** The same, of a copy, to which the staging of the original does not belong. */
    Mark adopted() {
        Session own = new Session(epoch(), closed(), owner(), 0, Path.of(""));
        return new Mark(sequence, identity, own, contents, rebuild, indexState);
    }

    /** Closed, at the ends given. */
    Mark ended(int newEpoch, long[] ends, long schemaEnd, long checkpoint, long lastTimeNs, FileId newFile) {
        return new Mark(
                sequence + 1,
                new Identity(storeId(), segmentLength(), newFile),
                new Session(newEpoch, true, Owner.NONE, sessionNonce(), staging()),
                reached(ends, schemaEnd, checkpoint, lastTimeNs),
                rebuild,
                indexState);
    }

    /** Taken by a writer, with the rings that there is room for, and those that were asked for. */
    Mark owned(Owner writer, long nonce, Path staging, Rings rings, Rings wanted, IndexState newState, FileId newFile) {
        return new Mark(
                sequence + 1,
                new Identity(storeId(), segmentLength(), newFile),
                new Session(epoch(), false, writer, nonce, staging),
                contents.withRings(rings, wanted),
                rebuild,
                newState);
    }
}
