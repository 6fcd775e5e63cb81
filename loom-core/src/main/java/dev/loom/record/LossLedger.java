package dev.loom.record;

import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Records that were dropped, by source, until a marker in the log says so. Owned by the writer's thread; readers see it
 * through {@link LossSlots}.
 */
final class LossLedger {
    private final LossSlots slots;
    private final List<SourceState> unmarked = new ArrayList<>();
    private final UnsafeBuffer marker = new UnsafeBuffer(new byte[OwnRecord.LENGTH]);

    LossLedger(LossSlots slots) {
        this.slots = slots;
    }

    /** Notes one dropped record. */
    void add(SourceState source, long timeNs) {
        if (source.unmarked == 0) {
            source.unmarkedFirstNs = timeNs;
            unmarked.add(source);
        }
        source.unmarked++;
        source.unmarkedLastNs = timeNs;
        source.lost++;
        slots.beginChange();
        slots.put(source.id, source.lost, source.unmarked, source.unmarkedFirstNs, source.unmarkedLastNs);
        slots.pending(unmarked.size());
        slots.endChange();
    }

    /** Takes over what an earlier session lost and did not mark. */
    void restore(SourceState source, LossSlots earlier) {
        source.lost = Math.max(source.lost, earlier.lost(source.id));
        source.unmarked = earlier.unmarked(source.id);
        source.unmarkedFirstNs = earlier.unmarkedFirst(source.id);
        source.unmarkedLastNs = earlier.unmarkedLast(source.id);
        if (source.unmarked != 0) {
            unmarked.add(source);
        }
        slots.put(source.id, source.lost, source.unmarked, source.unmarkedFirstNs, source.unmarkedLastNs);
        slots.pending(unmarked.size());
    }

    boolean unmarked() {
        return !unmarked.isEmpty();
    }

    /** Room for one of Loom's own records. */
    UnsafeBuffer buffer() {
        return marker;
    }

    void beginMarking() {
        slots.beginChange();
    }

    /** Fills {@link #buffer()} with the marker of the next source, and takes it off the list; false when it is empty. */
    boolean nextMark() {
        if (unmarked.isEmpty()) {
            return false;
        }
        SourceState source = unmarked.remove(unmarked.size() - 1);
        OwnRecord.put(
                marker,
                OwnRecord.LOSS,
                source.id,
                OwnRecord.REASON_RING_FULL,
                source.unmarked,
                source.unmarkedFirstNs,
                source.unmarkedLastNs);
        source.unmarked = 0;
        slots.put(source.id, source.lost, 0, 0, 0);
        slots.pending(unmarked.size());
        return true;
    }

    void endMarking() {
        slots.endChange();
    }
}
