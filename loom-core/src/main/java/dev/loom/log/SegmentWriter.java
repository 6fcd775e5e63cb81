package dev.loom.log;

import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/** Writes whole pages to the segment files of one log. For one thread. */
public final class SegmentWriter implements AutoCloseable {
    private final Storage storage;
    private final Segments segments;
    private final boolean direct;
    private final Runnable guard;
    private final Runnable placeGuard;
    private final ArrayList<LoomFile> unsynced = new ArrayList<>();
    private @Nullable LoomFile current;
    private long currentFirst;
    private boolean directoryChanged;

    /** Writes through the page cache, without a guard, for a caller with exclusive access to the store. */
    public SegmentWriter(Storage storage, Segments segments) {
        this(storage, segments, false, () -> {});
    }

    /**
     * @param direct whether to bypass the page cache, which the file system must support
     * @param guard called before each write; throws if another writer owns the segments
     */
    public SegmentWriter(Storage storage, Segments segments, boolean direct, Runnable guard) {
        this(storage, segments, direct, guard, () -> {});
    }

    /**
     * As above.
     *
     * @param placeGuard called before a file is opened; throws if another store is where the segments were
     */
    public SegmentWriter(Storage storage, Segments segments, boolean direct, Runnable guard, Runnable placeGuard) {
        this.storage = storage;
        this.segments = segments;
        this.direct = direct;
        this.guard = guard;
        this.placeGuard = placeGuard;
    }

    /** The bytes from an address to its segment's end. */
    long remainingInSegment(long address) {
        return segments.first(address) + segments.segmentLength() - address;
    }

    /** Writes whole pages that lie in one segment. */
    public void write(ByteBuffer pages, long address) {
        guard.run();
        LoomFile file = fileOf(address);
        file.write(pages, address - segments.first(address));
    }

    private LoomFile fileOf(long address) {
        LoomFile open = current;
        long first = segments.first(address);
        if (open == null || first != currentFirst) {
            // reserved first, so that no file escapes the next sync
            unsynced.ensureCapacity(unsynced.size() + 1);
            placeGuard.run();
            Path path = segments.file(address);
            directoryChanged |= !storage.exists(path);
            open = storage.openToWrite(path, direct);
            unsynced.add(open);
            current = open;
            currentFirst = first;
        }
        return open;
    }

    /** Makes everything written durable: data, then the names of new files. */
    public void sync() {
        for (LoomFile file : unsynced) {
            file.force();
        }
        if (directoryChanged) {
            storage.syncDirectory(segments.folder());
            directoryChanged = false;
        }
        for (LoomFile file : unsynced) {
            if (file != current) {
                file.close();
            }
        }
        unsynced.clear();
        if (current != null) {
            unsynced.add(current);
        }
    }

    /** A view for reading back what was written. */
    LogView view(LogKind kind, long storeId, Watermarks watermarks) {
        return new LogView(kind, storeId, storage, segments, watermarks, null);
    }

    /** Forgets the open files, which may have lost what was written to them. */
    void reopen() {
        close();
    }

    @Override
    public void close() {
        try {
            CloseHelper.closeAll(unsynced);
        } finally {
            unsynced.clear();
            current = null;
        }
    }
}
