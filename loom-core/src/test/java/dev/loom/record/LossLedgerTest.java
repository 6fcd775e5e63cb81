package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.LossReason;
import org.junit.jupiter.api.Test;

final class LossLedgerTest {
    private static final long ADDRESS = 1 << 20;

    /** A reader, or a recovery, sees each loss in its slot or in the log, whatever a kill has kept the writer from. */
    @Test
    void shouldCountALossOnceWhereverItsMarkingEnds() {
        LossSlots slots = LossSlots.allocate(8);
        LossLedger ledger = new LossLedger(slots);
        SourceState source = new SourceState(3);
        ledger.add(source, LossReason.STORE_FULL, 10, 100, 200);
        ledger.add(source, LossReason.SAMPLED, 5, 150, 300);
        assertArrayEquals(new long[] {3, 15, 100, 300}, slots.unmarked(ADDRESS));
        ledger.beginMarking();
        assertTrue(ledger.nextMark(1000, ADDRESS));
        long first = OwnRecord.lost(ledger.buffer(), 0);
        assertArrayEquals(new long[] {3, 15, 100, 300}, slots.unmarked(ADDRESS), "its marker is not in the log");
        long[] left = {3, 15 - first, first == 10 ? 150 : 100, first == 10 ? 300 : 200};
        assertArrayEquals(left, slots.unmarked(ADDRESS + 1), "its marker is in the log");
        ledger.marked();
        assertArrayEquals(left, slots.unmarked(ADDRESS + 1), "it is taken off");
        assertTrue(ledger.nextMark(1000, 2 * ADDRESS));
        ledger.marked();
        assertArrayEquals(new long[0], slots.unmarked(3 * ADDRESS));
        assertFalse(ledger.nextMark(1000, 3 * ADDRESS));
        ledger.endMarking();
    }
}
