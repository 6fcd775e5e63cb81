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
 * Compares the segment files that a store still has with its mark. Some may have been deleted by hand; and with an
 * impossible mark, a loop over its addresses would never end.
 */
final class HeldSegments {
    /**
     * If a store lacks more bytes than this, and many times more than it has, its mark is wrong. If it lacks less, it
     * is damaged; walking over what is missing takes a tenth of a second per this many bytes.
     */
    private static final long MISSING_LEAST = 1L << 36;

    private static final long MISSING_TIMES = 16;

    /** The most that one segment file counts for, however long the mark says that segments are. */
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

    /** Whether a range of addresses lacks much more than a store can lack. */
    private boolean lacks(long begin, long end) {
        long most = MISSING_LEAST + MISSING_TIMES * files.size() * Math.min(segments.segmentLength(), SEGMENT_MOST);
        return end - begin > most && end - begin - held(begin, end) > most;
    }

    /** The bytes of a range that exist. */
    private long held(long begin, long end) {
        long held = 0;
        for (int i = 0; i < files.size(); i++) {
            long first = Segments.firstOf(files.get(i));
            long next = i + 1 < files.size() ? Segments.firstOf(files.get(i + 1)) : -1;
            long behind = first + segments.segmentLength();
            // only the last file of a run needs its length looked up
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
     * The mark without the records of the oldest segment files, if those are gone.
     *
     * @throws CorruptStoreException when the mark describes far more than there is
     */
    static Mark check(StoreFiles files, Storage storage, Mark mark) {
        Mark checked = mark;
        for (LogKind kind : LogKind.values()) {
            HeldSegments held = new HeldSegments(files, storage, mark, kind);
            long first = held.files.isEmpty() ? Long.MAX_VALUE : Segments.firstOf(held.files.get(0));
            // an index without its beginning is useless
            if (kind == LogKind.RECORD && first > mark.begin(kind) && first <= mark.durable(kind)) {
                checked = mark.withRecordBegin(first);
            }
            long begin = checked.begin(kind);
            Rebuild rebuild = mark.rebuild();
            if (held.lacks(begin, rebuild.begin(kind))
                    || held.lacks(Math.max(begin, rebuild.end(kind)), mark.durable(kind))) {
                throw new CorruptStoreException("most segments that the mark covers are missing: directory="
                        + files.directory() + ", log=" + kind.folder() + ", files=" + held.files.size() + ", begin="
                        + begin + ", end=" + mark.durable(kind));
            }
        }
        return checked;
    }

    /** Whether the segment files can hold what the staging says they do. */
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
