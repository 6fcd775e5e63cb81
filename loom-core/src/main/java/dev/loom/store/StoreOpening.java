package dev.loom.store;

import dev.loom.api.Eviction;
import dev.loom.api.StoreInfo.IndexState;
import dev.loom.compress.CompressionLibrary;
import dev.loom.error.CorruptStoreException;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreNotFoundException;
import dev.loom.filter.UnitFiles;
import dev.loom.io.FileId;
import dev.loom.io.LoomFile;
import dev.loom.io.MappedFile;
import dev.loom.io.Platform;
import dev.loom.io.ProcessId;
import dev.loom.io.ProcessId.Life;
import dev.loom.io.Storage;
import dev.loom.io.StoreThread;
import dev.loom.io.WriterLock;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.record.RecordLog;
import dev.loom.record.SourceTable;
import dev.loom.rollup.RunFiles;
import dev.loom.schema.Schema;
import dev.loom.schema.SchemaEntry;
import dev.loom.schema.SchemaEntry.RetentionSet;
import dev.loom.schema.SchemaLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens a store for writing: lock, mark, recovery if it was not closed, then a new session. If a step fails, everything
 * taken is released.
 */
public final class StoreOpening {
    static final int RECORD_RING_DEFAULT = 128 << 20;
    static final int TIME_RING_DEFAULT = 4 << 20;
    static final int CHUNK_RING_DEFAULT = 8 << 20;

    private final Settings settings;
    private final Storage storage;
    private final StoreFiles files;

    private StoreOpening(Settings settings, Path directory) {
        this.settings = settings;
        this.storage = settings.storage();
        this.files = new StoreFiles(directory);
    }

    /** Opens the store, creating or recovering it if necessary. */
    public static StoreSession open(Settings settings) {
        Platform.check();
        createDirectory(settings.storage(), settings.directory().toAbsolutePath());
        Path directory = realPath(settings.directory());
        Platform.checkShared(directory, settings.storage().fileSystemType(directory));
        StoreOpening opening = new StoreOpening(settings, directory);
        opening.checkForeign();
        WriterLock lock = WriterLock.take(opening.files.lock(), opening::owner);
        try {
            return opening.openLocked(lock);
        } catch (RuntimeException | Error e) {
            closeQuietly(lock::close, e);
            throw e;
        }
    }

    /** Creates a directory with its missing parents, and makes all their names durable. */
    private static void createDirectory(Storage storage, Path directory) {
        List<Path> parents = new ArrayList<>();
        Path missing = directory;
        while (missing != null && !Files.exists(missing)) {
            missing = missing.getParent();
            if (missing != null) {
                parents.add(missing);
            }
        }
        storage.createDirectories(directory);
        parents.forEach(storage::syncDirectory);
    }

    private static void closeQuietly(Runnable close, Throwable cause) {
        try {
            close.run();
        } catch (StoreIoException e) {
            cause.addSuppressed(e);
        }
    }

    static Path realPath(Path directory) {
        try {
            return directory.toRealPath();
        } catch (IOException e) {
            throw new StoreNotFoundException("directory can't be read: directory=" + directory + ", reason=" + e, e);
        }
    }

    /** A directory without a mark may hold only the remains of an interrupted creation. */
    private void checkForeign() {
        if (storage.exists(files.mark())) {
            return;
        }
        for (Path file : storage.list(files.directory())) {
            if (!StoreFiles.isOurs(file) && !file.getFileName().toString().equals("lost+found")) {
                throw new CorruptStoreException("directory holds other files but no store: directory="
                        + files.directory() + ", file=" + file.getFileName());
            }
        }
        if (files.hasSegments(storage)) {
            throw new CorruptStoreException("directory holds segments but no mark: directory=" + files.directory()
                    + ", file=" + files.mark().getFileName());
        }
    }

    /** The process that has the store, according to its mark, which may lag behind the lock for a moment. */
    private WriterLock.Holder owner() {
        Mark.Owner owner = Mark.Owner.NONE;
        for (int i = 0; i < 100 && owner.life() == Life.DEAD; i++) {
            try {
                owner = new MarkFile(storage, files.mark()).read().owner();
            } catch (RuntimeException e) {
                owner = Mark.Owner.NONE;
            }
            if (owner.life() == Life.DEAD) {
                StoreThread.pause(10_000_000);
            }
        }
        boolean known = owner.life() != Life.DEAD;
        return known ? new WriterLock.Holder(owner.pidHere(), owner.text()) : WriterLock.Holder.UNKNOWN;
    }

