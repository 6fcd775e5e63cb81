package dev.loom.record;

import dev.loom.api.LossReason;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The dropped records by source and reason that no marker in the log counts yet. Owned by the writer's thread. Readers
 * see them through {@link LossSlots}, which does not distinguish reasons, and in {@link LossCounts}, which does.
 */
final class LossLedger {
    private final LossSlots slots;
    private final LossCounts counts;
    private final List<UnmarkedLoss> unmarked = new ArrayList<>();
    private final UnsafeBuffer marker = new UnsafeBuffer(new byte[OwnRecord.LENGTH]);
    private int next;

    LossLedger(LossSlots slots, LossCounts counts) {
        this.slots = slots;
        this.counts = counts;
    }

    /** Notes dropped records between two times. */
    void add(SourceState source, LossReason reason, long records, long firstNs, long lastNs) {
        addUnmarked(source, reason, records, firstNs, lastNs);
        source.lost += records;
        slots.beginChange();
        publish(source);
        slots.endChange();
    }

    /** Shows readers a source's losses before this session. */
    void show(SourceState source) {
        slots.put(source.id, source.lost, 0, 0, 0);
    }

    private void addUnmarked(SourceState source, LossReason reason, long records, long firstNs, long lastNs) {
        UnmarkedLoss loss = find(source, reason);
        if (loss.records == 0) {
            unmarked.add(loss);
        }
        loss.add(records, firstNs, lastNs);
        counts.add(loss.cell, reason, records);
    }

    private UnmarkedLoss find(SourceState source, LossReason reason) {
        for (UnmarkedLoss loss : source.losses) {
            if (loss.reason == reason) {
                return loss;
            }
        }
        UnmarkedLoss loss = new UnmarkedLoss(source, reason, counts.takeCell(source.id, reason));
        source.losses.add(loss);
        return loss;
    }

    private void publish(SourceState source) {
        // first, for a recovery after a kill
        slots.pending(unmarked.size());
        slots.put(source.id, source.lost, source.unmarkedRecords(), source.unmarkedFirstNs(), source.unmarkedLastNs());
    }

    boolean unmarked() {
        return !unmarked.isEmpty();
    }

    /** The earliest time at which everything can be marked. */
    long lastNs() {
        long last = 0;
        for (UnmarkedLoss loss : unmarked) {
            last = Math.max(last, loss.lastNsAll());
        }
        return last;
    }

    /** A buffer for one of Loom's own records. */
    UnsafeBuffer buffer() {
        return marker;
    }

    void beginMarking() {
        slots.beginChange();
        next = unmarked.size() - 1;
    }

    /**
     * Fills {@link #buffer()} with the marker of the next loss, which the caller appends before it calls {@link
     * #marked}; false if there is none. A loss later than its marker would be has to wait, as can happen with a
     * recorder, because readers look for a marker only from the loss's time on.
     *
     * @param address the marker's address
     */
    boolean nextMark(long timeNs, long address) {
        while (next >= 0 && unmarked.get(next).lastNs > timeNs) {
            next--;
        }
        if (next < 0) {
            return false;
        }
        UnmarkedLoss loss = unmarked.get(next);
        SourceState source = loss.source;
        OwnRecord.put(marker, OwnRecord.LOSS, source.id, loss.reason.code(), loss.records, loss.firstNs, loss.lastNs);
        loss.marked();
        slots.beginMark(
                source.id, address, source.unmarkedRecords(), source.unmarkedFirstNs(), source.unmarkedLastNs());
        return true;
    }

    /** Removes the loss, whose marker is published. */
    void marked() {
        UnmarkedLoss loss = unmarked.get(next);
        slots.endMark(loss.source.id);
        if (loss.records == 0) {
            // the last one has been considered already
            unmarked.set(next, unmarked.get(unmarked.size() - 1));
            unmarked.remove(unmarked.size() - 1);
            next--;
        }
        slots.pending(unmarked.size());
    }

    void endMarking() {
        slots.endChange();
    }
}
