package dev.loom.store;

import dev.loom.error.CorruptStoreException;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.log.Segments;
import dev.loom.log.Watermarks;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The segment files that a store still has, against what its mark says: some may have been deleted by hand, and of a mark that
 * can't be, no loop over its addresses would end.
 */
final class HeldSegments {
    /**
     * Of a store that lacks more than this, and many times what it has, the mark is wrong. What lacks less is damaged: a walk over
     * all that is missing takes a tenth of a second for each of these.
     */
    private static final long MISSING_LEAST = 1L << 36;

    private static final long MISSING_TIMES = 16;

    /** More than this a segment file does not count for, however long the mark says that they are. */
    private static final long SEGMENT_MOST = 1L << 30;

    private final Storage storage;
    private final Segments segments;
    private final List<Path> files = new ArrayList<>();

    private HeldSegments(StoreFiles files, Storage storage, Mark mark, LogKind kind) {
        this.storage = storage;
        this.segments = files.segments(kind, mark.segmentLength());
        for (Path path : storage.list(segments.folder())) {
            long address = Segments.firstOf(path);
            if (address >= 0 && address <= PageDescriptor.ADDRESS_MAX) {
                this.files.add(path);
            }
        }
    }

    /** Whether much more is missing of a range of addresses than a store can lack. */
    private boolean lacks(long begin, long end) {
        long most = MISSING_LEAST + MISSING_TIMES * files.size() * Math.min(segments.segmentLength(), SEGMENT_MOST);
        return end - begin > most && end - begin - held(begin, end) > most;
    }

    /** How many bytes of a range there are. */
    private long held(long begin, long end) {
        long held = 0;
        for (int i = 0; i < files.size(); i++) {
            long first = Segments.firstOf(files.get(i));
            long next = i + 1 < files.size() ? Segments.firstOf(files.get(i + 1)) : -1;
            long behind = first + segments.segmentLength();
            // only where a file is the last of a row its length is looked up
            long last = next == behind ? behind : Math.min(behind, first + length(files.get(i)));
            held += Math.max(0, Math.min(last, end) - Math.max(first, begin));
        }
        return held;
    }

    private long length(Path path) {
        try (LoomFile file = storage.openToRead(path)) {
            return file.size();
        }
    }

    /**
     * The mark of a store without the records of its oldest segment files, if those are gone.
     *
     * @throws CorruptStoreException when the mark speaks of far more than there is
     */
    static Mark check(StoreFiles files, Storage storage, Mark mark) {
        Mark checked = mark;
        for (LogKind kind : LogKind.values()) {
            HeldSegments held = new HeldSegments(files, storage, mark, kind);
            long first = held.files.isEmpty() ? Long.MAX_VALUE : Segments.firstOf(held.files.get(0));
            // of an index that lacks its beginning, the rest is no use
            if (kind == LogKind.RECORD && first > mark.begin(kind) && first <= mark.durable(kind)) {
                checked = mark.withRecordBegin(first);
            }
            long begin = checked.begin(kind);
            Rebuild rebuild = mark.rebuild();
            if (held.lacks(begin, rebuild.begin(kind))
                    || held.lacks(Math.max(begin, rebuild.end(kind)), mark.durable(kind))) {
                throw new CorruptStoreException("most of what the mark speaks of is missing: directory="
                        + files.directory() + ", log=" + kind.folder() + ", files=" + held.files.size() + ", begin="
                        + begin + ", end=" + mark.durable(kind));
            }
        }
        return checked;
    }

    /** Whether what a staging says is in segment files can be there. */
    static boolean bearOut(StoreFiles files, Storage storage, Mark mark, LiveFile live) {
        for (LogKind kind : LogKind.values()) {
            HeldSegments held = new HeldSegments(files, storage, mark, kind);
            Watermarks watermarks = live.watermarks(kind);
            long begin = watermarks.beginAcquire();
            long gapEnd = watermarks.gapEnd();
            if (held.lacks(Math.max(begin, gapEnd), watermarks.evictedAcquire())
                    || (gapEnd > 0 && held.lacks(begin, watermarks.gapBeginAcquire()))) {
                return false;
            }
        }
        return true;
    }
}
