package dev.loom.store;

import dev.loom.api.Eviction;
import dev.loom.error.CopiedStoreException;
import dev.loom.error.ForeignFileException;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreNotFoundException;
import dev.loom.io.FileId;
import dev.loom.io.LoomFile;
import dev.loom.io.Platform;
import dev.loom.io.Storage;
import dev.loom.io.WriterLock;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.record.SourceTable;
import dev.loom.schema.Schema;
import dev.loom.schema.SchemaEntry;
import dev.loom.schema.SchemaLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Opens a store for writing: lock, mark, recovery if it was not closed, then a new session. Whatever fails on the way, what
 * was taken is given back.
 */
public final class StoreOpening {
    static final int RECORD_RING_DEFAULT = 128 << 20;
    static final int TIME_RING_DEFAULT = 4 << 20;
    static final int CHUNK_RING_DEFAULT = 8 << 20;
    static final long SEGMENT_DEFAULT = 1L << 30;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Settings settings;
    private final Storage storage;
    private final StoreFiles files;

    private StoreOpening(Settings settings, Path directory) {
        this.settings = settings;
        this.storage = settings.storage();
        this.files = new StoreFiles(directory);
    }

    /** Opens, creating or recovering the store. */
    public static StoreSession open(Settings settings) {
        Platform.check();
        boolean made = !Files.exists(settings.directory());
        settings.storage().createDirectories(settings.directory());
        Path directory = realPath(settings.directory());
        Path parent = directory.getParent();
        if (made && parent != null) {
            settings.storage().syncDirectory(parent);
        }
        Platform.checkFileSystem(directory);
        StoreOpening opening = new StoreOpening(settings, directory);
        opening.checkForeign();
        opening.createLockFile();
        WriterLock lock = WriterLock.take(opening.files.lock(), opening::ownerPid);
        try {
            return opening.openLocked(lock);
        } catch (RuntimeException | Error e) {
            closeQuietly(lock, e);
            throw e;
        }
    }

