package dev.loom.store;

import dev.loom.compress.SegmentCompressor;
import dev.loom.error.StoreIoException;
import dev.loom.format.PayloadFormat;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.io.StoreThread;
import dev.loom.log.CompressedSegment;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import dev.loom.log.Segments;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Compresses old segments of the record log, one after the other, on a thread of its own, which takes no more than its share
 * of a processor. It makes a copy under another name, syncs it, and then puts it in the segment's place, while the evictor,
 * which also deletes segments, is paused. A crash leaves one or the other, and at most the copy, which the next opening
 * deletes. Readers that have the segment open go on with it.
 */
final class Compression implements AutoCloseable {
    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(1);
    /** How long room for a copy is waited for; retention makes it every second. */
    private static final long ROOM_NS = TimeUnit.SECONDS.toNanos(3);

    private static final long ROOM_CHECK_NS = TimeUnit.MILLISECONDS.toNanos(10);

    /**
     * What it needs of its session.
     *
     * @param nonce the session's
     * @param durable the end of the records that survive a power cut
     * @param clock gives arrival times, epoch nanoseconds
     * @param guard throws once another writer has the store
     * @param evictorPaused runs something while the evictor pauses
     * @param withinLimit whether the store takes no more of the disk than it may
     * @param afterNs the age of a segment's last record
     * @param share of a processor, above 0 to 1
     */
    record Parts(
            Storage storage,
            long nonce,
            Supplier<StoreLogs> logs,
            LongSupplier durable,
            IntFunction<@Nullable PayloadFormat> formatOf,
            LongSupplier clock,
            Runnable guard,
            Consumer<Runnable> evictorPaused,
            Savings savings,
            BooleanSupplier withinLimit,
            long afterNs,
            double share) {}

    private final Parts parts;
    private final PacedThread thread;

    /** Below it all segments are compressed, or can't be. */
    private long compressedTo;

    Compression(Parts parts) {
        this.parts = parts;
        this.thread = new PacedThread("loom-compress", parts::share, IDLE_NS, this::compressNext);
    }

    /** Deletes copies that a crash has left. For a store that nobody writes yet. */
    static void deleteTemporary(StoreFiles files, Storage storage) {
        for (Path file : storage.list(files.folder(LogKind.RECORD))) {
            if (Segments.isTemporary(file)) {
                try {
                    storage.delete(file);
                } catch (StoreIoException e) {
                    // it takes room, no more; the next opening tries again
                }
            }
        }
    }

    void start() {
        thread.start();
    }

    Thread thread() {
        return thread.thread();
    }

    /** Looks for work again, since more is durable now. */
    void wake() {
        thread.wake();
    }

    /** Why the last segment could not be compressed, or null. */
    @Nullable
    Throwable failure() {
        return thread.failure();
    }

    /** Compresses the oldest segment that is old enough. Returns whether there was one. */
    private boolean compressNext() {
        LogView records = parts.logs().get().records();
        Segments segments = records.segments();
        long length = segments.segmentLength();
        if (length > CompressedSegment.SEGMENT_LENGTH_MAX) {
            return false;
        }
        compressedTo =
                Math.max(compressedTo, segments.first(records.watermarks().beginAcquire()));
        while (compressedTo + length < parts.durable().getAsLong() && !thread.cancelled()) {
            if (!isWhole(segments.file(compressedTo), length)) {
                compressedTo += length;
            } else if (hasRoom(segments) && isOld(records, compressedTo + length - PageDescriptor.PAGE_LENGTH)) {
                if (!compressWithinLimit(records, compressedTo)) {
                    return false;
                }
                compressedTo += length;
                return true;
            } else {
                return false;
            }
        }
        return false;
    }

    /** Whether a segment is there, and not compressed yet. */
    private boolean isWhole(Path file, long length) {
        try (LoomFile open = parts.storage().openToRead(file)) {
            return open.size() == length;
        } catch (StoreIoException e) {
            if (e.getCause() instanceof NoSuchFileException) {
                return false;
            }
            throw e;
        }
    }

    /** Whether a copy leaves the disk room for a segment of new records, which come first. */
    private boolean hasRoom(Segments segments) {
        return parts.storage().usableSpace(segments.folder()) / 2 >= segments.segmentLength();
    }

    /** Whether the records up to the end of a page are old enough. A damaged page counts as old. */
    private boolean isOld(LogView records, long pageAddress) {
        if (parts.afterNs() == 0) {
            return true;
        }
        try (PageReader pages = new PageReader(records, 1)) {
            return pages.read(pageAddress, Long.MAX_VALUE) != PageState.PRESENT
                    || parts.clock().getAsLong() - PageDescriptor.lastTimeNs(pages.buffer(), pages.pageOffset())
                            >= parts.afterNs();
        }
    }

    /** Reserves the room that a copy takes at most before it is made. False if there is none for now. */
    private boolean compressWithinLimit(LogView records, long first) {
        long segmentLength = records.segments().segmentLength();
        long reserved = segmentLength + CompressedSegment.begin(segmentLength);
        parts.savings().add(-reserved);
        try {
            if (!awaitRoom()) {
                return false;
            }
            if (!isDeleted(records.segments(), first)) { // to make room
                compress(records, first);
            }
            return true;
        } finally {
            parts.savings().add(reserved);
        }
    }

    private boolean awaitRoom() {
        long endNs = System.nanoTime() + ROOM_NS;
        while (!parts.withinLimit().getAsBoolean()) {
            if (thread.cancelled() || System.nanoTime() - endNs >= 0) {
                return false;
            }
            StoreThread.pause(ROOM_CHECK_NS);
        }
        return true;
    }

    /** As the store is now: its staging may have been replaced since the segment was found. */
    private boolean isDeleted(Segments segments, long first) {
        long begin = parts.logs().get().records().watermarks().beginAcquire();
        return segments.first(begin) > first;
    }

    private void compress(LogView records, long first) {
        Path copy = records.segments().temporary(first, parts.nonce());
        parts.guard().run();
        boolean replaced = false;
        try (SegmentCompressor compressor =
                new SegmentCompressor(parts.storage(), records.segments(), records.storeId(), parts.formatOf())) {
            long length = compressor.compress(first, copy, bytes -> thread.rest());
            if (length != SegmentCompressor.NOTHING) {
                parts.evictorPaused().accept(() -> replace(records, first, copy, length));
                replaced = true;
            }
        } finally {
            if (!replaced) {
                parts.storage().delete(copy);
            }
        }
    }

    /** Puts a copy in its segment's place, unless that was deleted meanwhile. The evictor deletes nothing now. */
    private void replace(LogView records, long first, Path copy, long length) {
        parts.guard().run();
        Segments segments = records.segments();
        if (isDeleted(segments, first)) {
            parts.storage().delete(copy);
            return;
        }
        parts.storage().rename(copy, segments.file(first));
        parts.savings().add(segments.segmentLength() - length);
        parts.storage().syncDirectory(segments.folder());
    }

    /** Ends the thread, which deletes its copy, and waits for its end. */
    @Override
    public void close() {
        thread.close();
    }
}
