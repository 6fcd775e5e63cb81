package dev.loom.store;

import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.log.Watermarks;

/**
 * The part of the indexes that is being written anew, or was: it lies before a gap in their addresses. Behind the gap the indexes
 * speak of the records from {@code to} on.
 *
 * @param done records below have their entries
 * @param to records below get them
 */
record Rebuild(long timeBegin, long timeEnd, long chunkBegin, long chunkEnd, long done, long to) {
    static final Rebuild NONE = new Rebuild(0, 0, 0, 0, 0, 0);

    /** More than an index of any store takes. */
    static final long GAP_LENGTH = 1L << 44;

    /** Whether it can be that of logs with these ends. */
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

    /** Where the gap of a log begins. */
    long begin(LogKind kind) {
        return kind == LogKind.TIME ? timeBegin : kind == LogKind.CHUNK ? chunkBegin : 0;
    }

    /** Where the gap of a log ends. */
    long end(LogKind kind) {
        return kind == LogKind.TIME ? timeEnd : kind == LogKind.CHUNK ? chunkEnd : 0;
    }

    /** After some more was written. */
    Rebuild advanced(long newTimeBegin, long newChunkBegin, long newDone) {
        return new Rebuild(newTimeBegin, timeEnd, newChunkBegin, chunkEnd, newDone, to);
    }

    /** Tells the readers of a log, none of which is there yet. */
    void putInto(Watermarks watermarks, LogKind kind) {
        watermarks.gap(begin(kind), end(kind), done, to);
    }
}
