package dev.loom.store;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.StoreInfo;
import dev.loom.compress.CompressionLibrary;
import dev.loom.error.CorruptStoreException;
import dev.loom.error.LoomException;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreNotFoundException;
import dev.loom.error.StoreReopenedException;
import dev.loom.filter.FilterCache;
import dev.loom.filter.UnitFiles;
import dev.loom.io.LenientStorage;
import dev.loom.io.LenientStorage.Unread;
import dev.loom.io.LoomFile;
import dev.loom.io.Platform;
import dev.loom.io.Storage;
import dev.loom.io.StoreThread;
import dev.loom.log.LogKind;
import dev.loom.record.LossSlots;
import dev.loom.record.SourceSlots;
import dev.loom.record.SourceTable;
import dev.loom.schema.Schema;
import dev.loom.schema.SchemaEntry;
import dev.loom.schema.SchemaLog;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store attached read-only, in one of three states: live, through the mappings of a session in another process (or
 * this one); dead, through those of a killed process; or at rest, from its files alone. Writes nothing. Thread-safe.
 */
public final class AttachedStore implements AutoCloseable {
    private static final int TRIES = 300;
    private static final long TRY_NS = 10_000_000;

    private final StoreFiles files;
    private final Storage storage;
    private final Mark mark;
    private final @Nullable Staging staging;
    private final StoreLogs logs;
    private final SourceSlots slots;
    private final LossSlots losses;
    private final Leases leases;
    private final List<Unread> unread;

    private final @Nullable ClassLoader formats;
    private Schema schema = Schema.EMPTY;
    private long schemaLength = -1;

    private AttachedStore(
            StoreFiles files,
            Storage storage,
            Mark mark,
            @Nullable Staging staging,
            @Nullable ClassLoader formats,
            UnitFiles text) {
        this.files = files;
        this.storage = storage;
        this.mark = mark;
        this.staging = staging;
        this.formats = formats;
        if (staging != null) {
            this.logs = StoreLogs.live(files, storage, mark, staging).with(text);
            this.slots = staging.live().slots();
            this.losses = staging.live().losses();
            this.leases = new Leases(staging::unmap);
            this.unread = List.of();
        } else {
            LenientStorage lenient = LenientStorage.of(storage, files.mark());
            LogEnds ends = mark.closed() ? LogEnds.of(mark) : LogEnds.find(files, lenient, mark);
            this.unread = mark.closed() ? List.of() : ends.unread(files, lenient, mark);
            StoreLogs atRest =
                    StoreLogs.files(files, storage, mark, ends.byKind()).with(text);
            StoreLogs whole = ends.openPage() == null ? atRest : atRest.with(ends.openPage());
            this.logs = unread.isEmpty() ? whole : whole.withDamagedPage();
            long recordTail = logs.records().watermarks().tailAcquire();
            SourceTable table = SourceTable.load(
                    logs.records(),
                    logs.times(),
                    ends.timeEnd(),
                    mark.begin(LogKind.RECORD),
                    recordTail,
                    mark.checkpoint(),
                    schema(SchemaLog.read(storage, files.schema(), mark.storeId())
                                    .entries())
                            .withRecords(),
                    false);
            table.countLost(recordTail);
            this.slots = table.slots();
            this.losses = table.losses();
            this.leases = new Leases(() -> {});
        }
    }

    /** Attaches to the store in a directory, with the formats that the calling thread's context class loader finds. */
    public static AttachedStore attach(Path directory, Storage storage) {
        return attach(directory, storage, Thread.currentThread().getContextClassLoader(), FilterCache.BYTES_DEFAULT);
    }

    /**
     * Attaches to the store in a directory, with the formats that a class loader finds.
     *
     * @param textCacheBytes for what searches read of the text index
     */
    public static AttachedStore attach(
            Path directory, Storage storage, @Nullable ClassLoader formats, long textCacheBytes) {
        Platform.check();
        if (!storage.exists(directory)) {
            throw new StoreNotFoundException("no such directory: directory=" + directory);
        }
        StoreFiles files = new StoreFiles(StoreOpening.realPath(directory));
        if (!storage.exists(files.mark())) {
            throw new StoreNotFoundException(
                    (files.hasSegments(storage) ? "directory holds segments but no mark" : "no store in directory")
                            + ": directory=" + directory);
        }
        Platform.checkShared(files.directory(), storage.fileSystemType(files.directory()));
        for (int i = 0; ; i++) {
            Mark mark = new MarkFile(storage, files.mark()).read();
            Copies.check(files, storage, mark);
            if (mark.compressed()) {
                CompressionLibrary.check(files.directory());
            }
            mark = HeldSegments.check(files, storage, mark);
            Staging staging = Staging.openTrusted(storage, mark, Platform.bootId());
            if (staging != null && !HeldSegments.bearOut(files, storage, mark, staging.live())) {
                staging.unmap();
                staging = null;
            }
            boolean changing = staging == null && !mark.closed() && Rivals.alive(files, mark);
            if (!changing && staging == null) {
                try {
                    LogEnds.refuseEarlier(files, storage, mark);
                } catch (CorruptStoreException e) {
                    // a writer may have opened the store since its mark was read
                    changing = new MarkFile(storage, files.mark()).read().sequence() != mark.sequence();
                    if (!changing) {
                        throw e;
                    }
                }
            }
            if (!changing) {
                return new AttachedStore(files, storage, mark, staging, formats, files.text(storage, textCacheBytes));
            }
            if (i == TRIES) {
                throw new StoreIoException("the store's writer is alive but its staging is not reachable: directory="
                        + files.directory() + ", staging=" + mark.staging() + ", "
                        + mark.owner().text());
            }
            // its owner is opening or closing it, or recreating deleted staging, which it notices within a second
            StoreThread.pause(TRY_NS);
        }
    }

