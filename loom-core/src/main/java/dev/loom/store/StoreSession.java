package dev.loom.store;

import dev.loom.api.ProgressHandler;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.StoreInfo;
import dev.loom.error.LoomException;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreReopenedException;
import dev.loom.log.Durability;
import dev.loom.log.Evictor;
import dev.loom.log.HybridLog;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.SegmentWriter;
import dev.loom.record.OwnRecord;
import dev.loom.record.RecordLog;
import dev.loom.record.ReferencedRecords;
import dev.loom.record.WriterSources;
import dev.loom.schema.SchemaEntry.RetentionSet;
import dev.loom.schema.SchemaLog;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One session of a store's writer, from opening to closing. {@link #log()} is for the writer's thread, the rest for any
 * thread.
 */
public final class StoreSession implements Durability, AutoCloseable {
    private final Settings settings;
    private final StoreFiles files;
    private final Tenure tenure;
    /** For the evictor's thread, and for closing once that has ended. */
    private final Tenure.Guard evictorGuard;

    private final SessionMark mark;
    private final SessionStaging staging;
    private final SchemaLog schemaLog;
    private final SessionSchema schema;
    private final ReferencedRecords lookup;
    private final RecordLog log;
    private final Retention retention;
    private final Evictor evictor;
    private final @Nullable SystemClock systemClock;
    private final Leases leases;
    /** Those of the store's own threads, which end with the session; all together hold one of the others. */
    private final Leases ownLeases;

    private final BackgroundWork background;

    /** Why the record log does not bypass the page cache, or null. */
    private final @Nullable String cachedFor;

    private volatile long checkpoint;
    private volatile long lastTimeNs;
    private volatile boolean closed;
    private volatile @Nullable LoomException stagingFailure;

    StoreSession(OpeningResult opened) {
        this.settings = opened.settings();
        this.files = opened.files();
        this.tenure = opened.tenure();
        this.evictorGuard = tenure.guard();
        Mark begun = opened.mark();
        this.mark = new SessionMark(new MarkFile(settings.storage(), files.mark()), begun);
        this.staging = new SessionStaging(files, settings, begun, opened.staging(), opened.text());
        this.cachedFor = opened.cachedFor();
        this.schemaLog = opened.schemaLog();
        this.leases = new Leases(staging::unmap);
        leases.acquire();
        this.ownLeases = new Leases(leases::release);
        this.lastTimeNs = begun.lastTimeNs();
        this.checkpoint = opened.table().lastCheckpoint();

        SystemClock system = new SystemClock(begun.lastTimeNs());
        LongSupplier asked = settings.clock();
        LongSupplier clock = asked == null ? system : asked;
        LongSupplier ownClock = asked == null ? system : new ProgramClock(asked);
        this.systemClock = asked == null ? system : null;
        HybridLog recordLog = staging.log(LogKind.RECORD);
        HybridLog timeLog = staging.log(LogKind.TIME);
        HybridLog chunkLog = staging.log(LogKind.CHUNK);
        WriterSources sources = SessionSchema.writerSources(opened.schema(), opened.table());
        this.lookup = new ReferencedRecords(writersRecords(recordLog), recordLog::tail, this::formatText);
        staging.live().modes(opened.direct(), settings.pressure());
        publishClock();

        Savings savings = Savings.of(files, settings.storage(), begun);
        RetentionSet limits = settings.repair() == null ? opened.schema().retention() : RetentionSet.NONE;
        this.retention = new Retention(
                Objects.requireNonNull(limits), // of a repair none
                settings.storage(),
                files.directory(),
                mark::now,
                staging::logs,
                asked == null ? system::trustedNs : ownClock,
                this::beginAt,
                savings,
                opened.text(),
                opened.runs(),
                new FreedSpace());
        this.evictor = Evictor.create(
                List.of(
                        new Evictor.Assignment(
                                recordLog,
                                segmentWriter(LogKind.RECORD, opened.direct()),
                                new OpenPageFile(files, settings.storage(), begun.storeId(), evictorGuard::check)),
                        new Evictor.Assignment(timeLog, segmentWriter(LogKind.TIME, false), null),
                        new Evictor.Assignment(chunkLog, segmentWriter(LogKind.CHUNK, false), null)),
                begun.storeId(),
                this,
                retention,
                settings.durabilityInterval().toNanos(),
                settings.durabilityBytes());
        this.log = new RecordLog(new RecordLog.Parts(
                recordLog,
                timeLog,
                chunkLog,
                sources,
                staging.slots(),
                staging.losses(),
                staging.lossCounts(),
                clock,
                evictor,
                staging.gauge(),
                settings.pressure(),
                begun.segmentLength(),
                begun.lastTimeNs(),
                checkpoint));
        this.schema = new SessionSchema(
                opened,
                sources,
                new SessionIndexes(sources, lookup, log.ownership()),
                () -> staging.logs().records().watermarks().tailAcquire());
        tenure.onFenced(() -> log.ownership().summon(tenure::checkKnown));
        this.background = new BackgroundWork(new BackgroundWork.Parts(
                settings,
                files,
                mark,
                staging,
                schema,
                evictor,
                tenure,
                log.ownership(),
                ownClock,
                savings,
                opened.text(),
                opened.runs(),
                retention::hasRoom,
                retention::isWithinLimit,
                () -> snapshot(ownLeases)));
        log.ownership().bar(evictor.thread());
        try {
            evictor.start();
            resume(opened);
            background.start(opened.unchecked());
        } catch (RuntimeException | Error e) {
            abandon(e);
            throw e;
        }
    }