    private StoreSession openLocked(WriterLock lock) {
        storage.createDirectories(files.claims());
        Mark.Owner owner = new Mark.Owner(ProcessId.current(), Platform.bootId(), host());
        long nonce = new SecureRandom().nextLong() | 1;
        Claim claim = Claim.announce(files.claims(), nonce, owner, settings.staging());
        Tenure tenure = new Tenure(files, storage, lock, claim);
        try {
            Rivals rivals = new Rivals(files, storage, claim);
            rivals.refuse(creationEnded() ? new MarkFile(storage, files.mark()).read() : null);
            // a power cut during creation may leave a mark without folders
            for (LogKind kind : LogKind.values()) {
                storage.createDirectories(files.folder(kind));
            }
            Mark mark = creationEnded() ? HeldSegments.check(files, storage, readMark()) : create();
            LogEnds.refuseEarlier(files, storage, mark);
            mark = settings.compressAfter() == null ? mark : mark.withCompression();
            if (mark.compressed()) {
                CompressionLibrary.check(files.directory());
            }
            Recovery recovery = null;
            if (!mark.closed()) {
                recovery = recover(mark, rivals);
                mark = recovery.mark();
            }
            OpeningResult opened = prepare(tenure, rivals, mark, recovery, owner, nonce);
            return begin(opened, rivals);
        } catch (RuntimeException | Error e) {
            closeQuietly(tenure::close, e);
            throw e;
        }
    }

    /** Begins the session that the mark names. If that fails its staging stays for the next opening, but not this process's hold of it. */
    private static StoreSession begin(OpeningResult opened, Rivals rivals) {
        try {
            rivals.forget();
            return new StoreSession(opened);
        } catch (RuntimeException | Error e) {
            closeQuietly(opened.staging()::release, e);
            opened.staging().unmap();
            throw e;
        }
    }

    /** A repair goes on with one slot of it. */
    private Mark readMark() {
        MarkFile file = new MarkFile(storage, files.mark());
        return settings.repair() == null ? file.readWhole() : file.read();
    }

    /**
     * Whether there is a valid mark. A writer that was killed or met a full disk while it created the store leaves a
     * mark whose second slot is empty. Nothing else exists then, and the store is created again.
     */
    private boolean creationEnded() {
        return storage.exists(files.mark())
                && (storage.exists(files.schema())
                        || files.hasSegments(storage)
                        || !new MarkFile(storage, files.mark()).unfinished());
    }

    private Mark create() {
        long storeId = new SecureRandom().nextLong() | 1;
        long segmentLength = Limits.segmentLength(settings, files.directory());
        Limits.requireFit(settings, segmentLength); // before there is a store that has this length for good
        List<LogMark> logs = List.of(
                new LogMark(RECORD_RING_DEFAULT, RECORD_RING_DEFAULT, 0, 0),
                new LogMark(TIME_RING_DEFAULT, TIME_RING_DEFAULT, 0, 0),
                new LogMark(CHUNK_RING_DEFAULT, CHUNK_RING_DEFAULT, 0, 0));
        Mark mark = new Mark(
                0,
                new Mark.Identity(storeId, segmentLength, FileId.NONE, MarkFile.MINOR, false),
                Mark.Session.NONE,
                new Mark.Contents(logs, 0, -1, Long.MIN_VALUE),
                Rebuild.NONE,
                IndexState.WHOLE);
        mark = new MarkFile(storage, files.mark()).create(mark);
        storage.syncDirectory(files.directory());
        return mark;
    }

    private Recovery recover(Mark mark, Rivals rivals) {
        if (settings.adoptCopy() && Copies.isAdoptable(files, storage, mark)) {
            return recoverFrom(fence(mark.adopted(), null), null);
        }
        Copies.check(files, storage, mark);
        Staging staging = Staging.openTrusted(storage, mark, Platform.bootId());
        try {
            rivals.refuse(mark, staging);
            boolean borneOut = staging != null && HeldSegments.bearOut(files, storage, mark, staging.live());
            Staging trusted = borneOut ? staging : null;
            return recoverFrom(fence(mark, trusted), trusted);
        } finally {
            if (staging != null) {
                staging.unmap(); // the next session's may need the room
            }
        }
    }

