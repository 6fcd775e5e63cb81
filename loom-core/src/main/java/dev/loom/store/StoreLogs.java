package dev.loom.store;

import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.Segments;
import dev.loom.log.Watermarks;
import java.nio.file.Path;

/** The reader's views of both logs. */
record StoreLogs(LogView records, LogView times) {
    /** Of a store in a session, through its staging. */
    static StoreLogs live(StoreFiles files, Storage storage, Mark mark, Staging staging, boolean mapped) {
        return new StoreLogs(
                new LogView(
                        LogKind.RECORD,
                        mark.storeId(),
                        storage,
                        files.segments(LogKind.RECORD, mark.segmentLength()),
                        staging.live().recordWatermarks(),
                        staging.recordRing().buffer(),
                        mapped),
                new LogView(
                        LogKind.TIME,
                        mark.storeId(),
                        storage,
                        files.segments(LogKind.TIME, mark.segmentLength()),
                        staging.live().timeWatermarks(),
                        staging.timeRing().buffer(),
                        mapped));
    }

    /** Of a store that nobody writes, up to the ends given. */
    static StoreLogs files(StoreFiles files, Storage storage, Mark mark, long recordEnd, long timeEnd, boolean mapped) {
        return new StoreLogs(
                fixed(LogKind.RECORD, files, storage, mark, mark.recordBegin(), recordEnd, mapped),
                fixed(LogKind.TIME, files, storage, mark, mark.timeBegin(), timeEnd, mapped));
    }

    private static LogView fixed(
            LogKind kind, StoreFiles files, Storage storage, Mark mark, long begin, long end, boolean mapped) {
        return new LogView(
                kind,
                mark.storeId(),
                storage,
                files.segments(kind, mark.segmentLength()),
                Watermarks.fixed(begin, end),
                null,
                mapped);
    }

    /** The end of the files of a log: the highest address that any of them reaches, or {@code begin}. */
    static long filesEnd(Storage storage, LogView view) {
        long end = view.watermarks().beginAcquire();
        for (Path file : storage.list(view.segments().folder())) {
            long first = Segments.firstOf(file);
            if (first >= 0) {
                try (LoomFile open = storage.openToRead(file)) {
                    end = Math.max(
                            end, first + Math.min(open.size(), view.segments().segmentLength()));
                }
            }
        }
        return end;
    }
}
