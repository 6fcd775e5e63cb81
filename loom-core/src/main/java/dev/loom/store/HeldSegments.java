package dev.loom.store;

import dev.loom.error.CorruptStoreException;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.Segments;
import dev.loom.log.Watermarks;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The segment files that a store still has, against what its mark says: the oldest may have been deleted by hand, and of a mark
 * that can't be, no loop over its addresses would end.
 *
 * @param first the lowest address of a file, or {@code Long.MAX_VALUE}
 * @param gapBegin the highest end of a file before the gap, or where the log begins
 * @param end the highest end of a file, or where the log begins
 */
record HeldSegments(long first, long gapBegin, long end) {
    /** As many segments may be missing at the end of a log and count as damage; what lacks more is no store. */
    private static final long SEGMENTS_MISSING_MAX = 16;

    private static final long MISSING_LEAST = 1L << 32;
    private static final long MISSING_MOST = 1L << 36;

    /** How many bytes may be missing at the end of a log. */
    private static long missingMax(Mark mark) {
        long segments = SEGMENTS_MISSING_MAX * Math.min(mark.segmentLength(), MISSING_MOST);
        return Math.max(MISSING_LEAST, Math.min(MISSING_MOST, segments));
    }

    private static HeldSegments of(StoreFiles files, Storage storage, Mark mark, LogKind kind) {
        Segments segments = files.segments(kind, mark.segmentLength());
        long gapEnd = mark.rebuild().end(kind);
        long first = Long.MAX_VALUE;
        Path lastBeforeGap = null;
        Path last = null;
        for (Path path : storage.list(segments.folder())) {
            long address = Segments.firstOf(path);
            if (address >= 0) {
                first = Math.min(first, address);
                lastBeforeGap = address < gapEnd ? path : lastBeforeGap;
                last = path;
            }
        }
        long begin = mark.begin(kind);
        return new HeldSegments(
                first,
                end(storage, segments, lastBeforeGap, begin),
                end(storage, segments, last, Math.max(begin, gapEnd)));
    }

    private static long end(Storage storage, Segments segments, @Nullable Path last, long least) {
        if (last == null) {
            return least;
        }
        try (LoomFile file = storage.openToRead(last)) {
            return Math.max(least, Segments.firstOf(last) + Math.min(file.size(), segments.segmentLength()));
        }
    }

    /**
     * The mark of a store without the records of segment files that are gone.
     *
     * @throws CorruptStoreException when the mark speaks of far more than there is
     */
    static Mark check(StoreFiles files, Storage storage, Mark mark) {
        Mark checked = mark;
        for (LogKind kind : LogKind.values()) {
            HeldSegments held = of(files, storage, mark, kind);
            long gapMissing = mark.rebuild().begin(kind) - held.gapBegin();
            if (mark.durable(kind) - held.end() > missingMax(mark) || gapMissing > missingMax(mark)) {
                throw new CorruptStoreException("log ends far before its mark says: directory=" + files.directory()
                        + ", log=" + kind.folder() + ", end=" + held.end() + ", expected=" + mark.durable(kind));
            }
            // of an index that lacks its beginning, the rest is no use
            if (kind == LogKind.RECORD && held.first() > mark.begin(kind) && held.first() <= mark.durable(kind)) {
                checked = mark.withRecordBegin(held.first());
            }
        }
        return checked;
    }

    /** Whether what a staging says is in segment files can be there. */
    static boolean bearOut(StoreFiles files, Storage storage, Mark mark, LiveFile live) {
        for (LogKind kind : LogKind.values()) {
            HeldSegments held = of(files, storage, mark, kind);
            Watermarks watermarks = live.watermarks(kind);
            if (watermarks.evictedAcquire() - held.end() > missingMax(mark)
                    || (watermarks.gapEnd() > 0 && watermarks.gapBeginAcquire() - held.gapBegin() > missingMax(mark))) {
                return false;
            }
        }
        return true;
    }
}