    private Recovery recoverFrom(Mark mark, @Nullable Staging staging) {
        files.runs(storage).deleteAll(mark.begin(LogKind.RECORD)); // they are synced at closing alone
        Repair repair = settings.repair();
        LogEnds ends = repair == null || staging != null ? null : repair.beforeCut(files, storage, mark);
        // what a kill left may be all the room that there is
        UnreferencedFiles.deleteSegments(files, storage, mark);
        Compression.deleteTemporary(files, storage);
        files.text(storage).prepare(mark.begin(LogKind.RECORD), Long.MAX_VALUE); // the log's end is not known yet
        if (repair == null) {
            return RecoveryRoom.recover(settings, files, mark, staging);
        }
        return ends == null
                ? Recovery.run(settings, files, mark, staging)
                : Recovery.cut(files, storage, mark, ends); // no more than was set aside
    }

    /** A writer that is still alive, against all signs, is told to stop before anything changes. */
    private Mark fence(Mark mark, @Nullable Staging staging) {
        if (staging != null) {
            staging.fence(storage);
        }
        Mark taken = mark.takenOver();
        new MarkFile(storage, files.mark()).write(taken);
        return taken;
    }

    private OpeningResult prepare(
            Tenure tenure, Rivals rivals, Mark ended, @Nullable Recovery recovery, Mark.Owner owner, long nonce) {
        SchemaLog.Content content = SchemaLog.read(storage, files.schema(), ended.storeId());
        Schema schema = Schema.of(content.entries(), settings.classLoader()).supply(settings.indexFunctions());
        IndexRecovery indexes = new IndexRecovery(settings, files, schema);
        Repair repair = settings.repair();
        boolean rebuild = repair != null && repair.beforeIndexes(files, storage, ended);
        Mark closed = indexes.run(ended, recovery != null, rebuild);
        UnreferencedFiles.deleteSegments(files, storage, closed); // staging may need the room
        Compression.deleteTemporary(files, storage);
        SourceTable table = indexes.sourceTable(closed);
        int sources = SessionSchema.writerSources(schema, table).count();
        Rings wanted = new Rings(
                or(settings.recordRingLength(), closed.ringWanted(LogKind.RECORD)),
                timeRing(closed, sources),
                or(settings.chunkRingLength(), closed.ringWanted(LogKind.CHUNK)));
        checkIndexes(schema, wanted.time());
        checkSources(sources, wanted.time());
        storage.delete(files.openPage());
        StagingPlaces places = new StagingPlaces(storage, settings.staging(), files.staging());
        places.deleteStale(closed, rivals.killed());
        places.deleteOrphans();
        StoreLogs logs = StoreLogs.files(files, storage, closed, closed.ends());
        boolean cached = settings.eviction() == Eviction.PAGE_CACHE;
        String cachedFor = cached ? null : tryDirect();
        Staging staging = places.create(
                new Staging.Request(closed.storeId(), nonce, closed.epoch(), owner, StoreHome.of(files)),
                wanted.andSmaller(settings.recordRingLength() != null, settings.chunkRingLength() != null));
        OpeningResult opened;
        try {
            SchemaLog schemaLog = SchemaLog.open(storage, files.schema(), closed.storeId(), content);
            List<SchemaEntry> undefined = schema.entriesOfLost(table.totals().keySet());
            undefined.forEach(schemaLog::append);
            schema = schema.with(undefined);
            boolean isNew = content.entries().isEmpty() && closed.durable(LogKind.RECORD) == 0;
            RetentionSet limits =
                    Limits.of(settings, files.directory(), schema.retention(), isNew, closed.segmentLength());
            if (!limits.equals(schema.retention())) {
                schemaLog.append(limits);
                schema = schema.with(limits);
            }
            UnitFiles text = files.text(storage, settings.textIndex().cacheBytes());
            text.prepare(closed.begin(LogKind.RECORD), closed.durable(LogKind.RECORD));
            if (repair != null) {
                text.deleteFrom(repair.unsoundText());
            }
            RunFiles runs = files.runs(storage);
            runs.prepare(closed.begin(LogKind.RECORD), closed.durable(LogKind.RECORD));
            if (repair != null) {
                runs.deleteAll(closed.begin(LogKind.RECORD));
            }
            Mark mark = closed.owned(
                    owner,
                    nonce,
                    staging.directory(),
                    staging.lengths(),
                    wanted,
                    indexes.state(),
                    FileId.of(files.mark()));
            storage.syncDirectory(files.directory());
            opened = new OpeningResult(
                    settings,
                    files,
                    tenure,
                    mark,
                    staging,
                    logs,
                    schemaLog,
                    schema,
                    table,
                    recovery,
                    indexes.unchecked(),
                    !cached && cachedFor == null,
                    cachedFor,
                    text,
                    runs);
            // from here on readers, and a recovery after a kill, rely on the staging
            staging.live().begin(mark, table);
            tenure.leaveTraces(); // even a mark whose sync fails may name the session
            new MarkFile(storage, files.mark()).write(mark);
            tenure.begin(mark, staging.live());
        } catch (RuntimeException | Error e) {
            staging.unmap();
            staging.delete(storage);
            throw e;
        }
        return opened;
    }

