package dev.loom.log;

import dev.loom.error.StoreIoException;
import dev.loom.io.LoomFile;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads the segment files of one log, compressed or not, keeping the last one open. For one thread. */
final class SegmentReader implements AutoCloseable {
    private final LogView view;
    private @Nullable LoomFile file;
    private long fileFirst;
    private boolean compressed;
    private @Nullable CompressedPages pages;

    /** A range of addresses that no file holds or will hold, so that their pages are not sought one by one. */
    private long missingBegin;

    private long missingEnd;

    SegmentReader(LogView view) {
        this.view = view;
    }

    /**
     * Reads whole pages up to the buffer's limit or the segment's end. Fewer bytes mean that the file ends there. A page of
     * a compressed segment that does not decode is left as zeroes, which are no page.
     */
    int read(ByteBuffer target, long address) {
        if (isMissing(address)) {
            return 0;
        }
        LoomFile open = open(address);
        CompressedPages stored = pages;
        return compressed && stored != null
                ? stored.read(open, target, address - fileFirst)
                : open.read(target, address - fileFirst);
    }

    /** Whether no file was found that holds an address. */
    boolean isMissing(long address) {
        return address >= missingBegin && address < missingEnd;
    }

    /** Where the range begins that {@link #isMissing} knows of. */
    long missingBegin() {
        return missingBegin;
    }

    long missingEnd() {
        return missingEnd;
    }

    private LoomFile open(long address) {
        long first = view.segments().first(address);
        LoomFile open = file;
        if (open == null || first != fileFirst) {
            closeFile();
            try {
                open = view.storage().openToRead(view.segments().file(address));
            } catch (StoreIoException e) {
                if (e.getCause() instanceof NoSuchFileException) {
                    noteMissing(address);
                }
                throw e;
            }
            file = open;
            fileFirst = first;
            compressed = view.segments().decoders() != null && storedPages().describe(open, first);
        }
        return open;
    }

    private CompressedPages storedPages() {
        CompressedPages made = pages;
        if (made == null) {
            made = new CompressedPages(view);
            pages = made;
        }
        return made;
    }

    /**
     * Remembers the missing range around an address, below the evicted address and outside the gap: files there were
     * written before the watermarks covered them, also the one in which the gap begins.
     */
    private void noteMissing(long address) {
        long first = view.segments().first(address);
        long length = view.segments().segmentLength();
        Watermarks watermarks = view.watermarks();
        long gapBegin = watermarks.gapBeginAcquire();
        long gapEnd = watermarks.gapEnd();
        boolean beforeGap = address < gapBegin;
        long begin = beforeGap ? 0 : gapEnd;
        long end = beforeGap && gapBegin < gapEnd ? gapBegin : watermarks.evictedAcquire();
        for (Path each : view.storage().list(view.segments().folder())) {
            long there = Segments.firstOf(each);
            // no segment of another length is ever opened
            if (there < 0 || there % length != 0) {
                continue;
            }
            if (there < first) {
                begin = Math.max(begin, there + length);
            } else if (there > first) {
                end = Math.min(end, there);
            }
        }
        missingBegin = begin;
        missingEnd = end;
    }

    /** Forgets the open file after a failure that may have closed it. */
    void reset() {
        try {
            closeFile();
        } catch (StoreIoException e) {
            file = null;
        }
    }

    private void closeFile() {
        LoomFile open = file;
        file = null;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public void close() {
        CompressedPages made = pages;
        pages = null;
        if (made != null) {
            made.close();
        }
        closeFile();
    }
}
