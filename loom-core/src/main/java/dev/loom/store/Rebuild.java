package dev.loom.store;

import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.log.Watermarks;

/**
 * The part of the indexes that is being rebuilt, or was. It lies before a gap in their addresses; after the gap, the
 * indexes describe the records from {@code to} on.
 *
 * @param done records below this address have their entries
 * @param to records below this address get theirs
 */
record Rebuild(long timeBegin, long timeEnd, long chunkBegin, long chunkEnd, long done, long to) {
    static final Rebuild NONE = new Rebuild(0, 0, 0, 0, 0, 0);

    /** More than any store's index takes. */
    static final long GAP_LENGTH = 1L << 44;

    /** Whether it is possible for logs with these ends. */
    boolean possible(long recordEnd, long timeDurable, long chunkDurable) {
        return gapPossible(timeBegin, timeEnd, timeDurable)
                && gapPossible(chunkBegin, chunkEnd, chunkDurable)
                && PageDescriptor.isPage(done)
                && PageDescriptor.isPage(to)
                && done <= to
                && to <= recordEnd;
    }

    private static boolean gapPossible(long begin, long end, long durable) {
        return PageDescriptor.isPage(begin) && PageDescriptor.isPage(end) && begin <= end && end <= durable;
    }

    boolean pending() {
        return done < to;
    }

    boolean exists() {
        return timeEnd > 0;
    }

    /** The begin of a log's gap. */
    long begin(LogKind kind) {
        return kind == LogKind.TIME ? timeBegin : kind == LogKind.CHUNK ? chunkBegin : 0;
    }

    /** The end of a log's gap. */
    long end(LogKind kind) {
        return kind == LogKind.TIME ? timeEnd : kind == LogKind.CHUNK ? chunkEnd : 0;
    }

    /** The same after further progress. */
    Rebuild advanced(long newTimeBegin, long newChunkBegin, long newDone) {
        return new Rebuild(newTimeBegin, timeEnd, newChunkBegin, chunkEnd, newDone, to);
    }

    /** Sets a log's watermarks, before the log has readers. */
    void putInto(Watermarks watermarks, LogKind kind) {
        watermarks.gap(begin(kind), end(kind), done, to);
    }
}
