package dev.loom.index;

import java.util.List;
import org.agrona.DirectBuffer;

/**
 * The indexes of one source, and what they hold of the active chunk (paper, section 4.2: the chunk summary). Owned by the
 * writer's thread, but for {@link #define}, by which any thread, one at a time, says which indexes the next chunk has.
 */
public final class ActiveSummary {
    private static final ActiveIndex[] NONE = {};

    private volatile ActiveIndex[] wanted = NONE;
    private ActiveIndex[] active = NONE;

    /** Sets the indexes from the next chunk on. Those that stay keep what they hold. */
    public void define(List<ActiveIndex> indexes) {
        wanted = indexes.toArray(NONE);
    }

    /** Begins a chunk, before its first record is added. */
    public void begin() {
        for (ActiveIndex index : active) {
            index.reset();
        }
        active = wanted;
    }

    /** Adds a record to every index. */
    public void add(DirectBuffer payload, int offset, int length) {
        for (ActiveIndex index : active) {
            index.add(payload, offset, length);
        }
    }

    /** How many indexes the chunk has. */
    public int count() {
        return active.length;
    }

    /** One of the chunk's indexes. */
    public ActiveIndex index(int i) {
        return active[i];
    }
}
