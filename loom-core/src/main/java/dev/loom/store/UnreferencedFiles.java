package dev.loom.store;

import dev.loom.error.LoomException;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreReopenedException;
import dev.loom.filter.UnitFiles;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.Segments;
import dev.loom.rollup.RunFiles;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The files of records below the logs' begins, to which nothing refers any more. A crash may leave them, and a deletion that fails, which is
 * tried again until it succeeds. What can't be deleted keeps nothing else from being deleted. For the evictor's thread.
 */
final class UnreferencedFiles {
    private final Storage storage;
    private final Supplier<Mark> mark;
    private final Supplier<StoreLogs> logs;
    private final Savings savings;
    private final UnitFiles text;
    private final RunFiles runs;

    /** Whether segments may be left; an opening leaves what it could not delete. */
    private boolean segmentsLeft = true;

    private @Nullable LoomException ofSegments;

    /** Whether files may be left of what was built from deleted records. */
    private boolean derivedLeft = true;

    private @Nullable LoomException ofDerived;

    UnreferencedFiles(
            Storage storage,
            Supplier<Mark> mark,
            Supplier<StoreLogs> logs,
            Savings savings,
            UnitFiles text,
            RunFiles runs) {
        this.storage = storage;
        this.mark = mark;
        this.logs = logs;
        this.savings = savings;
        this.text = text;
        this.runs = runs;
    }

    /** Deletes the segments among them, as far as that is possible. For a store that nobody writes yet. */
    static void deleteSegments(StoreFiles files, Storage storage, Mark mark) {
        for (LogKind kind : LogKind.values()) {
            deleteBelow(storage, files.segments(kind, mark.segmentLength()), mark.begin(kind), storage::delete);
        }
    }

    /** Notes that the logs begin elsewhere. */
    void onBegin() {
        segmentsLeft = true;
        derivedLeft = true;
    }

    /** Deletes what may be left. */
    void delete() {
        if (segmentsLeft) {
            ofSegments = null;
            for (LogKind kind : LogKind.values()) {
                StoreIoException e = deleteBelow(kind);
                ofSegments = ofSegments == null ? e : ofSegments;
            }
            segmentsLeft = ofSegments != null;
        }
        if (derivedLeft) {
            long begin = mark.get().begin(LogKind.RECORD);
            LoomException ofText = failureOf(() -> text.deleteBelow(begin));
            LoomException ofRuns = failureOf(() -> runs.deleteBelow(begin));
            ofDerived = ofText == null ? ofRuns : ofText;
            derivedLeft = ofDerived != null;
        }
    }

    /** Why something could not be deleted, or null. */
    @Nullable
    LoomException failure() {
        return ofSegments == null ? ofDerived : ofSegments;
    }

    private static @Nullable LoomException failureOf(Runnable deletion) {
        try {
            deletion.run();
            return null;
        } catch (StoreReopenedException e) {
            throw e;
        } catch (LoomException e) {
            return e;
        }
    }

    private @Nullable StoreIoException deleteBelow(LogKind kind) {
        Segments segments = logs.get().of(kind).segments();
        boolean saving = kind == LogKind.RECORD && mark.get().compressed();
        return deleteBelow(storage, segments, mark.get().begin(kind), saving ? this::deleteSaving : storage::delete);
    }

    private void deleteSaving(Path file) {
        long saved = savings.of(file);
        storage.delete(file);
        savings.add(-saved);
    }

    /** Returns the first failure. */
    private static @Nullable StoreIoException deleteBelow(
            Storage storage, Segments segments, long begin, Consumer<Path> deletion) {
        StoreIoException first = null;
        for (Path file : storage.list(segments.folder())) {
            if (isBelow(file, segments, begin)) {
                try {
                    deletion.accept(file);
                } catch (StoreIoException e) {
                    first = first == null ? e : first;
                }
            }
        }
        return first;
    }

    private static boolean isBelow(Path file, Segments segments, long begin) {
        long first = Segments.firstOf(file);
        return first >= 0 && first % segments.segmentLength() == 0 && first <= begin - segments.segmentLength();
    }
}
