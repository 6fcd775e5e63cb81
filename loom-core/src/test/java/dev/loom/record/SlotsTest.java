package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The slots of totals and of losses, as a reader of the same memory sees them. */
final class SlotsTest {
    private static final int BASE = 64;
    private static final int SOURCES = 40;

    private static ByteBuffer memory(int length) {
        return ByteBuffer.allocateDirect(BASE + length + 64).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void assertTotals(SourceSlots slots, int id, long directory, long records, long bytes, long first) {
        SourceTotals totals = new SourceTotals();
        assertTrue(slots.get(id, totals));
        assertEquals(directory, totals.directoryAddress);
        assertEquals(records, totals.records);
        assertEquals(bytes, totals.bytes);
        assertEquals(first, totals.firstTimeNs);
        assertEquals(directory, slots.directoryAcquire(id));
    }

    @Test
    void shouldTellTheTotalsOfEachSourceAlone() {
        ByteBuffer memory = memory(SOURCES * SourceSlots.SLOT_LENGTH);
        SourceSlots writer = new SourceSlots(memory, BASE, SOURCES);
        writer.clear();
        SourceSlots reader = new SourceSlots(memory, BASE, SOURCES);
        for (int round = 1; round <= 2; round++) {
            for (int id = 0; id < SOURCES; id += 3) {
                writer.put(id, new SourceTotals(8L * id, id + round, 100L * id, 1000L * id));
            }
            for (int id = 0; id < SOURCES; id++) {
                if (id % 3 == 0) {
                    assertTotals(reader, id, 8L * id, id + round, 100L * id, 1000L * id);
                } else {
                    assertEquals(SourceSlots.NO_DIRECTORY, reader.directoryAcquire(id));
                    SourceTotals totals = new SourceTotals();
                    assertTrue(reader.get(id, totals));
                    assertEquals(0, totals.records);
                    assertEquals(SourceSlots.NO_DIRECTORY, totals.directoryAddress);
                }
            }
        }
        assertEquals(List.of(0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39), reader.listed());
        assertEquals(SOURCES, reader.sources());
        for (int at = 0; at < BASE; at++) {
            assertEquals(0, memory.get(at), "before the slots");
        }
    }

    @Test
    void shouldTellNothingOfASourceWithoutASlot() {
        SourceSlots slots = SourceSlots.allocate(2);
        SourceTotals totals = new SourceTotals(8, 5, 6, 7);
        assertTrue(slots.get(2, totals));
        assertEquals(0, totals.records);
        assertEquals(0, totals.bytes);
        assertEquals(SourceSlots.NO_DIRECTORY, totals.directoryAddress);
        assertEquals(SourceSlots.NO_DIRECTORY, slots.directoryAcquire(2));
        assertEquals(List.of(), slots.listed());
    }

    @Test
    void shouldTellTheReaderToCountItselfWhenAChangeNeverEnds() {
        ByteBuffer memory = memory(SOURCES * SourceSlots.SLOT_LENGTH);
        SourceSlots slots = new SourceSlots(memory, BASE, SOURCES);
        slots.put(1, new SourceTotals(8, 5, 6, 7));
        int version = BASE + SourceSlots.SLOT_LENGTH + SourceSlots.VERSION_OFFSET;
        memory.putLong(version, memory.getLong(version) + 1);
        assertFalse(slots.get(1, new SourceTotals()));
        slots.put(1, new SourceTotals(16, 6, 7, 8));
        assertTotals(slots, 1, 16, 6, 7, 8);
    }

    @Test
    void shouldGoOnInOtherMemory() {
        SourceSlots slots = new SourceSlots(memory(SourceSlots.SLOT_LENGTH), BASE, 1);
        slots.put(0, new SourceTotals(8, 1, 1, 1));
        ByteBuffer other = memory(SourceSlots.SLOT_LENGTH);
        slots.moveTo(other);
        slots.put(0, new SourceTotals(16, 2, 3, 4));
        assertTotals(new SourceSlots(other, BASE, 1), 0, 16, 2, 3, 4);

        LossSlots losses = new LossSlots(memory(LossSlots.length(1)), BASE, 1);
        ByteBuffer otherLosses = memory(LossSlots.length(1));
        losses.moveTo(otherLosses);
        losses.put(0, 5, 0, 0, 0);
        assertEquals(5, new LossSlots(otherLosses, BASE, 1).lost(0));
    }

    @Test
    void shouldTellTheLossesOfEachSourceAlone() {
        ByteBuffer memory = memory(LossSlots.length(SOURCES));
        LossSlots writer = new LossSlots(memory, BASE, SOURCES);
        LossSlots reader = new LossSlots(memory, BASE, SOURCES);
        assertEquals(SOURCES, reader.sources());
        long[] expected = new long[(SOURCES - 1) * LossSlots.UNMARKED_FIELDS];
        for (int id = 1; id < SOURCES; id++) {
            writer.put(id, 10L * id, id, 100L + id, 200L + id);
            int at = (id - 1) * LossSlots.UNMARKED_FIELDS;
            expected[at] = id;
            expected[at + 1] = id;
            expected[at + 2] = 100L + id;
            expected[at + 3] = 200L + id;
        }
        assertEquals(0, reader.unmarked(1L << 20).length, "none is pending");
        writer.pending(SOURCES - 1);
        assertArrayEquals(expected, reader.unmarked(1L << 20));
        for (int id = 0; id < SOURCES; id++) {
            assertEquals(10L * id, reader.lost(id));
            assertEquals(id, reader.unmarked(id));
        }
        assertEquals(0, reader.lost(SOURCES));
        assertEquals(0, reader.unmarked(SOURCES));
        for (int at = 0; at < BASE; at++) {
            assertEquals(0, memory.get(at), "before the slots");
        }
    }

    /** Of 65,536 slots hardly any is ever used. */
    @Test
    void shouldLookAtSlotsUpToTheHighestSourceThatHadALoss() {
        ByteBuffer memory = memory(LossSlots.length(SOURCES));
        LossSlots slots = new LossSlots(memory, BASE, SOURCES);
        slots.pending(2);
        slots.put(3, 9, 9, 100, 200);
        slots.put(2, 8, 8, 100, 200);
        int unused = BASE + LossSlots.HEADER_LENGTH + 30 * LossSlots.SLOT_LENGTH;
        memory.putLong(unused + LossSlots.UNMARKED_OFFSET, 7);
        long[] upToThree = {2, 8, 100, 200, 3, 9, 100, 200};
        assertArrayEquals(upToThree, slots.unmarked(0L));
        assertArrayEquals(upToThree, slots.unmarkedAtLeast());
        for (long unknown : new long[] {0, -1, SOURCES, SOURCES + 1, Long.MAX_VALUE}) {
            memory.putLong(BASE + 56, unknown);
            assertEquals(3 * LossSlots.UNMARKED_FIELDS, slots.unmarked(0L).length, "of an earlier version, or damaged");
        }
    }

    @Test
    void shouldTellReadersWhetherLossesHaveChanged() {
        LossSlots slots = LossSlots.allocate(2);
        long before = slots.sequenceAcquire();
        assertTrue(slots.unchanged(before));
        slots.beginChange();
        assertFalse(slots.unchanged(before));
        long within = slots.sequenceAcquire();
        assertFalse(slots.unchanged(within), "while it changes");
        slots.beginChange();
        assertEquals(within, slots.sequenceAcquire(), "a killed writer's change goes on");
        slots.endChange();
        long after = slots.sequenceAcquire();
        assertNotEquals(before, after);
        assertTrue(slots.unchanged(after));
        slots.endChange();
        assertFalse(slots.unchanged(after));
        assertTrue(slots.unchanged(slots.sequenceAcquire()));
    }

    /** The marker's place decides, once it is below the log's end. */
    @Test
    void shouldCountWhatIsLeftOnceTheMarkerIsInTheLog() {
        LossSlots slots = LossSlots.allocate(4);
        slots.put(2, 30, 20, 100, 200);
        slots.put(3, 5, 5, 110, 210);
        slots.pending(2);
        slots.beginMark(2, 4096, 8, 150, 190);
        assertArrayEquals(new long[] {2, 20, 100, 200, 3, 5, 110, 210}, slots.unmarked(4096L));
        assertArrayEquals(new long[] {2, 8, 150, 190, 3, 5, 110, 210}, slots.unmarked(4097L));
        slots.endMark(2);
        assertEquals(30, slots.lost(2));
        assertEquals(8, slots.unmarked(2));
        assertEquals(150, slots.unmarkedFirst(2));
        assertEquals(190, slots.unmarkedLast(2));
        assertArrayEquals(new long[] {2, 8, 150, 190, 3, 5, 110, 210}, slots.unmarked(0L));
        slots.put(2, 31, 9, 150, 195);
        assertArrayEquals(new long[] {2, 9, 150, 195, 3, 5, 110, 210}, slots.unmarked(8192L), "lost since");
        slots.put(2, 30, 8, 150, 190);
        slots.beginMark(3, 8192, 0, 0, 0);
        assertArrayEquals(new long[] {2, 8, 150, 190}, slots.unmarked(8193L));
    }
}