    /** Ends what runs of a session that failed to begin, and unmaps its staging, which stays for the next opening. */
    private void abandon(Throwable cause) {
        try (leases;
                ownLeases;
                staging;
                evictor;
                background) {
            lookup.close();
        } catch (RuntimeException | Error e) {
            cause.addSuppressed(e);
        }
    }

    private void resume(OpeningResult opened) {
        Recovery recovery = opened.recovery();
        log.resume(opened.closedLogs().records(), opened.table().recordsCovered(), settings.progress());
        if (recovery != null) {
            log.pushOwn(
                    OwnRecord.EPOCH,
                    0,
                    0,
                    mark.written().epoch(),
                    recovery.mark().durable(LogKind.RECORD),
                    recovery.durableBefore());
        }
        log.pushOwn(OwnRecord.ANCHOR, 0, 0, SystemClock.wallNs(), System.nanoTime(), log.lastTimeNs());
    }

    private @Nullable String formatText(int sourceId) {
        Source source = schema.current().source(sourceId);
        return source == null ? null : source.format().text();
    }

    /** The writer's view of the record log, through its ring. */
    private LogView writersRecords(HybridLog recordLog) {
        return new LogView(
                LogKind.RECORD,
                mark.written().storeId(),
                settings.storage(),
                files.segments(LogKind.RECORD, mark.written().segmentLength()),
                recordLog.watermarks(),
                recordLog.ring());
    }

    private SegmentWriter segmentWriter(LogKind kind, boolean pastPageCache) {
        return new SegmentWriter(
                settings.storage(),
                files.segments(kind, mark.written().segmentLength()),
                pastPageCache,
                evictorGuard::checkOpened,
                evictorGuard::check);
    }

    /** The record log. For the writer's thread. */
    public RecordLog log() {
        return log;
    }

    /**
     * The settings to reopen the store and rebuild its indexes, including those with functions of the program's own.
     *
     * @throws StoreIoException when the next session would find no room for its staging, as open snapshots keep this one's
     */
    public Settings settingsToRebuild() {
        if (leases.users() > 1) { // one is the own threads'
            staging.checkRoomForNext();
        }
        return settings.toRebuild(schema.functions());
    }

    public boolean isOpen() {
        return !closed;
    }

    /** Throws once the session is closed. */
    public void checkOpen() {
        if (closed) {
            throw new IllegalStateException("store is closed: directory=" + files.directory());
        }
    }

    public SessionSchema schema() {
        return schema;
    }

    public Snapshot snapshot() {
        return snapshot(leases);
    }

    private Snapshot snapshot(Leases users) {
        lease(users);
        SessionStaging.View view = staging.view();
        LiveFile live = view.staging().live();
        try {
            return StoreSnapshot.take(view.logs(), live.slots(), live.losses(), schema::current, true, users);
        } catch (RuntimeException | Error e) {
            users.release();
            throw e;
        }
    }

    private void lease(Leases users) {
        if (!users.acquire()) {
            throw new IllegalStateException("store is closed: directory=" + files.directory());
        }
    }

    /** Seals the open page, and makes everything durable. For the writer's thread. */
    public void force() {
        checkOpen();
        log.seal();
        noteProgress();
        evictor.force(settings.progress()::onProgress);
    }

    /** Waits until what is durable is summed up; false if that can't be. */
    public boolean finishRollups(ProgressHandler progress) {
        return background.finishRollups(progress);
    }

    /** As {@link #force()}, and completes the text index; false if that can't be. For the writer's thread. */
    public boolean finishText(ProgressHandler progress) {
        force();
        return background.finishText(progress);
    }

    /**
     * Throws while the disk refuses writes or syncs.
     *
     * @throws StoreIoException with the reason
     */
    public void checkDisk() {
        StoreIoException write = evictor.writeFailure();
        StoreIoException failure = write == null ? evictor.syncFailure() : write;
        if (failure != null) {
            throw new StoreIoException("records can't be written to disk: " + failure.getMessage(), failure);
        }
    }

    private void noteProgress() {
        checkpoint = log.lastCheckpoint();
        lastTimeNs = log.lastTimeNs();
    }

    @Override
    public void syncSchema() {
        if (!schemaLog.isSynced()) {
            evictorGuard.check();
            schemaLog.sync();
        }
    }

    @Override
    public void writeMark(long[] durable) {
        // a mark may lag behind the newest checkpoint and time, but may refer only to what is durable
        long newest = log.lastCheckpoint();
        checkpoint = newest < durable[LogKind.TIME.index()] ? newest : checkpoint;
        evictorGuard.check();
        staging.follow(); // first, as what is durable by the mark is so by the watermarks
        mark.write(mark.written().advanced(durable, schemaLog.synced(), checkpoint, lastTimeNs));
        background.onDurable();
    }

