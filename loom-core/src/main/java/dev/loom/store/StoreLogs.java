package dev.loom.store;

import dev.loom.error.LoomException;
import dev.loom.filter.UnitFiles;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.Segments;
import dev.loom.log.Watermarks;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/**
 * The readers' views of the logs.
 *
 * @param text the files of the text index
 */
record StoreLogs(LogView records, LogView times, LogView chunks, UnitFiles text) {
    /** Views of a store in a session, through its staging. */
    static StoreLogs live(StoreFiles files, Storage storage, Mark mark, Staging staging) {
        return of(
                files.text(storage),
                kind -> new LogView(
                        kind,
                        mark.storeId(),
                        storage,
                        files.segments(kind, mark.segmentLength()),
                        staging.live().watermarks(kind),
                        staging.ring(kind).buffer(),
                        () -> beginNow(files, storage, mark, kind)));
    }

    /**
     * Views of a store that nobody writes, up to the given ends.
     *
     * @param ends by {@link LogKind#index()}
     */
    static StoreLogs files(StoreFiles files, Storage storage, Mark mark, long[] ends) {
        return of(
                files.text(storage),
                kind -> new LogView(
                        kind,
                        mark.storeId(),
                        storage,
                        files.segments(kind, mark.segmentLength()),
                        fixed(mark, kind, ends[kind.index()]),
                        null,
                        () -> beginNow(files, storage, mark, kind)));
    }

    /** Where a log begins by the mark on the disk, which retention writes before it deletes; 0 if that can't be told. */
    private static long beginNow(StoreFiles files, Storage storage, Mark mark, LogKind kind) {
        try {
            Mark now = new MarkFile(storage, files.mark()).read();
            return now.storeId() == mark.storeId() ? now.begin(kind) : 0;
        } catch (LoomException e) {
            return 0;
        }
    }

    /** The same store with a page behind the record log's end, read from memory. */
    StoreLogs with(OpenPage page) {
        records.watermarks().tailRelease(page.end());
        return new StoreLogs(records.with(page.buffer()), times, chunks, text);
    }

    /** The same store with a damaged page behind all that is known of the record log, as more may have been there. */
    StoreLogs withDamagedPage() {
        Watermarks watermarks = records.watermarks();
        long behind = watermarks.tailAcquire() + PageDescriptor.PAGE_LENGTH - 1;
        watermarks.tailRelease(PageDescriptor.pageAddress(behind) + PageDescriptor.PAGE_LENGTH);
        return this;
    }

    /** The same logs, with other access to the text index. */
    StoreLogs with(UnitFiles textFiles) {
        return new StoreLogs(records, times, chunks, textFiles);
    }

    private static Watermarks fixed(Mark mark, LogKind kind, long end) {
        Watermarks watermarks = Watermarks.fixed(mark.begin(kind), end);
        mark.rebuild().putInto(watermarks, kind);
        return watermarks;
    }

    private static StoreLogs of(UnitFiles text, Function<LogKind, LogView> view) {
        return new StoreLogs(view.apply(LogKind.RECORD), view.apply(LogKind.TIME), view.apply(LogKind.CHUNK), text);
    }

    LogView of(LogKind kind) {
        return switch (kind) {
            case RECORD -> records;
            case TIME -> times;
            case CHUNK -> chunks;
        };
    }

    /** The current ends of the logs. */
    long[] tails() {
        return new long[] {
            records.watermarks().tailAcquire(),
            times.watermarks().tailAcquire(),
            chunks.watermarks().tailAcquire()
        };
    }

    /** The end of a log's files: the highest address that any of them reaches, or the log's begin after its gap. */
    static long filesEnd(Storage storage, LogView view) {
        long segmentLength = view.segments().segmentLength();
        long end = Math.max(view.watermarks().beginAcquire(), view.watermarks().gapEnd());
        List<Path> paths = storage.list(view.segments().folder());
        // the last one tells, as a rule: there may be many, and retention may be deleting the first
        for (int i = paths.size() - 1; i >= 0; i--) {
            long first = Segments.firstOf(paths.get(i));
            if (first >= 0 && first + segmentLength > end) {
                try (LoomFile open = storage.openToRead(paths.get(i))) {
                    end = Math.max(end, first + Math.min(open.size(), segmentLength));
                }
            }
        }
        return end;
    }
}
