package dev.loom.store;

import dev.loom.api.ProgressHandler;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.FilePart;
import dev.loom.log.LogKind;
import dev.loom.log.Segments;
import dev.loom.schema.SchemaLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * What a repair does while a store is being opened: it sets aside what opening, or rebuilding the indexes, would otherwise
 * delete, and what is damaged for good. Every step is repeatable. For one thread, which has the store to itself.
 */
public final class Repair {
    private static final long TO_END = FilePart.TO_END;

    private final Path requested;
    private final Handler handler;
    private final ProgressHandler progress;
    private @Nullable Path directory;
    private boolean rebuilds;
    private final Set<Path> unsoundText = new HashSet<>();

    /** Receives each thing that was set aside. */
    public interface Handler {
        /**
         * Called once it is durable.
         *
         * @param copy null if there was nothing to copy
         */
        void onSetAside(Path file, long offset, String reason, @Nullable Path copy);
    }

    /** @param progress of the verification */
    public Repair(Path store, Handler handler, ProgressHandler progress) {
        this.requested = store;
        this.handler = handler;
        this.progress = progress;
    }

    /** Where things were set aside, or null if nothing was. */
    public @Nullable Path directory() {
        return directory;
    }

    /** Whether the indexes were found wrong, and are rebuilt. */
    public boolean rebuilds() {
        return rebuilds;
    }

    /** The files of the text index that are to be built again. */
    Set<Path> unsoundText() {
        return unsoundText;
    }

    /**
     * Sets aside the records and schema entries that recovery will cut off, and copies of records that it can't read.
     *
     * @return where recovery cuts
     */
    LogEnds beforeCut(StoreFiles files, Storage storage, Mark mark) {
        SetAside aside = new SetAside(storage, files.directory(), handler::onSetAside);
        LogEnds ends = LogEnds.find(files, storage, mark);
        long end = ends.recordEnd();
        for (Path file : storage.list(files.folder(LogKind.RECORD))) {
            long first = Segments.firstOf(file);
            boolean deleted = isDeleted(file, mark, LogKind.RECORD);
            if (first >= 0 && !deleted && !Files.isDirectory(file) && size(storage, file) > Math.max(0, end - first)) {
                long from = Math.max(0, end - first);
                aside.copy(
                        Damage.AFTER_END,
                        file,
                        from,
                        from,
                        TO_END,
                        "recovery ends the record log here: address=" + end);
            }
        }
        if (storage.exists(files.schema())
                && !SchemaLog.read(storage, files.schema(), mark.storeId())
                        .damaged()
                        .isEmpty()) {
            aside.copy(Damage.SCHEMA, files.schema(), 0, 0, TO_END, "the schema has damaged entries");
        }
        if (OpenPageFile.isDamaged(files, storage, mark)) {
            aside.copy(Damage.OPEN_PAGE, files.openPage(), 0, 0, TO_END, "neither copy of the last page is whole");
        } else if (!aside.unread(files.openPage()).isEmpty()) {
            aside.copy(Damage.OPEN_PAGE, files.openPage(), 0, 0, TO_END, "one copy of the last page is damaged");
        }
        keep(aside);
        return ends;
    }

    /**
     * Verifies a closed store, and sets aside what is wrong with it.
     *
     * @return whether the indexes have to be rebuilt
     * @throws CancellationException when cancelled; what was set aside stays there
     */
    boolean beforeIndexes(StoreFiles files, Storage storage, Mark mark) {
        SetAside aside = new SetAside(storage, files.directory(), handler::onSetAside);
        List<Found> found = new ArrayList<>();
        StoreVerification.Counts counts = new StoreVerification(
                        storage,
                        requested,
                        (kind, file, offset, parts, message) ->
                                found.add(new Found(kind, file, offset, parts, message)),
                        progress)
                .run();
        if (!counts.complete()) {
            throw new CancellationException("repair was cancelled: directory=" + files.directory());
        }
        try {
            found.removeIf(each -> each.file.startsWith(files.runs(storage).folder())); // deleted by the opening
            Path text = files.text(storage).folder();
            for (Found each : found) {
                if (each.file.startsWith(text)) {
                    unsoundText.add(each.file);
                    continue;
                }
                boolean ofIndex =
                        !each.file.startsWith(files.folder(LogKind.RECORD)) && !each.file.equals(files.schema());
                switch (each.kind) {
                    case FOREIGN, AFTER_END -> remove(storage, aside, each);
                    case MARK -> {} // closing writes both slots
                    default -> {
                        if (ofIndex) {
                            rebuilds = true;
                        } else {
                            keepCopy(aside, each);
                        }
                    }
                }
            }
            if (rebuilds) {
                copyIndexes(files, storage, mark, aside);
            }
        } finally {
            keep(aside);
        }
        return rebuilds;
    }

    private record Found(Damage kind, Path file, long offset, List<FilePart> parts, String message) {}

    private void keep(SetAside aside) {
        directory = aside.directory() == null ? directory : aside.directory();
    }

    /** Damaged records stay where they are, since their addresses must not change. */
    private static void keepCopy(SetAside aside, Found found) {
        if (found.parts.isEmpty()) {
            aside.note(found.kind, found.file, found.offset, found.message);
        }
        for (FilePart part : found.parts) {
            aside.copy(found.kind, found.file, found.offset, part.from(), part.length(), found.message);
        }
    }

    private static void remove(Storage storage, SetAside aside, Found found) {
        if (Files.isDirectory(found.file)) { // somebody's own, and in nobody's way
            aside.note(found.kind, found.file, found.offset, found.message);
            return;
        }
        aside.copy(found.kind, found.file, found.offset, found.offset, TO_END, found.message);
        if (found.offset == 0) {
            storage.delete(found.file);
        } else {
            try (LoomFile file = storage.openToWrite(found.file, false)) {
                file.truncate(found.offset);
                file.force();
            }
        }
        storage.syncDirectory(Objects.requireNonNull(found.file.getParent()));
    }

    /** Copies the indexes as they are: they may list records that are damaged, or deleted, or by functions unknown here. */
    private static void copyIndexes(StoreFiles files, Storage storage, Mark mark, SetAside aside) {
        for (LogKind kind : List.of(LogKind.TIME, LogKind.CHUNK)) {
            for (Path file : storage.list(files.folder(kind))) {
                if (isDeleted(file, mark, kind)) {
                    continue;
                }
                aside.copy(Damage.CONTENTS, file, 0, 0, TO_END, "the indexes are rebuilt");
            }
        }
    }

    /** Whether a log begins behind a segment, though its file may still be there. */
    private static boolean isDeleted(Path file, Mark mark, LogKind kind) {
        long first = Segments.firstOf(file);
        return first >= 0 && first <= mark.begin(kind) - mark.segmentLength();
    }

    private static long size(Storage storage, Path path) {
        try (LoomFile file = storage.openToRead(path)) {
            return file.size();
        }
    }
}
