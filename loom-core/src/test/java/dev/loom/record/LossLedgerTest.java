package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.LossReason;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class LossLedgerTest {
    private static final long ADDRESS = 1 << 20;

    private static LossCounts counts() {
        return new LossCounts(ByteBuffer.allocateDirect(LossCounts.LENGTH), 0);
    }

    /** A reader, or a recovery, sees each loss in its slot or in the log, whatever a kill has kept the writer from. */
    @Test
    void shouldCountALossOnceWhereverItsMarkingEnds() {
        LossSlots slots = LossSlots.allocate(8);
        LossLedger ledger = new LossLedger(slots, counts());
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

    /** Whoever reads the log's end afterwards finds each loss here or below it. */
    @Test
    void shouldTellALossThatIsBeingMarkedToWhoReadsTheLogsEndLater() {
        LossSlots slots = LossSlots.allocate(8);
        LossLedger ledger = new LossLedger(slots, counts());
        ledger.add(new SourceState(3), LossReason.STORE_FULL, 10, 100, 200);
        ledger.beginMarking();
        assertTrue(ledger.nextMark(1000, ADDRESS));
        assertArrayEquals(new long[0], slots.unmarked(ADDRESS + 1));
        assertArrayEquals(new long[] {3, 10, 100, 200}, slots.unmarkedAtLeast());
        ledger.marked();
        assertArrayEquals(new long[0], slots.unmarkedAtLeast(), "its marker is in the log");
    }

    @Test
    void shouldLetReadersSeeEachChangeAsAWhole() {
        LossSlots slots = LossSlots.allocate(8);
        LossLedger ledger = new LossLedger(slots, counts());
        SourceState source = new SourceState(3);
        long before = slots.sequenceAcquire();
        ledger.add(source, LossReason.SAMPLED, 5, 150, 300);
        assertFalse(slots.unchanged(before));
        long added = slots.sequenceAcquire();
        assertTrue(slots.unchanged(added), "the change has ended");
        ledger.beginMarking();
        assertFalse(slots.unchanged(slots.sequenceAcquire()), "until all are marked");
        assertTrue(ledger.nextMark(1000, ADDRESS));
        ledger.marked();
        assertFalse(slots.unchanged(slots.sequenceAcquire()));
        ledger.endMarking();
        assertTrue(slots.unchanged(slots.sequenceAcquire()));
        assertFalse(slots.unchanged(added));
        assertEquals(5, slots.lost(3));
        assertEquals(0, slots.unmarked(3));
    }

    @Test
    void shouldMarkALossOnlyAtItsTimeOrLater() {
        LossLedger ledger = new LossLedger(LossSlots.allocate(8), counts());
        assertFalse(ledger.unmarked());
        assertEquals(0, ledger.lastNs());
        ledger.add(new SourceState(1), LossReason.SAMPLED, 5, 150, 300);
        ledger.add(new SourceState(2), LossReason.SAMPLED, 6, 150, 200);
        assertTrue(ledger.unmarked());
        assertEquals(300, ledger.lastNs());
        ledger.beginMarking();
        assertTrue(ledger.nextMark(200, ADDRESS));
        assertEquals(2, OwnRecord.source(ledger.buffer(), 0));
        assertEquals(6, OwnRecord.lost(ledger.buffer(), 0));
        ledger.marked();
        assertFalse(ledger.nextMark(299, ADDRESS), "the other has to wait");
        ledger.endMarking();
        assertTrue(ledger.unmarked());
        ledger.beginMarking();
        assertTrue(ledger.nextMark(300, ADDRESS));
        assertEquals(1, OwnRecord.source(ledger.buffer(), 0));
        ledger.marked();
        ledger.endMarking();
        assertFalse(ledger.unmarked());
    }

    @Test
    void shouldMarkAllLossesOfOneReasonTogether() {
        LossSlots slots = LossSlots.allocate(8);
        LossLedger ledger = new LossLedger(slots, counts());
        SourceState source = new SourceState(3);
        source.lost = 100;
        ledger.show(source);
        assertEquals(100, slots.lost(3), "of earlier sessions");
        ledger.add(source, LossReason.SAMPLED, 5, 150, 300);
        ledger.beginMarking();
        assertTrue(ledger.nextMark(1000, ADDRESS));
        ledger.marked();
        ledger.endMarking();
        ledger.add(source, LossReason.SAMPLED, 1, 400, 500);
        ledger.add(source, LossReason.SAMPLED, 2, 450, 460);
        assertEquals(1, source.losses.size());
        assertEquals(108, slots.lost(3));
        ledger.beginMarking();
        assertTrue(ledger.nextMark(1000, ADDRESS));
        assertEquals(1, OwnRecord.lost(ledger.buffer(), 0), "its times were fixed with the first");
        ledger.marked();
        assertTrue(ledger.nextMark(1000, 2 * ADDRESS));
        assertEquals(2, OwnRecord.lost(ledger.buffer(), 0));
        ledger.marked();
        ledger.endMarking();
        assertFalse(ledger.unmarked());
    }
}