    /** If the mark lags behind the index thread, only part of that work is repeated. */
    private void markIndexes() {
        // the changing mark shows others that this writer is alive although it lost its lock
        if (mark.lagsBehindIndexes() || tenure.lockLost()) {
            try {
                evictorGuard.check();
                mark.write(mark.written().again());
            } catch (StoreIoException e) {
                // the evictor meets the same disk, and reports it
            }
        }
    }

    @Override
    public void tick() {
        SystemClock clock = systemClock;
        if (clock != null) {
            clock.follow();
        }
        publishClock();
        tenure.renew();
        try {
            evictorGuard.check();
            retention.enforce();
            seeToStaging();
        } catch (StoreReopenedException e) {
            throw e;
        } catch (LoomException e) {
            // retried in a second, and checked again before any write
            stagingFailure = e;
        }
        markIndexes();
        StoreIoException write = evictor.writeFailure();
        StoreIoException sync = evictor.syncFailure();
        LoomException minor = stagingFailure != null ? stagingFailure : retention.failure();
        LoomException shown = write != null ? write : sync != null ? sync : minor;
        String message = shown == null ? "" : String.valueOf(shown.getMessage());
        staging.live().failures(evictor.writeFailures(), sync != null, message);
        staging.follow();
    }

    private void beginAt(long[] begins) {
        evictorGuard.check();
        mark.write(mark.written().beginningAt(begins));
        StoreLogs logs = staging.logs();
        for (LogKind kind : LogKind.values()) {
            logs.of(kind).watermarks().beginRelease(begins[kind.index()]);
        }
        staging.follow();
    }

    private void seeToStaging() {
        Staging next = staging.replaceIfDeleted(mark.written().owner());
        if (next != null) { // until the writer is there, as the mark may have been refused before
            if (!next.directory().equals(mark.written().staging())) {
                mark.write(mark.written().movedTo(next.directory()));
            }
            log.ownership().summon(this::moveStaging);
        }
        staging.copy();
        stagingFailure = null;
    }

    /** Called on the writer's thread, before its next record. */
    private void moveStaging() {
        tenure.checkKnown(); // this summons may have taken that one's place
        evictor.whilePaused(() -> {
            staging.move();
            log.moved();
            tenure.moved(staging.live());
        });
    }

    private void publishClock() {
        staging.live().beat(systemClock == null ? 0 : systemClock.aheadNs());
    }

    /** A description, whose values are read while nothing can be unmapped. */
    public StoreInfo info() {
        lease(leases);
        try {
            SessionStaging.View view = staging.view();
            return StoreDescription.of(
                    files,
                    mark.now(),
                    view.logs(),
                    view.staging(),
                    schema.current(),
                    StoreInfo.State.WRITER,
                    writerInfo(),
                    evictorFailure());
        } finally {
            leases.release();
        }
    }

    private StoreInfo.Writer writerInfo() {
        return new StoreInfo.Writer(
                Optional.ofNullable(background.indexFailure()).map(String::valueOf),
                Optional.ofNullable(background.compressionFailure()).map(String::valueOf),
                Optional.ofNullable(background.textFailure()),
                Optional.ofNullable(background.rollupFailure()).map(String::valueOf),
                Optional.ofNullable(cachedFor),
                Optional.ofNullable(retention.missed()),
                staging.moves(),
                tenure.restored(),
                tenure.lockLost(),
                tenure.fenced(),
                schema.functionFailures());
    }

    private @Nullable String evictorFailure() {
        try {
            evictor.checkAlive();
            return null;
        } catch (LoomException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /**
     * Evicts everything, makes it durable, marks the store closed, and deletes the staging. If the disk refuses, the staging stays, and
     * the next opening recovers from it. The caller becomes the writer's owner; later pushes meet a closed log.
     *
     * @throws dev.loom.error.SecondWriterException when another thread is the owner; nothing has changed then
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            log.ownership().takeToClose();
            closed = true;
        }
        // whatever fails, even for lack of memory, the locks are released
        try (tenure;
                leases;
                ownLeases;
                staging) {
            try {
                endWriting();
            } finally {
                log.close();
                lookup.close();
                staging.live().stateRelease(LiveFile.CLOSED);
            }
            staging.delete();
            settings.storage().delete(files.openPage());
            tenure.leaveNothing();
        }
    }

    private void endWriting() {
        try (evictor) {
            schema.close();
            background.close();
            log.sealWithCheckpoint();
            noteProgress();
            log.close(); // from here on nobody writes, not even a handler of progress
            evictor.force(settings.progress()::onProgress);
        }
        evictorGuard.check();
        markClosed();
    }

    private void markClosed() {
        Mark last = mark.written();
        mark.writeTwice(last.ended(
                last.epoch(), staging.logs().tails(), schemaLog.synced(), checkpoint, lastTimeNs, last.file()));
    }
}
