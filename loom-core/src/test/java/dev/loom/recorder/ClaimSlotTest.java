package dev.loom.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.DropPolicy;
import dev.loom.api.LossReason;
import dev.loom.api.PushStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Claims in a ring that only the test reads. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ClaimSlotTest {
    private static final int SOURCE = 2;

    private final RecorderRing ring = new RecorderRing(RecorderRing.BYTES_MIN);
    private final SourceGates gates = new SourceGates();
    private final Intake intake = new Intake(ring, gates, () -> 5, new WakeUp(), 1_000);
    private final ClaimSlots slots = new ClaimSlots();
    private final List<Long> read = new ArrayList<>();

    ClaimSlotTest() {
        gates.add(SOURCE, DropPolicy.refuse(), false);
    }

    private int readAll() {
        return ring.read(
                (source, buffer, index, length) -> {
                    assertEquals(SOURCE, source);
                    assertEquals(Long.BYTES, RecorderRing.payloadLength(length));
                    read.add(buffer.getLong(RecorderRing.payloadIndex(index)));
                },
                Integer.MAX_VALUE);
    }

    private ClaimSlot open(long value) {
        ClaimSlot claim = slots.add(intake, ring);
        assertEquals(0, claim.claim(SOURCE, Long.BYTES));
        claim.buffer().putLong(claim.offset(), value);
        return claim;
    }

    @Test
    void shouldWriteIntoItsPayloadAndNowhereElse() {
        ClaimSlot claim = open(1);
        assertTrue(claim.isOpen());
        assertEquals(0, claim.offset());
        assertEquals(Long.BYTES, claim.length());
        MutableDirectBuffer buffer = claim.buffer();
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.putLong(1, 0));
        assertEquals(0, readAll());
        assertEquals(0, claim.commit());
        assertFalse(claim.isOpen());
        assertEquals(0, claim.length());
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.putByte(0, (byte) 1));
        assertEquals(1, readAll());
        assertEquals(List.of(1L), read);
    }

    /** Objects of claims may be kept in a pool, longer than the thread that made them lives. */
    @Test
    void shouldFindAClaimOfAThreadThatTookItOver() throws InterruptedException {
        ClaimSlot claim = slots.add(intake, ring);
        Thread first = new Thread(() -> {
            claim.claim(SOURCE, Long.BYTES);
            claim.commit();
        });
        first.start();
        first.join();
        readAll();
        slots.add(intake, ring); // which drops those that nobody seems to have
        Thread second = new Thread(() -> claim.claim(SOURCE, Long.BYTES));
        second.start();
        second.join();
        assertEquals(0, readAll(), "the open claim holds it up");
        assertSame(claim, slots.abandonedAt(ring.blockedIndex()));
    }

    @Test
    void shouldBeUsableAgainAfterItsEnd() {
        ClaimSlot claim = open(1);
        assertEquals(0, claim.commit());
        assertEquals(0, claim.claim(SOURCE, Long.BYTES));
        claim.abort();
        assertFalse(claim.isOpen());
        assertEquals(0, claim.claim(SOURCE, Long.BYTES));
        claim.buffer().putLong(0, 3);
        assertEquals(0, claim.commit());
        readAll();
        assertEquals(List.of(1L, 3L), read);
        assertFalse(ring.pending());
        assertThrows(IllegalStateException.class, claim::commit);
        assertThrows(IllegalStateException.class, claim::abort);
    }

    @Test
    void shouldAbortTheOpenClaimWhenTheNextIsMade() {
        ClaimSlot claim = open(1);
        assertEquals(0, claim.claim(SOURCE, Long.BYTES));
        claim.buffer().putLong(0, 2);
        assertEquals(0, claim.commit());
        while (ring.pending()) {
            readAll();
        }
        assertEquals(List.of(2L), read);
    }

    @Test
    void shouldStayClosedWhenItIsRefused() {
        ClaimSlot claim = slots.add(intake, ring);
        gates.get(SOURCE).close();
        assertEquals(PushStatus.SOURCE_CLOSED, claim.claim(SOURCE, 8));
        assertFalse(claim.isOpen());
        assertEquals(0, claim.length());
        assertEquals(1, gates.get(SOURCE).dropped(LossReason.SOURCE_CLOSED));
        assertThrows(IllegalStateException.class, claim::commit);
    }

    @Test
    void shouldAbortWhenClosedAndBeClosedTwice() {
        ClaimSlot claim = open(1);
        claim.close();
        claim.close();
        assertFalse(claim.isOpen());
        readAll();
        assertFalse(ring.pending());
        assertEquals(List.of(), read);
    }

    @Test
    void shouldSayClosedWhenTheRecorderGaveItUp() {
        ClaimSlot claim = open(1);
        ring.seal();
        assertTrue(ring.unblock());
        assertEquals(PushStatus.CLOSED, claim.commit());
        assertFalse(claim.isOpen());
    }

    private ClaimSlot openByEndedThread() throws InterruptedException {
        ClaimSlot[] made = new ClaimSlot[1];
        Thread thread = new Thread(() -> made[0] = open(1));
        thread.start();
        thread.join();
        return made[0];
    }

    private void endAbandoned(ClaimSlot slot) {
        int index = ring.blockedIndex();
        assertTrue(slot.takeAbandoned(index));
        assertTrue(intake.end(index, false));
    }

    /** Both the recorder and a thread that got the object from one that has ended would end its claim. */
    @Test
    void shouldEndAClaimOnceThoughTheObjectHasANewOwner() throws InterruptedException {
        ClaimSlot got = openByEndedThread();
        int index = ring.blockedIndex();
        assertSame(got, slots.abandonedAt(index));
        got.abort();
        assertFalse(got.takeAbandoned(index), "its new owner has ended it");
        readAll();
        ClaimSlot late = openByEndedThread();
        int next = ring.blockedIndex();
        assertTrue(late.takeAbandoned(next));
        assertThrows(IllegalStateException.class, late::commit);
        assertEquals(0, late.claim(SOURCE, Long.BYTES), "it does not end what the recorder ends");
        late.buffer().putLong(0, 7);
        assertTrue(intake.end(next, false));
        assertEquals(0, late.commit());
        while (ring.pending()) {
            readAll();
        }
        assertEquals(List.of(7L), read);
    }

    @Test
    void shouldFindTheClaimOfAnEndedThreadByItsPlaceAlone() throws InterruptedException {
        ClaimSlot living = open(0);
        assertNull(slots.abandonedAt(ring.blockedIndex()), "its thread lives");
        assertEquals(0, living.commit());
        readAll();
        ClaimSlot abandoned = openByEndedThread();
        ClaimSlot next = openByEndedThread();
        int index = ring.blockedIndex();
        assertNull(slots.abandonedAt(index + 8));
        assertSame(abandoned, slots.abandonedAt(index));
        endAbandoned(abandoned);
        assertFalse(abandoned.isOpen());
        assertNull(slots.abandonedAt(index));
        readAll();
        assertSame(next, slots.abandonedAt(ring.blockedIndex()));
        endAbandoned(next);
        readAll();
        assertFalse(ring.pending());
        assertEquals(List.of(0L), read);
    }

    @Test
    void shouldBeHeldFromItsClaimToItsEndByALiveThread() throws InterruptedException {
        ClaimSlot claim = open(1);
        int index = ring.blockedIndex();
        assertTrue(slots.heldAt(index));
        assertFalse(slots.heldAt(index + 8));
        assertEquals(0, claim.commit());
        assertFalse(slots.heldAt(index));
        readAll();
        ClaimSlot ended = openByEndedThread();
        int next = ring.blockedIndex();
        assertFalse(slots.heldAt(next), "its thread has ended");
        endAbandoned(ended);
        gates.get(SOURCE).close();
        assertEquals(PushStatus.SOURCE_CLOSED, ended.claim(SOURCE, 8));
        assertFalse(slots.heldAt(next), "who took the object over has no claim");
    }

    /** Each thread of a pool may make one, and the pool's threads come and go. */
    @Test
    void shouldKeepTheOpenSlotsOfEndedThreads() throws InterruptedException {
        ClaimSlot ended = openByEndedThread();
        endAbandoned(ended);
        readAll();
        ClaimSlot open = openByEndedThread();
        slots.add(intake, ring);
        assertTrue(ended.ownerHasEnded());
        assertFalse(slots.add(intake, ring).ownerHasEnded(), "it has had no thread yet");
        assertSame(open, slots.abandonedAt(ring.blockedIndex()));
    }

    @Test
    void shouldSaySoWhenAStackOverflowsWhileItClaims() {
        Intake deep = new Intake(
                ring,
                gates,
                () -> {
                    throw new StackOverflowError();
                },
                new WakeUp(),
                1_000);
        ClaimSlot claim = slots.add(deep, ring);
        assertThrows(StackOverflowError.class, () -> claim.claim(SOURCE, Long.BYTES));
        assertTrue(deep.overflowed);
        assertEquals(1, deep.orphanCount);
        assertFalse(claim.isOpen());
        assertThrows(IllegalStateException.class, claim::commit);
        assertEquals(0, ring.used(), "before it had any room");
    }

    @Test
    void shouldWakeTheWriterWhenItEnds() throws InterruptedException {
        for (boolean commit : new boolean[] {true, false}) {
            WakeUp wakeUp = new WakeUp();
            ClaimSlot claim = slots.add(new Intake(ring, gates, () -> 5, wakeUp, 1_000), ring);
            assertEquals(0, claim.claim(SOURCE, Long.BYTES));
            Thread writer = new Thread(() -> wakeUp.sleepUnless(() -> false));
            writer.setDaemon(true);
            writer.start();
            while (LockSupport.getBlocker(writer) != wakeUp) {
                Thread.onSpinWait();
            }
            if (commit) {
                assertEquals(0, claim.commit());
            } else {
                claim.abort();
            }
            writer.join();
        }
    }
}
