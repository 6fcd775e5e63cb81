package dev.loom.record;

import dev.loom.api.LossReason;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Records that were dropped, by source and reason, until a marker in the log says so. Owned by the writer's thread; readers
 * see it through {@link LossSlots}, where a source's reasons are one.
 */
final class LossLedger {
    private final LossSlots slots;
    private final List<UnmarkedLoss> unmarked = new ArrayList<>();
    private final UnsafeBuffer marker = new UnsafeBuffer(new byte[OwnRecord.LENGTH]);
    private int next;

    LossLedger(LossSlots slots) {
        this.slots = slots;
    }

    /** Notes dropped records, which lie between two times. */
    void add(SourceState source, LossReason reason, long records, long firstNs, long lastNs) {
        addUnmarked(source, reason, records, firstNs, lastNs);
        source.lost += records;
        slots.beginChange();
        publish(source);
        slots.endChange();
    }

    /** Takes over what an earlier session lost and did not mark. */
    void restore(SourceState source, LossSlots earlier) {
        source.lost = Math.max(source.lost, earlier.lost(source.id));
        long records = earlier.unmarked(source.id);
        if (records != 0) {
            addUnmarked(
                    source,
                    LossReason.UNKNOWN,
                    records,
                    earlier.unmarkedFirst(source.id),
                    earlier.unmarkedLast(source.id));
        }
        publish(source);
    }

    private void addUnmarked(SourceState source, LossReason reason, long records, long firstNs, long lastNs) {
        UnmarkedLoss loss = find(source, reason);
        if (loss.records == 0) {
            unmarked.add(loss);
        }
        loss.add(records, firstNs, lastNs);
    }

    private static UnmarkedLoss find(SourceState source, LossReason reason) {
        for (UnmarkedLoss loss : source.losses) {
            if (loss.reason == reason) {
                return loss;
            }
        }
        UnmarkedLoss loss = new UnmarkedLoss(source, reason);
        source.losses.add(loss);
        return loss;
    }

    private void publish(SourceState source) {
        long records = 0;
        long firstNs = Long.MAX_VALUE;
        long lastNs = Long.MIN_VALUE;
        for (UnmarkedLoss loss : source.losses) {
            if (loss.records != 0) {
                records += loss.recordsAll();
                firstNs = Math.min(firstNs, loss.firstNsAll());
                lastNs = Math.max(lastNs, loss.lastNsAll());
            }
        }
        slots.put(source.id, source.lost, records, records == 0 ? 0 : firstNs, records == 0 ? 0 : lastNs);
        slots.pending(unmarked.size());
    }

    boolean unmarked() {
        return !unmarked.isEmpty();
    }

    /** The time from which on everything can be marked. */
    long lastNs() {
        long last = 0;
        for (UnmarkedLoss loss : unmarked) {
            last = Math.max(last, loss.lastNsAll());
        }
        return last;
    }

    /** Room for one of Loom's own records. */
    UnsafeBuffer buffer() {
        return marker;
    }

    void beginMarking() {
        slots.beginChange();
        next = unmarked.size() - 1;
    }

    /**
     * Fills {@link #buffer()} with the marker of the next loss, and takes that off the list; false when there is none. A loss
     * that is later than the marker would be waits, as it may with a recorder: markers are looked for from their losses on.
     */
    boolean nextMark(long timeNs) {
        while (next >= 0 && unmarked.get(next).lastNs > timeNs) {
            next--;
        }
        if (next < 0) {
            return false;
        }
        UnmarkedLoss loss = unmarked.get(next);
        OwnRecord.put(
                marker, OwnRecord.LOSS, loss.source.id, loss.reason.code(), loss.records, loss.firstNs, loss.lastNs);
        loss.marked();
        if (loss.records == 0) {
            // the last one has had its turn
            unmarked.set(next, unmarked.get(unmarked.size() - 1));
            unmarked.remove(unmarked.size() - 1);
            next--;
        }
        publish(loss.source);
        return true;
    }

    void endMarking() {
        slots.endChange();
    }
}
