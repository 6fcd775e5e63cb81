package dev.loom.record;

import dev.loom.index.ActiveSummary;
import java.util.ArrayList;
import java.util.List;

/** The writer's state of one source. Owned by the writer's thread, except for {@link #open} and {@link #close}. */
final class SourceState {
    final int id;
    /** Totals up to the newest directory. */
    final SourceTotals totals = new SourceTotals();

    /** Address of the chunk that the five fields below describe; -1 before the first. */
    long chunkAddress = -1;

    int chunkRecords;
    long chunkBytes;
    long chunkFirstTimeNs;
    long lastAddress;
    long lastTimeNs;

    /** The source's indexes, and their summaries of the chunk. */
    final ActiveSummary summary = new ActiveSummary();

    /** Whether the chunk has indexes of the source. */
    boolean indexed;

    /** All records lost. */
    long lost;

    /** One entry per reason that has had losses. */
    final List<UnmarkedLoss> losses = new ArrayList<>(0);

    private volatile boolean closed;

    SourceState(int id) {
        this.id = id;
    }

    /** Records lost that no marker in the log counts. */
    long unmarkedRecords() {
        long records = 0;
        for (int i = 0; i < losses.size(); i++) { // no iterator, because this must not allocate
            records += losses.get(i).recordsAll();
        }
        return records;
    }

    /** The time of the first of those; 0 if there is none. */
    long unmarkedFirstNs() {
        long first = Long.MAX_VALUE;
        for (int i = 0; i < losses.size(); i++) {
            UnmarkedLoss loss = losses.get(i);
            first = loss.recordsAll() == 0 ? first : Math.min(first, loss.firstNsAll());
        }
        return first == Long.MAX_VALUE ? 0 : first;
    }

    /** The time of the last of those; 0 if there is none. */
    long unmarkedLastNs() {
        long last = 0;
        for (int i = 0; i < losses.size(); i++) {
            UnmarkedLoss loss = losses.get(i);
            last = loss.recordsAll() == 0 ? last : Math.max(last, loss.lastNsAll());
        }
        return last;
    }

    boolean closed() {
        return closed;
    }

    /** Any thread. */
    void open() {
        closed = false;
    }

    /** Any thread. */
    void close() {
        closed = true;
    }
}
