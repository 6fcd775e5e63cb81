package dev.loom.record;

import dev.loom.index.RecordBatch;
import dev.loom.log.PageState;

/**
 * Moves through the records of one source, part by part and page by page; {@link ForwardRecords} and {@link BackwardRecords}
 * say in which direction. Stands on one record at a time, which its {@link PageRecords} gives. For one thread.
 */
public abstract class RecordWalk {
    /** As often as pages are read would cost more than the parts themselves. */
    private static final int ASK_EVERY = 256;

    final Chunks chunks;
    final PageRecords page;
    private final WalkGuide guide;

    private int parts;
    private boolean ended;
    private long pagesAsked;
    private long pagesUnlisted;
    private long pagesDamaged;
    private boolean expired;

    RecordWalk(Chunks chunks, PageRecords page, WalkGuide guide) {
        this.chunks = chunks;
        this.page = page;
        this.guide = guide;
    }

    /** Moves to the next record in the walk's direction; false when there is none, or the guide ended the walk. */
    public abstract boolean next();

    /**
     * Gives records next to the current one, without standing on them, as far as they can be had so; false when there is none,
     * and {@link #next()} has to go on.
     */
    public boolean next(RecordBatch batch) {
        return false;
    }

    /** Moves to the next part to be read; false when there is none. */
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
            }
        }
        return false;
    }

    private boolean mayGoOn() {
        ended = !guide.mayGoOn(page.bytesRead() + chunks.bytesRead());
        return !ended;
    }

    /** Reads a page of the part; false when it can't be had. */
    final boolean read(long pageAddress) {
        if (!mayGoOn()) {
            return false;
        }
        pagesAsked++;
        pagesUnlisted += chunks.listed() ? 0 : 1;
        PageState state = page.read(pageAddress);
        pagesDamaged += state == PageState.DAMAGED ? 1 : 0;
        expired |= state == PageState.EXPIRED;
        return state == PageState.PRESENT;
    }

    /** Whether the guide ended the walk. */
    final boolean ended() {
        return ended;
    }

    /** Pages asked for so far. */
    public final long pagesAsked() {
        return pagesAsked;
    }

    /** Those of them that no directory covers. */
    public final long pagesUnlisted() {
        return pagesUnlisted;
    }

    /** Pages, and records of several pages, that were passed over as they are damaged. */
    public final long damaged() {
        return pagesDamaged + page.damagedRecords();
    }

    /** Whether pages to be read were deleted before. */
    public final boolean expired() {
        return expired;
    }
}
