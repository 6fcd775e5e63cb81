package dev.loom.record;

import dev.loom.index.ActiveSummary;
import java.util.ArrayList;
import java.util.List;

/** What the writer keeps of one source. Owned by the writer's thread, but for {@link #close}. */
final class SourceState {
    final int id;
    /** Totals up to the newest directory. */
    final SourceTotals totals = new SourceTotals();

    /** Address of the chunk that the five fields below are about; -1 before the first. */
    long chunk = -1;

    int chunkRecords;
    long chunkBytes;
    long chunkFirstTimeNs;
    long lastAddress;
    long lastTimeNs;

    /** The source's indexes, and what they hold of the chunk. */
    final ActiveSummary summary = new ActiveSummary();

    /** Whether the chunk has any. */
    boolean indexed;

    long lost;
    /** By reason, those that have had losses. */
    final List<UnmarkedLoss> losses = new ArrayList<>(0);

    private volatile boolean closed;

    SourceState(int id) {
        this.id = id;
    }

    boolean closed() {
        return closed;
    }

    /** Any thread. */
    void close() {
        closed = true;
    }
}
