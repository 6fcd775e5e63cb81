package dev.loom.store;

import dev.loom.api.StoreInfo.IndexState;

/** A session's mark, and what the next one will say of the indexes. Written by one thread at a time, read by any. */
final class SessionMark {
    private final MarkFile file;
    private volatile Mark written;
    private volatile Rebuild rebuild;
    private volatile IndexState indexState;

    SessionMark(MarkFile file, Mark written) {
        this.file = file;
        this.written = written;
        this.rebuild = written.rebuild();
        this.indexState = written.indexState();
    }

    /** The mark as it is on the disk. */
    Mark written() {
        return written;
    }

    /** The mark with what is known of the indexes now. */
    Mark now() {
        return written.with(rebuild, indexState);
    }

    Rebuild rebuild() {
        return rebuild;
    }

    void rebuild(Rebuild newRebuild) {
        rebuild = newRebuild;
    }

    void indexState(IndexState newState) {
        indexState = newState;
    }

    /** Whether more is known of the indexes than is written. */
    boolean lagsBehindIndexes() {
        return !written.equals(now());
    }

    /** Writes the next mark, with what is known of the indexes. */
    void write(Mark next) {
        Mark complete = next.with(rebuild, indexState);
        file.write(complete);
        written = complete;
    }

    /** As {@link #write}, to both slots. */
    void writeTwice(Mark next) {
        written = file.writeTwice(next.with(rebuild, indexState));
    }
}