    /** Whether the writer is alive and has not closed the store. */
    boolean live() {
        Staging current = staging;
        return current != null && current.live().stateAcquire() == LiveFile.OPEN && Rivals.alive(files, mark);
    }

    /**
     * As {@link dev.loom.api.Store#snapshot()}.
     *
     * @throws StoreReopenedException when another session has begun since attaching, or the store was recovered
     */
    public Snapshot snapshot() {
        lease();
        try {
            checkSession();
            Snapshot snapshot = StoreSnapshot.take(logs, slots, losses, this::schema, live(), leases);
            checkInPlace();
            return snapshot;
        } catch (RuntimeException | Error e) {
            leases.release();
            throw e;
        }
    }

    /** Whether another session has begun since attaching, or the store was recovered. */
    boolean reopened() {
        try {
            checkSession();
            return false;
        } catch (StoreReopenedException e) {
            return true;
        }
    }

    /** A recovered store has the nonce of the killed session, whose deleted rings keep their memory for as long as they are mapped. */
    private void checkSession() {
        Mark now = new MarkFile(storage, files.mark()).read();
        boolean same = now.storeId() == mark.storeId()
                && now.sessionNonce() == mark.sessionNonce()
                && now.epoch() == mark.epoch();
        if (!same) {
            throw new StoreReopenedException("store was reopened since it was attached: directory=" + files.directory()
                    + ", epoch then=" + mark.epoch() + ", now=" + now.epoch());
        }
    }

    /** What was read before is complete as of then, unless the writer has moved elsewhere by now. */
    private void checkInPlace() {
        Staging current = staging;
        if (current != null && current.live().stateAcquire() == LiveFile.MOVED) {
            throw new StoreReopenedException(
                    "staging was deleted and recreated since the store was attached: directory=" + files.directory()
                            + ", staging=" + current.directory());
        }
    }

    /** Keeps the mappings for a call, which ends with {@code leases.release()}. */
    private void lease() {
        if (!leases.acquire()) {
            throw new IllegalStateException("store is closed: directory=" + files.directory());
        }
    }

    private <T> T leased(Supplier<T> call) {
        lease();
        try {
            return call.get();
        } finally {
            leases.release();
        }
    }

    /**
     * The schema as its file is now, with entries for definitions lost to damage. Requires a lease, because the
     * sources' slots show which are lost.
     */
    private synchronized Schema schema() {
        long length = length(files.schema());
        if (length < 0 || length != schemaLength) { // of a file that can't be looked at, reading says why
            SchemaLog.Content content = SchemaLog.read(storage, files.schema(), mark.storeId());
            schema = schema(content.entries());
            if (!content.damaged().isEmpty() || content.end() < mark.schemaDurable()) {
                schema = schema.with(schema.entriesOfLost(slots.listed()));
            }
            schemaLength = length;
        }
        return schema;
    }

    /** The schema of some entries, with the formats of this. */
    Schema schema(List<SchemaEntry> entries) {
        return Schema.of(entries, formats);
    }

    private long length(Path file) {
        try {
            if (!storage.exists(file)) {
                return 0;
            }
            try (LoomFile open = storage.openToRead(file)) {
                return open.size();
            }
        } catch (StoreIoException e) {
            return -1;
        }
    }

    /** What the disk did not deliver of what may have followed in the record log, in place of which there is a damaged page. */
    List<Unread> unread() {
        return unread;
    }

    StoreFiles files() {
        return files;
    }

    StoreLogs logs() {
        return logs;
    }

    Mark mark() {
        return mark;
    }

    public List<Source> sources() {
        return leased(() -> schema().sources());
    }

    public Optional<Source> source(String name) {
        return leased(() -> schema().source(name));
    }

    public List<Index> indexes() {
        return leased(() -> schema().indexes());
    }

    /** A description, whose values are read under a lease. */
    public StoreInfo info() {
        return leased(this::describe);
    }

    private StoreInfo describe() {
        Mark last = lastMark();
        Staging current = last.closed() ? null : staging;
        return StoreDescription.of(files, last, logs, current, schema(), state(last, current), null, null);
    }

    /** The mark with which the session that this is attached to has closed the store, if it has. */
    private Mark lastMark() {
        if (staging == null || live()) {
            return mark;
        }
        try {
            Mark now = new MarkFile(storage, files.mark()).read();
            boolean same = now.storeId() == mark.storeId() && now.sessionNonce() == mark.sessionNonce();
            return same && now.closed() ? now : mark;
        } catch (LoomException e) {
            return mark;
        }
    }

    private StoreInfo.State state(Mark last, @Nullable Staging current) {
        if (current != null) {
            return live() ? StoreInfo.State.LIVE : StoreInfo.State.DEAD;
        }
        return last.closed() ? StoreInfo.State.CLOSED : StoreInfo.State.UNRECOVERED;
    }

    /** Open snapshots and cursors keep the mappings. Idempotent. */
    @Override
    public void close() {
        leases.close();
    }
}
