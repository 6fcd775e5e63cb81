package dev.loom.log;

import dev.loom.io.LenientStorage;
import dev.loom.io.Storage;
import java.util.function.LongSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * All that a reader needs of one log. Immutable.
 *
 * @param ring the newest pages, or null when all are in segment files
 * @param laterBegin where the log begins by now, also after a later session, of which the watermarks don't know, has deleted
 *     segments
 */
public record LogView(
        LogKind kind,
        long storeId,
        Storage storage,
        Segments segments,
        Watermarks watermarks,
        @Nullable UnsafeBuffer ring,
        LongSupplier laterBegin) {
    /** A view of a log that only its own session changes. */
    public LogView(
            LogKind kind,
            long storeId,
            Storage storage,
            Segments segments,
            Watermarks watermarks,
            @Nullable UnsafeBuffer ring) {
        this(kind, storeId, storage, segments, watermarks, ring, watermarks::beginAcquire);
    }

    /**
     * Whether filler was read for a part of a page's segment, as {@link LenientStorage} does. Not only of the page: that of a compressed
     * segment may lie anywhere, and the table that says where may be what was not delivered.
     */
    public boolean hasFiller(long pageAddress) {
        return storage instanceof LenientStorage lenient
                && !lenient.unread(segments.file(pageAddress), 0, Long.MAX_VALUE)
                        .isEmpty();
    }

    /** The same log, read from memory as far as this has its pages, or from files alone. */
    public LogView with(@Nullable UnsafeBuffer newestPages) {
        return new LogView(kind, storeId, storage, segments, watermarks, newestPages, laterBegin);
    }
}
