package dev.loom.log;

import dev.loom.error.StoreIoException;
import dev.loom.io.LoomFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import org.agrona.BufferUtil;
import org.jspecify.annotations.Nullable;

/** Reads the segment files of one log, keeping the last one open. For one thread. */
final class SegmentReader implements AutoCloseable {
    private final LogView view;
    private @Nullable LoomFile file;
    private long fileFirst;
    private @Nullable MappedByteBuffer mapping;

    SegmentReader(LogView view) {
        this.view = view;
    }

    /** Reads up to the buffer's limit or the segment's end; fewer bytes mean that the file ends there. */
    int read(ByteBuffer target, long address) {
        return open(address).read(target, address - view.segments().first(address));
    }

    /** The segment that holds an address, mapped, and at least {@code length} bytes from there; null if it ends before. */
    @Nullable
    MappedByteBuffer map(long address, int length) {
        LoomFile segment = open(address);
        long needed = address - view.segments().first(address) + length;
        if (mapping == null || mapping.capacity() < needed) {
            unmap();
            long size = Math.min(segment.size(), view.segments().segmentLength());
            if (size < needed) {
                return null;
            }
            mapping = segment.map(false, 0, size);
        }
        return mapping;
    }

    private LoomFile open(long address) {
        long first = view.segments().first(address);
        LoomFile open = file;
        if (open == null || first != fileFirst) {
            close();
            open = view.storage().openToRead(view.segments().file(address));
            file = open;
            fileFirst = first;
        }
        return open;
    }

    /** Forgets the open file, after a failure that may have closed it. */
    void reset() {
        try {
            close();
        } catch (StoreIoException e) {
            file = null;
        }
    }

    private void unmap() {
        MappedByteBuffer mapped = mapping;
        mapping = null;
        if (mapped != null) {
            BufferUtil.free(mapped);
        }
    }

    @Override
    public void close() {
        unmap();
        LoomFile open = file;
        file = null;
        if (open != null) {
            open.close();
        }
    }
}
