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
    private final ArrayList<LoomFile> unsynced = new ArrayList<>();
    private @Nullable LoomFile current;
    private long currentFirst;
    private boolean directoryChanged;

    /** As below, through the page cache, for whoever has the store to himself. */
    public SegmentWriter(Storage storage, Segments segments) {
        this(storage, segments, false, () -> {});
    }

    /**
     * @param direct whether to go past the page cache, which the file system is known to take
     * @param guard called before each write; fails when the segments are another's to write
     */
    public SegmentWriter(Storage storage, Segments segments, boolean direct, Runnable guard) {
        this.storage = storage;
        this.segments = segments;
        this.direct = direct;
        this.guard = guard;
    }

    /** How many bytes from an address on lie in the same segment. */
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
            // before there is a file that no sync would know
            unsynced.ensureCapacity(unsynced.size() + 1);
            Path path = segments.file(address);
            directoryChanged |= !storage.exists(path);
            open = storage.openToWrite(path, direct);
            unsynced.add(open);
            current = open;
            currentFirst = first;
        }
        return open;
    }

    /** Makes all that was written durable: data, then the names of new files. */
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

    /** What was written, for reading it back. */
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
