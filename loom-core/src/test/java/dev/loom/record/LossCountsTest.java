package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.LossReason;
import dev.loom.api.StoreInfo.Loss;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LossCountsTest {
    private static final int BASE = 64;

    private static ByteBuffer memory() {
        return ByteBuffer.allocateDirect(BASE + LossCounts.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void shouldCountBySourceAndReason() {
        ByteBuffer memory = memory();
        LossCounts counts = new LossCounts(memory, BASE);
        LossLedger ledger = new LossLedger(LossSlots.allocate(65_536), counts);
        SourceState first = new SourceState(65_535);
        SourceState second = new SourceState(2);
        ledger.add(first, LossReason.STORE_FULL, 10, 100, 200);
        ledger.add(second, LossReason.UNKNOWN, 1, 100, 200);
        ledger.add(first, LossReason.SAMPLED, 5, 150, 300);
        ledger.add(first, LossReason.STORE_FULL, 7, 100, 200);
        assertEquals(
                List.of(
                        new Loss(65_535, LossReason.STORE_FULL, 17),
                        new Loss(2, LossReason.UNKNOWN, 1),
                        new Loss(65_535, LossReason.SAMPLED, 5)),
                new LossCounts(memory, BASE).all());
        assertEquals(65_535 | 2L << 32, memory.getLong(BASE + 128), "source and reason, as in the picture");
        assertEquals(17, memory.getLong(BASE + 136));
        assertEquals(17, memory.getLong(BASE + 8), "the sum of its reason");
        for (int at = 0; at < BASE; at++) {
            assertEquals(0, memory.get(at), "before the counts");
        }
    }

    @Test
    void shouldCountTogetherWhatHasNoCellOfItsOwn() {
        ByteBuffer memory = memory();
        LossLedger ledger = new LossLedger(LossSlots.allocate(200), new LossCounts(memory, BASE));
        for (int id = 1; id <= LossCounts.CELLS + 3; id++) {
            ledger.add(new SourceState(id), id % 2 == 0 ? LossReason.SAMPLED : LossReason.ELSEWHERE, id, 1, 2);
        }
        List<Loss> all = new LossCounts(memory, BASE).all();
        assertEquals(LossCounts.CELLS + 2, all.size());
        assertEquals(new Loss(120, LossReason.SAMPLED, 120), all.get(119));
        assertEquals(new Loss(0, LossReason.SAMPLED, 122), all.get(120));
        assertEquals(new Loss(0, LossReason.ELSEWHERE, 121 + 123), all.get(121));
    }

    @Test
    void shouldGoOnInOtherMemory() {
        ByteBuffer memory = memory();
        LossCounts counts = new LossCounts(memory, BASE);
        int cell = counts.takeCell(3, LossReason.FAILED);
        counts.add(cell, LossReason.FAILED, 4);
        ByteBuffer other = memory();
        other.put(0, memory, 0, memory.capacity());
        counts.moveTo(other);
        counts.add(cell, LossReason.FAILED, 1);
        counts.add(counts.takeCell(4, LossReason.FAILED), LossReason.FAILED, 2);
        assertEquals(
                List.of(new Loss(3, LossReason.FAILED, 5), new Loss(4, LossReason.FAILED, 2)),
                new LossCounts(other, BASE).all());
    }

    /** A live file may be damaged, or of a later version. */
    @Test
    void shouldReadWhateverItHolds() {
        ByteBuffer memory = memory();
        for (int at = 0; at < memory.capacity(); at++) {
            memory.put(at, (byte) 0xff);
        }
        assertEquals(List.of(), new LossCounts(memory, BASE).all());
        memory.putLong(BASE + 128, 5 | 16L << 32);
        memory.putLong(BASE + 136, 9);
        assertEquals(List.of(new Loss(5, LossReason.UNKNOWN, 9)), new LossCounts(memory, BASE).all());
        assertTrue(LossReason.values().length <= 16, "there is room for 16 sums");
    }
}
