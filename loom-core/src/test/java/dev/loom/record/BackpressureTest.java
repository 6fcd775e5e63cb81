package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.LossReason;
import dev.loom.api.Pressure;
import dev.loom.api.PushStatus;
import dev.loom.error.StoreIoException;
import dev.loom.log.Evictor;
import dev.loom.log.SegmentBudget;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What a writer without room does, and what readers are told of it. */
final class BackpressureTest {
    private static final int BASE = 8;

    private final ByteBuffer memory =
            ByteBuffer.allocateDirect(BASE + PressureGauge.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    private final PressureGauge gauge = new PressureGauge(memory, BASE);
    private final LossSlots slots = LossSlots.allocate(2);
    private final SourceState source = new SourceState(1);
    private int asked;

    /** Not started: the test alone makes room. */
    private final Evictor evictor =
            Evictor.create(List.of(), 1, new RecordLogFixture.NoDurability(), SegmentBudget.UNLIMITED, 1, 1);

    private Backpressure backpressure(Pressure policy) {
        return new Backpressure(
                gauge,
                evictor,
                policy,
                new LossLedger(slots, new LossCounts(ByteBuffer.allocateDirect(LossCounts.LENGTH), 0)));
    }

    /** Room at a later question. */
    private BooleanSupplier roomAt(int question) {
        asked = 0;
        return () -> ++asked >= question;
    }

    private void assertGauge(long waits, long refused) {
        PressureGauge reader = new PressureGauge(memory, BASE);
        assertEquals(waits, reader.waits());
        assertEquals(refused, reader.refused());
        assertEquals(waits > 0, reader.waitedNs() > 0);
        assertEquals(0, memory.getLong(0), "before it");
    }

    @Test
    void shouldRefuseAtOnceWhoDoesNotWait() {
        for (Pressure policy : Pressure.values()) {
            assertEquals(PushStatus.BACK_PRESSURED, backpressure(policy).await(source, 5, roomAt(1), false));
            assertEquals(0, asked);
        }
        assertEquals(0, slots.lost(1));
        assertGauge(0, 0);
    }

    @Test
    void shouldDropARecordWhenThatIsThePolicy() {
        Backpressure drops = backpressure(Pressure.DROP_NEWEST);
        assertTrue(drops.drops());
        assertEquals(PushStatus.DROPPED, drops.await(source, 5, roomAt(1), true));
        assertEquals(PushStatus.DROPPED, drops.await(source, 7, roomAt(1), true));
        assertEquals(2, slots.lost(1));
        assertEquals(5, slots.unmarkedFirst(1));
        assertEquals(7, slots.unmarkedLast(1));
        assertEquals(LossReason.STORE_FULL, source.losses.get(0).reason);
        assertGauge(0, 0);
    }

    @Test
    void shouldWaitForRoomWhenThatIsThePolicy() {
        Backpressure waits = backpressure(Pressure.WAIT);
        assertFalse(waits.drops());
        for (int question : new int[] {2, 300}) {
            assertEquals(0, waits.await(source, 5, roomAt(question), true));
            assertEquals(question, asked);
        }
        assertEquals(0, slots.lost(1));
        assertGauge(2, 0);
    }

    @Test
    void shouldWaitToSealWhateverThePolicy() {
        assertEquals(0, backpressure(Pressure.DROP_NEWEST).await(null, 5, roomAt(300), true));
        assertEquals(300, asked);
        assertGauge(1, 0);
    }

    @Test
    void shouldKeepAnInterruptThatComesWhileItWaits() {
        Thread.currentThread().interrupt();
        assertEquals(0, backpressure(Pressure.WAIT).await(source, 5, roomAt(300), true));
        assertTrue(Thread.interrupted());
        assertEquals(0, backpressure(Pressure.WAIT).await(source, 5, roomAt(300), true));
        assertFalse(Thread.interrupted());
    }

    @Test
    void shouldNotCountAWaitWhenThereIsRoom() {
        backpressure(Pressure.WAIT).awaitOrFail(roomAt(1));
        assertEquals(1, asked);
        assertGauge(0, 0);
        backpressure(Pressure.WAIT).awaitOrFail(roomAt(3));
        assertEquals(3, asked);
        assertGauge(1, 0);
    }

    @Test
    void shouldCountThePausesOfARecordAsOneWait() {
        Backpressure waits = backpressure(Pressure.WAIT);
        waits.pause(1000, true);
        long waited = gauge.waitedNs();
        waits.pause(1000, false);
        assertTrue(gauge.waitedNs() > waited);
        assertGauge(1, 0);
        Thread.currentThread().interrupt();
        waits.pause(1, false);
        assertFalse(Thread.interrupted(), "swallowed, as the caller's loop would never sleep");
    }

    @Test
    void shouldCountWhatAClosedSourceRefused() {
        Backpressure waits = backpressure(Pressure.WAIT);
        waits.countRefused();
        waits.countRefused();
        assertGauge(0, 2);
    }

    @Test
    void shouldGoOnCountingInOtherMemory() {
        ByteBuffer other =
                ByteBuffer.allocateDirect(BASE + PressureGauge.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        gauge.moveTo(other);
        gauge.countWait();
        assertEquals(1, new PressureGauge(other, BASE).waits());
        assertEquals(0, new PressureGauge(memory, BASE).waits());
    }

    @Test
    void shouldEndAWaitWithTheEvictor() {
        evictor.start();
        evictor.close();
        Backpressure waits = backpressure(Pressure.WAIT);
        assertThrows(StoreIoException.class, () -> waits.await(source, 5, () -> false, true));
        assertThrows(StoreIoException.class, () -> waits.pause(1, false));
    }
}