    /** A store that had a larger ring may have more indexes than a directory can list with this one. */
    private static void checkIndexes(Schema schema, int timeRingLength) {
        int max = RecordLog.indexesMax(timeRingLength);
        if (schema.openIndexes() > max) {
            throw new IllegalArgumentException("time ring too small for the open indexes: bytes=" + timeRingLength
                    + ", indexes=" + schema.openIndexes() + ", max=" + max
                    + "; open the store with a larger one and close indexes");
        }
    }

    /** A store that had a larger ring may have had more sources than a checkpoint can list with this one. */
    private static void checkSources(int sources, int timeRingLength) {
        int max = RecordLog.sourcesMax(timeRingLength);
        if (sources > max) {
            throw new IllegalArgumentException("time ring too small for the store's sources: bytes=" + timeRingLength
                    + ", sources=" + sources + ", max=" + max + "; open the store with a larger one");
        }
    }

    /** The length configured, or the last session's, or a longer one for a store that earlier versions gave more sources than fit with that. */
    private int timeRing(Mark closed, int sources) {
        if (settings.timeRingLength() != null) {
            return settings.timeRingLength();
        }
        int length = closed.ringWanted(LogKind.TIME);
        while (length < TIME_RING_DEFAULT && sources > RecordLog.sourcesMax(length)) {
            length *= 2;
        }
        return length;
    }

    private static int or(@Nullable Integer asked, int stored) {
        return asked == null ? stored : asked;
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }

    /**
     * Decides whether the record log bypasses the page cache: as configured, or if the file system supports it. If a
     * trial is impossible, it does not, because a write refused later would be refused for ever.
     *
     * @return why it does not although it should, or null
     */
    private @Nullable String tryDirect() {
        Path trial = files.folder(LogKind.RECORD).resolve("direct.trial");
        try (LoomFile file = storage.openToWrite(trial, true)) {
            tryDirect(file, trial);
            return null;
        } catch (StoreIoException e) {
            if (settings.eviction() == Eviction.DIRECT) {
                throw e;
            }
            return "direct I/O can't be used or tested: " + e.getMessage();
        } finally {
            storage.delete(trial);
        }
    }

    /** A write that also fails through the page cache, as on a full disk, says nothing against direct I/O. */
    private void tryDirect(LoomFile direct, Path trial) {
        try {
            writePage(direct);
        } catch (StoreIoException e) {
            try (LoomFile cached = storage.openToWrite(trial, false)) {
                writePage(cached);
                cached.force();
            } catch (StoreIoException same) {
                return;
            }
            throw e;
        }
    }

    /** A ring lies at a page of memory, so the trial's buffer must not lie better. */
    private static void writePage(LoomFile file) {
        int length = PageDescriptor.PAGE_LENGTH;
        ByteBuffer aligned = ByteBuffer.allocateDirect(3 * length).alignedSlice(length);
        file.write(aligned.limit(MappedFile.MEMORY_PAGE + length).position(MappedFile.MEMORY_PAGE), 0);
    }
}
