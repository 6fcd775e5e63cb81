package dev.loom.stress;

import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import dev.loom.log.Segments;
import dev.loom.log.UnsharedLog;
import dev.loom.log.Watermarks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads the first page of one place after another, by the log's own {@link PageReader}. Its segment file holds that page
 * as {@link CopyAndValidate#fill} leaves it. A thread has one, since it takes more memory than a test's state may.
 */
final class PlaceReader {
    private static final ThreadLocal<PlaceReader> READERS = ThreadLocal.withInitial(PlaceReader::new);

    private final UnsafeBuffer ring = new UnsafeBuffer(new byte[0]);
    private final Watermarks watermarks = Watermarks.fixed(0, PageDescriptor.PAGE_LENGTH);
    private final PageReader pages;
    private long lappedBefore;

    private PlaceReader() {
        try {
            Path folder = Files.createTempDirectory("loom-stress");
            Segments segments = new Segments(folder, PageDescriptor.PAGE_LENGTH);
            writePage(segments);
            pages = new PageReader(
                    new LogView(LogKind.RECORD, RingPlace.STORE_ID, Storage.DISK, segments, watermarks, ring), 1);
            PageState state = pages.read(0, PageDescriptor.PAGE_LENGTH);
            // open from now on, and never opened again
            Storage.DISK.delete(segments.file(0));
            Storage.DISK.delete(folder);
            if (state != PageState.PRESENT) {
                throw new IllegalStateException("page can't be read from its file: state=" + state);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void writePage(Segments segments) {
        try (UnsharedLog log = new UnsharedLog(
                LogKind.RECORD,
                RingPlace.STORE_ID,
                RingPlace.EPOCH,
                Storage.DISK,
                segments,
                0,
                2 * PageDescriptor.PAGE_LENGTH)) {
            CopyAndValidate.fill(log.log());
            log.sync();
        }
    }

    /** The calling thread's reader, moved to a place. */
    static PlaceReader at(RingPlace place) {
        PlaceReader reader = READERS.get();
        reader.ring.wrap(place.ring);
        reader.watermarks.moveTo(place.live);
        reader.pages.read(-1, 0); // forgets the page of the last place
        reader.lappedBefore = reader.pages.lapped();
        return reader;
    }

    long tailAcquire() {
        return watermarks.tailAcquire();
    }

    /**
     * Reads the page as far as a snapshot with this tail sees it.
     *
     * @throws IllegalStateException when it can't be read
     */
    void read(long tail) {
        PageState state = pages.read(0, tail);
        if (state != PageState.PRESENT) {
            throw new IllegalStateException("page can't be read: state=" + state);
        }
    }

    long baseTimeNs() {
        return PageDescriptor.baseTimeNs(pages.buffer(), pages.pageOffset());
    }

    /** A word of the page. */
    long word(int offset) {
        return pages.buffer().getLong(pages.pageOffset() + offset);
    }

    /** Whether a copy from the ring was discarded. */
    boolean lapped() {
        return pages.lapped() > lappedBefore;
    }
}
