package dev.loom.store;

import java.util.concurrent.TimeUnit;

/**
 * Whether deleting files frees space of the file system. It does not where others hold the same blocks, such as a snapshot or a copy by
 * reflinks, or readers hold the files open: deleting more would then lose all records for nothing. Not thread-safe.
 */
final class FreedSpace {
    /** After this number of deletions in a row that freed nothing, deleting is doubtful. */
    static final int FRUITLESS_MAX = 3;

    /** How long the first doubtful deletion waits; each one after it waits twice as long. */
    static final long WAIT_NS = TimeUnit.SECONDS.toNanos(8);

    private static final int DOUBLINGS_MAX = 9;

    private int fruitless;

    // the last deletion, while it may still free something
    private boolean open;
    /** Whether it has been counted as one that freed nothing. */
    private boolean counted;

    private long deleted;
    private long freeBefore;
    private long usedAfter;

    private long deletedAtNs;

    /**
     * Whether more may be deleted, as far as the last deletion tells.
     *
     * @param free bytes that the file system has free
     * @param used bytes that the store's files take
     */
    boolean allowsMore(long free, long used, long nowNs) {
        // what the store has written since took some of it
        if (open && isGain(free - freeBefore + used - usedAfter)) {
            noteEnough();
        } else if (open && !counted) {
            fruitless++; // until it comes after all: some file systems free it only with their next transaction
            counted = true;
        }
        return !isDoubtful() || nowNs - deletedAtNs >= WAIT_NS << Math.min(fruitless - FRUITLESS_MAX, DOUBLINGS_MAX);
    }

    /** Whether deletions have freed nothing lately: then one segment at a time shows whether that has changed. */
    boolean isDoubtful() {
        return fruitless >= FRUITLESS_MAX;
    }

    /** Notes a deletion, whose space may come at once, or later. */
    void noteDeletion(long deletedBytes, long free, long freeNow, long usedNow, long nowNs) {
        deleted = deletedBytes;
        freeBefore = free;
        usedAfter = usedNow;
        deletedAtNs = nowNs;
        open = !isGain(freeNow - free);
        counted = false;
        fruitless = open ? fruitless : 0;
    }

    /** There is enough free space. */
    void noteEnough() {
        fruitless = 0;
        open = false;
    }

    private boolean isGain(long bytes) {
        return bytes >= deleted / 2;
    }
}
