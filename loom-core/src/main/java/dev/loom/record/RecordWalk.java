package dev.loom.record;

import dev.loom.log.PageState;
import dev.loom.value.RecordBatch;

/**
 * Moves through the records of one source, part by part and page by page; {@link ForwardRecords} and {@link
 * BackwardRecords} set the direction. Reads one record at a time through its {@link PageRecords}. For one thread.
 */
public abstract class RecordWalk {
    /** Asking before every skipped part would cost more than skipping it. */
    private static final int ASK_EVERY = 256;

    final Chunks chunks;
    final PageRecords page;
    private final WalkGuide guide;

    private int parts;
    private boolean ended;
    private long pagesAsked;
    private long pagesUnlisted;
    private long pagesDamaged;
    private long pagesExpired;

    RecordWalk(Chunks chunks, PageRecords page, WalkGuide guide) {
        this.chunks = chunks;
        this.page = page;
        this.guide = guide;
    }

    /** Moves to the next record in the walk's direction; false if there is none, or if the guide ended the walk. */
    public abstract boolean next();

    /**
     * Fills the batch with the records after the current one without visiting each, as far as possible; false if there
     * is none and {@link #next()} has to continue.
     */
    public boolean next(RecordBatch batch) {
        return false;
    }

    /** Moves to the next part to read; false if there is none. */
    final boolean nextPart() {
        while (chunks.next()) {
            if (++parts % ASK_EVERY == 0 && !mayGoOn()) {
                return false;
            }
            switch (guide.decide(chunks)) {
                case READ -> {
                    return true;
                }
                case END -> {
                    return false;
                }
                case PASS_OVER -> {
                    // to the next
                }
                case DESCEND -> chunks.descend();
            }
        }
        return false;
    }

    private boolean mayGoOn() {
        ended = !guide.mayGoOn(page.bytesRead() + chunks.bytesRead());
        return !ended;
    }

    /** Reads a page of the part; false if it can't be read. */
    final boolean read(long pageAddress) {
        if (!mayGoOn()) {
            return false;
        }
        pagesAsked++;
        pagesUnlisted += chunks.listed() ? 0 : 1;
        PageState state = page.read(pageAddress);
        pagesDamaged += state == PageState.DAMAGED ? 1 : 0;
        pagesExpired += state == PageState.EXPIRED ? 1 : 0;
        return state == PageState.PRESENT;
    }

    /** Whether the guide ended the walk. */
    final boolean ended() {
        return ended;
    }

    /** Pages requested so far. */
    public final long pagesAsked() {
        return pagesAsked;
    }

    /** Pages requested so far that no directory covers. */
    public final long pagesUnlisted() {
        return pagesUnlisted;
    }

    /** Pages, and records that span pages, skipped because they are damaged. */
    public final long damaged() {
        return pagesDamaged + page.damagedRecords();
    }

    /** Pages of the walk that were deleted before it reached them. */
    public final long pagesExpired() {
        return pagesExpired + (page.expired() ? 1 : 0);
    }

    /** Whether there are any. */
    public final boolean expired() {
        return pagesExpired() > 0;
    }
}
