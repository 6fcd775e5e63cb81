package dev.loom.store;

import dev.loom.io.Storage;
import dev.loom.log.PageDescriptor;
import dev.loom.schema.SchemaEntry.RetentionSet;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The limits of a store's files: those of its settings, else those that it has, else the defaults. */
public final class Limits {
    /** The least number of segments that a limit must allow, as the newest of each log is never deleted. */
    public static final long SEGMENTS_MIN = 4;

    /** The smallest limit, bytes: about a MiB of records is deleted at once, however short the segments are. */
    public static final long BYTES_MIN = 8 << 20;

    private static final long BYTES_DEFAULT = 10L << 30;
    private static final long FREE_DEFAULT = 1L << 30;
    private static final long SEGMENT_DEFAULT = 1L << 30;
    private static final int SEGMENTS_DEFAULT = 16;

    private Limits() {}

    /** The segment length of a new store. */
    static long segmentLength(Settings settings, Path directory) {
        Long asked = settings.segmentLength();
        if (asked != null) {
            return asked;
        }
        long part = maxBytes(settings, directory) / SEGMENTS_DEFAULT;
        return Math.max(PageDescriptor.PAGE_LENGTH, Math.min(SEGMENT_DEFAULT, Long.highestOneBit(part)));
    }

    /** @throws IllegalArgumentException if a limit was set that allows too few segments */
    static void requireFit(Settings settings, long segmentLength) {
        Long maxBytes = settings.maxBytes();
        if (maxBytes != null && maxBytes / SEGMENTS_MIN < segmentLength) {
            throw new IllegalArgumentException("store too small for its segments: max bytes=" + maxBytes
                    + ", segment bytes=" + segmentLength + ", min=" + SEGMENTS_MIN + " segments");
        }
    }

    private static long maxBytes(Settings settings, Path directory) {
        Long asked = settings.maxBytes();
        return asked != null
                ? asked
                : Math.max(BYTES_MIN, Math.min(BYTES_DEFAULT, settings.storage().totalSpace(directory) / 10));
    }

    /**
     * The limits of a store that is opened.
     *
     * @param stored its limits; null if none were ever set
     * @param isNew whether it was created just now; others without limits have none
     * @throws IllegalArgumentException if a limit was set that allows too few segments
     */
    static RetentionSet of(
            Settings settings, Path directory, @Nullable RetentionSet stored, boolean isNew, long segmentLength) {
        Storage storage = settings.storage();
        RetentionSet base = stored != null
                ? stored
                : isNew
                        ? new RetentionSet(
                                Math.max(maxBytes(settings, directory), SEGMENTS_MIN * segmentLength),
                                Long.MAX_VALUE,
                                Math.min(FREE_DEFAULT, storage.totalSpace(directory) / 20))
                        : new RetentionSet(Long.MAX_VALUE, Long.MAX_VALUE, 0);
        Long maxBytes = settings.maxBytes();
        requireFit(settings, segmentLength);
        return new RetentionSet(
                maxBytes == null ? base.maxBytes() : maxBytes,
                settings.maxAge() == null ? base.maxAgeNs() : settings.maxAge().toNanos(),
                settings.minFreeBytes() == null ? base.minFreeBytes() : settings.minFreeBytes());
    }
}
