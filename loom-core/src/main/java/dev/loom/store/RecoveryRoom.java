package dev.loom.store;

import dev.loom.error.LoomException;
import dev.loom.error.StoreIoException;
import dev.loom.filter.UnitFiles;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.schema.SchemaEntry;
import dev.loom.schema.SchemaEntry.RetentionSet;
import dev.loom.schema.SchemaLog;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Room for a recovery whose disk is full: what the store's limits let go of. A session frees it as it goes on, but there is none before
 * the rings are written to the disk. Below the mark's durable ends all is at rest and has its checkpoints, so retention needs no session; what only
 * the rings hold is newer, and stays.
 */
final class RecoveryRoom {
    /** What deleting has freed, by store: attempts follow one another, and what one has found out holds for the next. */
    private static final Map<Path, FreedSpace> FREED = new ConcurrentHashMap<>();

    private final StoreFiles files;
    private final Storage storage;
    private final @Nullable Staging staging;
    private final StoreLogs logs;
    private final Retention retention;
    private Mark mark;

    private RecoveryRoom(Settings settings, StoreFiles files, Mark mark, @Nullable Staging staging) {
        this.files = files;
        this.storage = settings.storage();
        this.mark = mark;
        this.staging = staging;
        this.logs = StoreLogs.files(files, storage, mark, mark.ends());
        RetentionSet stored = null;
        for (SchemaEntry entry :
                SchemaLog.read(storage, files.schema(), mark.storeId()).entries()) {
            stored = entry instanceof RetentionSet set ? set : stored;
        }
        UnitFiles text = files.text(storage);
        text.recount();
        LongSupplier clock = settings.clock();
        this.retention = new Retention(
                Limits.of(settings, files.directory(), stored, false, mark.segmentLength()),
                storage,
                files.directory(),
                () -> this.mark,
                () -> logs,
                clock == null ? new SystemClock(mark.lastTimeNs())::trustedNs : new ProgramClock(clock),
                this::beginAt,
                Savings.of(files, storage, mark),
                text,
                files.runs(storage),
                FREED.computeIfAbsent(files.directory(), directory -> new FreedSpace()));
    }

    /** Recovers a store, again for as long as it fails and there is something to delete. */
    static Recovery recover(Settings settings, StoreFiles files, Mark mark, @Nullable Staging staging) {
        RecoveryRoom room = null;
        while (true) {
            try {
                Recovery recovery = Recovery.run(settings, files, room == null ? mark : room.mark, staging);
                FREED.remove(files.directory());
                return recovery;
            } catch (StoreIoException e) {
                room = room == null ? roomFor(e, settings, files, mark, staging) : room;
                if (!room.grows() && !room.retention.awaitSettled()) {
                    throw e;
                }
            }
        }
    }

    /** Fails as the recovery did if a schema or folder can't be read. */
    private static RecoveryRoom roomFor(
            StoreIoException full, Settings settings, StoreFiles files, Mark mark, @Nullable Staging staging) {
        try {
            return new RecoveryRoom(settings, files, mark, staging);
        } catch (LoomException e) {
            full.addSuppressed(e);
            throw full;
        }
    }

    /** Whether a step of retention has deleted something. */
    private boolean grows() {
        long begin = mark.begin(LogKind.RECORD);
        retention.enforce();
        return mark.begin(LogKind.RECORD) > begin;
    }

    /** As a session does: mark, watermarks, and then the files. */
    private void beginAt(long[] begins) {
        Mark next = mark.beginningAt(begins);
        new MarkFile(storage, files.mark()).write(next);
        mark = next;
        for (LogKind kind : LogKind.values()) {
            logs.of(kind).watermarks().beginRelease(begins[kind.index()]);
        }
        if (staging != null) {
            staging.beginAt(storage, begins);
        }
    }
}
