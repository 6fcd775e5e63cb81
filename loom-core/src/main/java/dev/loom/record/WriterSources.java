package dev.loom.record;

import dev.loom.index.ActiveIndex;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The writer's sources by id. The writer's thread reads it; any thread changes it, one at a time. A thread that learns
 * an id from a change sees that change.
 */
public final class WriterSources {
    private final SourceState own = new SourceState(0);
    private volatile @Nullable SourceState[] states = {own};
    private volatile int count = 1;
    private volatile int lastId;

    SourceState own() {
        return own;
    }

    /** @throws IllegalArgumentException for an id that was never defined, and for 0 */
    SourceState get(int sourceId) {
        @Nullable SourceState[] all = states;
        SourceState state = sourceId > 0 && sourceId < all.length ? all[sourceId] : null;
        if (state == null) {
            throw new IllegalArgumentException("source is not defined: id=" + sourceId);
        }
        return state;
    }

    /** The source of a record found in the log, even if no schema entry defines it. */
    SourceState getOrAdd(int sourceId) {
        @Nullable SourceState[] all = states;
        SourceState state = sourceId < all.length ? all[sourceId] : null;
        if (state == null) {
            add(sourceId, true, new SourceTotals(), 0);
            state = states[sourceId];
        }
        return Objects.requireNonNull(state);
    }

    @Nullable
    SourceState[] states() {
        return states;
    }

    /** The highest id. */
    public int lastId() {
        return lastId;
    }

    /** The lowest id that no source has, neither in the schema nor in records. */
    public synchronized int lowestFree() {
        @Nullable SourceState[] all = states;
        int id = 1;
        while (id < all.length && all[id] != null) {
            id++;
        }
        return id;
    }

    /** The number of sources ever defined, including source 0. */
    public int count() {
        return count;
    }

    /** Adds a source; its totals are those of earlier sessions. */
    public synchronized void add(int sourceId, boolean closed, SourceTotals totals, long lost) {
        @Nullable SourceState[] all = states;
        if (sourceId >= all.length) {
            all = Arrays.copyOf(all, Math.max(sourceId + 1, Math.min(all.length * 2, SourceSlots.SOURCES_MAX)));
        }
        SourceState state = sourceId == 0 ? own : new SourceState(sourceId);
        boolean added = all[sourceId] == null;
        state.totals.directoryAddress = totals.directoryAddress;
        state.totals.records = totals.records;
        state.totals.bytes = totals.bytes;
        state.totals.firstTimeNs = totals.firstTimeNs;
        state.lost = lost;
        if (closed) {
            state.close();
        }
        all[sourceId] = state;
        count += added ? 1 : 0;
        lastId = Math.max(lastId, sourceId);
        states = all;
    }

    /** Lets the writer take records of a source that was added closed. Allocates nothing. */
    public synchronized void open(int sourceId) {
        get(sourceId).open();
    }

    /** Removes the source added last, which was not opened. Allocates nothing. */
    public synchronized void withdraw(int sourceId) {
        @Nullable SourceState[] all = states;
        all[sourceId] = null;
        count--;
        int last = sourceId - 1;
        while (last > 0 && all[last] == null) {
            last--;
        }
        lastId = last;
        states = all;
    }

    public synchronized void close(int sourceId) {
        get(sourceId).close();
    }

    /** Sets the indexes of a source from its next chunk on. Indexes that remain keep their contents. */
    public synchronized void index(int sourceId, List<ActiveIndex> indexes) {
        get(sourceId).summary.define(indexes);
    }
}
