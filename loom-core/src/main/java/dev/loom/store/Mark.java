package dev.loom.store;

import dev.loom.api.StoreInfo.IndexState;
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
 * The durable state of a store, held by one slot of {@code loom.mark}.
 *
 * @param sequence the higher of two valid slots wins
 * @param rebuild the part of the indexes that is being rebuilt, or was
 * @param indexState the state of the indexes that existed when the session began
 */
record Mark(
        long sequence, Identity identity, Session session, Contents contents, Rebuild rebuild, IndexState indexState) {

    /**
     * The identity of the store.
     *
     * @param file identifies the mark's own file, and so tells a copy; the device number is valid until the next boot
     * @param minor the minor version of the format; a session that writes the store makes it its own
     * @param compressed whether some segments of the record log may be compressed, which not every version can read
     */
    record Identity(long storeId, long segmentLength, FileId file, int minor, boolean compressed) {
        private Identity with(FileId newFile) {
            return new Identity(storeId, segmentLength, newFile, MarkFile.MINOR, compressed);
        }
    }

    /**
     * The session that writes the store, or wrote it last.
     *
     * @param epoch the number of recoveries of the store
     * @param closed whether everything is in segment files, and staging is void
     * @param nonce identifies the session and its staging; for a closed store, the last one
     */
    record Session(int epoch, boolean closed, Owner owner, long nonce, Path staging) {
        static final Session NONE = new Session(0, true, Owner.NONE, 0, Path.of(""));
    }

    /** A process, on a machine, in one boot. */
    record Owner(ProcessId process, String bootId, String host) {
        static final Owner NONE = new Owner(ProcessId.NONE, "", "");

        /** The pid, or -1 if it is unknown or of another PID namespace. */
        long pidHere() {
            return process.pid() > 0 && process.isNear() ? process.pid() : -1;
        }

        /** Names the process in messages. */
        String text() {
            String where =
                    process.pid() <= 0 || process.isNear() ? "" : " in another PID namespace, such as a container's";
            return "pid=" + (process.pid() > 0 ? process.pid() : -1) + where + ", host=" + host;
        }

        /** Whether the process is alive, as far as can be seen from here. */
        ProcessId.Life life() {
            return bootId.equals(Platform.bootId()) ? process.life() : ProcessId.Life.DEAD;
        }
    }

    /**
     * The contents that survive a power cut.
     *
     * @param logs by {@link LogKind#index()}
     * @param schemaDurable the length of the schema file
     * @param checkpoint the address of the last checkpoint in the timestamp index, or -1
     * @param lastTimeNs the time of the last record below, or later
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

    boolean compressed() {
        return identity.compressed();
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

    /** The durable ends, by {@link LogKind#index()}. */
    long[] ends() {
        return contents.logs().stream().mapToLong(LogMark::durable).toArray();
    }

    /** Whether its numbers are possible for a store, whatever the files hold. */
    boolean possible() {
        return segmentLength() > 0
                && segmentLength() % PageDescriptor.PAGE_LENGTH == 0
                && segmentLength() <= PageDescriptor.ADDRESS_MAX
                && schemaDurable() >= 0
                && contents.logs().stream().allMatch(LogMark::possible)
                && rebuild.possible(durable(LogKind.RECORD), durable(LogKind.TIME), durable(LogKind.CHUNK));
    }

    /** Whether the file that it was read from is a copy of the mark's own file, as far as numbers show: {@link Copies} knows more. */
    boolean copied(FileId readFrom, String bootId) {
        return !closed()
                && (readFrom.inode() != file().inode()
                        || (owner().bootId().equals(bootId) && readFrom.device() != file().device()));
    }

    /**
     * The mark as the session's evictor advances it.
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

    /** The same, with the next sequence number. */
    Mark again() {
        return next(session, contents);
    }

    /** The same, with another state of the indexes. */
    Mark with(Rebuild newRebuild, IndexState newState) {
        return new Mark(sequence, identity, session, contents, newRebuild, newState);
    }

    /**
     * With a gap in the indexes, after which they continue with later records.
     *
     * @param covered the address up to which records have entries
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

    /** Without indexes: their logs are empty and continue in other segments, so that no address is reused. */
    Mark withoutIndexes() {
        Contents emptied = contents.withIndexes(log -> log.emptied(nextSegment(log.durable())))
                .withCheckpoint(-1);
        return new Mark(sequence + 1, identity, session, emptied, Rebuild.NONE, IndexState.WHOLE);
    }

    private long nextSegment(long address) {
        return (address / segmentLength() + 1) * segmentLength();
    }

    /** With a timestamp index that continues at an address, after a checkpoint. */
    Mark withTimeIndex(long end, long checkpoint) {
        return with(contents.with(LogKind.TIME, log -> log.movedTo(end)).withCheckpoint(checkpoint));
    }

    /** With a record log that begins at an address. */
    Mark withRecordBegin(long begin) {
        return with(contents.with(LogKind.RECORD, log -> log.withBegin(begin)));
    }

    /**
     * With logs that begin at addresses.
     *
     * @param begins by {@link LogKind#index()}
     */
    Mark beginningAt(long[] begins) {
        Contents changed = contents;
        for (LogKind kind : LogKind.values()) {
            changed = changed.with(kind, log -> log.withBegin(begins[kind.index()]));
        }
        return next(session, changed);
    }

    private Mark with(Contents newContents) {
        return new Mark(sequence, identity, session, newContents, rebuild, indexState);
    }

    /** The same, taken from its owner, so that an owner which still writes learns that it has lost the store. */
    Mark takenOver() {
        Owner nobody = new Owner(ProcessId.NONE, owner().bootId(), owner().host());
        return next(new Session(epoch(), closed(), nobody, sessionNonce(), staging()), contents);
    }

    /** The same, with staging elsewhere. */
    Mark movedTo(Path newStaging) {
        return next(new Session(epoch(), closed(), owner(), sessionNonce(), newStaging), contents);
    }

    /** The same, with leave to compress segments. */
    Mark withCompression() {
        Identity compressed = new Identity(storeId(), segmentLength(), file(), identity.minor(), true);
        return new Mark(sequence, compressed, session, contents, rebuild, indexState);
    }

    /** The same for a copy, without the staging of the original. */
    Mark adopted() {
        Session own = new Session(epoch(), closed(), owner(), 0, Path.of(""));
        return new Mark(sequence, identity, own, contents, rebuild, indexState);
    }

    /** Closed, with the given ends. */
    Mark ended(int newEpoch, long[] ends, long schemaEnd, long checkpoint, long lastTimeNs, FileId newFile) {
        return new Mark(
                sequence + 1,
                identity.with(newFile),
                new Session(newEpoch, true, Owner.NONE, sessionNonce(), staging()),
                reached(ends, schemaEnd, checkpoint, lastTimeNs),
                rebuild,
                indexState);
    }

    /** Owned by a writer, with the actual rings, and the configured ones. */
    Mark owned(Owner writer, long nonce, Path staging, Rings rings, Rings wanted, IndexState newState, FileId newFile) {
        return new Mark(
                sequence + 1,
                identity.with(newFile),
                new Session(epoch(), false, writer, nonce, staging),
                contents.withRings(rings, wanted),
                rebuild,
                newState);
    }
}
