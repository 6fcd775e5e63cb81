package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class WriterSourcesTest {
    private final WriterSources sources = new WriterSources();

    private void add(int id) {
        sources.add(id, false, new SourceTotals(), 0);
    }

    @Test
    void shouldHaveLoomsOwnSourceFromTheBeginning() {
        assertEquals(1, sources.count());
        assertEquals(0, sources.lastId());
        assertEquals(1, sources.lowestFree());
        assertEquals(0, sources.own().id);
        assertThrows(IllegalArgumentException.class, () -> sources.get(0), "no program writes to it");
        assertSame(sources.own(), sources.getOrAdd(0));
        add(0);
        assertSame(sources.own(), sources.getOrAdd(0));
        assertEquals(1, sources.count());
    }

    @Test
    void shouldRefuseSourcesThatWereNeverAdded() {
        add(3);
        for (int id : new int[] {-1, 0, 1, 2, 4, 1000}) {
            assertThrows(IllegalArgumentException.class, () -> sources.get(id), "id=" + id);
        }
        assertEquals(3, sources.get(3).id);
    }

    @Test
    void shouldGoOnWithTheTotalsOfEarlierSessions() {
        SourceTotals totals = new SourceTotals(64, 5, 70, 9);
        sources.add(2, false, totals, 11);
        SourceState source = sources.get(2);
        assertEquals(64, source.totals.directoryAddress);
        assertEquals(5, source.totals.records);
        assertEquals(70, source.totals.bytes);
        assertEquals(9, source.totals.firstTimeNs);
        assertEquals(11, source.lost);
        assertFalse(source.closed());
    }

    @Test
    void shouldCountSourcesAndKnowTheLowestFreeId() {
        add(1);
        add(2);
        add(5);
        assertEquals(4, sources.count());
        assertEquals(5, sources.lastId());
        assertEquals(3, sources.lowestFree());
        add(3);
        add(4);
        assertEquals(6, sources.lowestFree());
        assertEquals(6, sources.count());
        add(3);
        assertEquals(6, sources.count(), "it was there");
        assertEquals(5, sources.lastId());
    }

    @Test
    void shouldGoOnAsBeforeWhenTheLastSourceIsWithdrawn() {
        add(1);
        add(4);
        sources.withdraw(4);
        assertThrows(IllegalArgumentException.class, () -> sources.get(4));
        assertEquals(2, sources.count());
        assertEquals(1, sources.lastId());
        assertEquals(2, sources.lowestFree());
        sources.withdraw(1);
        assertEquals(1, sources.count());
        assertEquals(0, sources.lastId());
        assertEquals(1, sources.lowestFree());
        add(1);
        assertEquals(1, sources.lastId());
    }

    @Test
    void shouldOpenAndCloseASource() {
        sources.add(1, true, new SourceTotals(), 0);
        assertTrue(sources.get(1).closed());
        sources.open(1);
        assertFalse(sources.get(1).closed());
        sources.close(1);
        assertTrue(sources.get(1).closed());
    }

    @Test
    void shouldAddASourceThatOnlyRecordsHaveClosed() {
        SourceState found = sources.getOrAdd(7);
        assertEquals(7, found.id);
        assertTrue(found.closed());
        assertSame(found, sources.getOrAdd(7));
        assertSame(found, sources.get(7));
        assertEquals(2, sources.count());
        assertNull(sources.states()[6]);
        assertEquals(6, sources.getOrAdd(6).id, "within what is allocated");
        assertEquals(3, sources.count());
    }

    @Test
    void shouldTakeTheHighestId() {
        add(SourceSlots.SOURCES_MAX - 1);
        assertEquals(SourceSlots.SOURCES_MAX - 1, sources.get(SourceSlots.SOURCES_MAX - 1).id);
        assertEquals(SourceSlots.SOURCES_MAX, sources.states().length);
    }
}