    private static void closeQuietly(WriterLock lock, Throwable cause) {
        try {
            lock.close();
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

    /** A directory without a mark must hold nothing but what an interrupted creation leaves. */
    private void checkForeign() {
        if (storage.exists(files.mark())) {
            return;
        }
        for (Path file : storage.list(files.directory())) {
            if (!StoreFiles.isOurs(file) && !file.getFileName().toString().equals("lost+found")) {
                throw new ForeignFileException("directory holds other files and no store: directory="
                        + files.directory() + ", file=" + file.getFileName());
            }
        }
        if (files.hasSegments(storage)) {
            throw new ForeignFileException("directory holds segments and no mark: directory=" + files.directory()
                    + ", file=" + files.mark().getFileName());
        }
    }

    /**
     * Opens the lock's file only if it makes it: closing a second descriptor would drop a lock that is held. The monitor is
     * one for all class loaders, so that nobody in this process locks the file between its making and its closing.
     */
    private void createLockFile() {
        synchronized (System.getProperties()) {
            if (!storage.exists(files.lock())) {
                storage.openToWrite(files.lock(), false).close();
            }
        }
    }

    /** The process that has the store, as its mark says; the mark may lag behind the lock for a moment. */
    private long ownerPid() {
        long pid = -1;
        for (int i = 0; i < 100 && pid < 0; i++) {
            try {
                Mark.Owner owner = new MarkFile(storage, files.mark()).read().owner();
                pid = isAlive(owner) ? owner.pid() : -1;
            } catch (RuntimeException e) {
                pid = -1;
            }
            if (pid < 0) {
                LockSupport.parkNanos(10_000_000);
            }
        }
        return pid;
    }

    static boolean isAlive(Mark.Owner owner) {
        return owner.pid() > 0
                && owner.bootId().equals(Platform.bootId())
                && Platform.startTimeMs(owner.pid()) == owner.startTimeMs();
    }

    private StoreSession openLocked(WriterLock lock) {
        // of a store that was being made when the power was cut, there may be a mark and no folders
        for (LogKind kind : LogKind.values()) {
            storage.createDirectories(files.folder(kind));
        }
        Mark mark = creationEnded() ? new MarkFile(storage, files.mark()).read() : create();
        Recovery recovery = null;
        if (!mark.closed()) {
            recovery = recover(mark);
            mark = recovery.mark();
        }
        return startSession(lock, mark, recovery);
    }

    /**
     * Whether there is a mark that counts. A writer that was killed, or met a full disk, while it made the store has left one
     * whose second slot is empty; there is nothing else then, and the store is made anew.
     */
    private boolean creationEnded() {
        return storage.exists(files.mark())
                && (storage.exists(files.schema())
                        || files.hasSegments(storage)
                        || !new MarkFile(storage, files.mark()).unfinished());
    }

    private Mark create() {
        long storeId = RANDOM.nextLong() | 1;
        long segmentLength = settings.segmentLength() == null ? SEGMENT_DEFAULT : settings.segmentLength();
        Mark mark = new Mark(
                0,
                storeId,
                0,
                true,
                Mark.Owner.NONE,
                0,
                Path.of(""),
                segmentLength,
                List.of(
                        new LogMark(RECORD_RING_DEFAULT, 0, 0),
                        new LogMark(TIME_RING_DEFAULT, 0, 0),
                        new LogMark(CHUNK_RING_DEFAULT, 0, 0)),
                0,
                -1,
                Long.MIN_VALUE,
                Rebuild.NONE,
                IndexState.WHOLE,
                FileId.NONE);
        mark = new MarkFile(storage, files.mark()).writeTwice(mark);
        storage.syncDirectory(files.directory());
        return mark;
    }

    private Recovery recover(Mark mark) {
        Staging staging = null;
        if (mark.copied(FileId.of(files.mark()), Platform.bootId())) {
            if (!settings.adoptCopy()) {
                throw new CopiedStoreException("store was copied while it was written: directory=" + files.directory()
                        + ", staging of the original=" + mark.staging()
                        + "; adopt the copy to go on with what it holds");
            }
        } else {
            staging = Staging.openTrusted(storage, mark, Platform.bootId());
        }
        return Recovery.run(files, storage, mark, staging);
    }

    private StoreSession startSession(WriterLock lock, Mark ended, @Nullable Recovery recovery) {
        SchemaLog.Content content = SchemaLog.read(storage, files.schema(), ended.storeId());
        Schema schema = Schema.EMPTY.with(content.entries()).supply(settings.indexFunctions());
        IndexRecovery indexes = new IndexRecovery(settings, files, schema);
        Mark closed = indexes.run(ended, recovery != null);
        List<Integer> rings = List.of(
                or(settings.recordRingLength(), closed.ringLength(LogKind.RECORD)),
                or(settings.timeRingLength(), closed.ringLength(LogKind.TIME)),
                or(settings.chunkRingLength(), closed.ringLength(LogKind.CHUNK)));
        long nonce = RANDOM.nextLong() | 1;
        Staging.deleteStale(storage, closed);
        StoreLogs logs = StoreLogs.files(files, storage, closed, closed.ends(), false);
        SourceTable table = indexes.sourceTable(closed);
        table.lost().putAll(indexes.lost());
        boolean direct = direct();
        Staging staging = Staging.create(
                storage,
                new Staging.Request(
                        settings.staging(), files.staging(), closed.storeId(), nonce, closed.epoch(), rings));
        StoreSession.Opened opened;
        try {
            SchemaLog schemaLog = SchemaLog.open(storage, files.schema(), closed.storeId(), content);
            List<SchemaEntry> undefined = schema.entriesOfLost(table.totals().keySet());
            undefined.forEach(schemaLog::append);
            schema = schema.with(undefined);
            Mark.Owner owner =
                    new Mark.Owner(Platform.pid(), Platform.startTimeMs(Platform.pid()), Platform.bootId(), host());
            Mark mark =
                    closed.owned(owner, nonce, staging.directory(), rings, indexes.state(), FileId.of(files.mark()));
            storage.syncDirectory(files.directory());
            opened = new StoreSession.Opened(
                    settings,
                    files,
                    lock,
                    mark,
                    staging,
                    logs,
                    schemaLog,
                    schema,
                    table,
                    recovery,
                    indexes.unchecked(),
                    direct);
            // from here on readers, and a recovery after a kill, go by the staging
            staging.live().begin(mark, table);
            new MarkFile(storage, files.mark()).write(mark);
        } catch (RuntimeException | Error e) {
            staging.unmap();
            Staging.delete(storage, staging.directory());
            throw e;
        }
        return new StoreSession(opened);
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

    /** Whether the record log goes past the page cache: as asked, or where a trial write succeeds. */
    private boolean direct() {
        if (settings.eviction() == Eviction.PAGE_CACHE) {
            return false;
        }
        Path trial = files.folder(LogKind.RECORD).resolve("direct.trial");
        try (LoomFile file = storage.openToWrite(trial, true)) {
            int length = PageDescriptor.PAGE_LENGTH;
            file.write(
                    ByteBuffer.allocateDirect(2 * length).alignedSlice(length).limit(length), 0);
            return true;
        } catch (StoreIoException e) {
            if (settings.eviction() == Eviction.DIRECT) {
                throw e;
            }
            return false;
        } finally {
            storage.delete(trial);
        }
    }
}
