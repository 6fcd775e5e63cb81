package dev.loom.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.DropPolicy;
import dev.loom.api.LossReason;
import dev.loom.api.PushStatus;
import dev.loom.format.StructCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The producers' side, over a ring that nobody reads but the test. The clock is the seam: a waiting thread reads it. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class IntakeTest {
    private static final int SOURCE = 3;
    private static final long START_NS = 1_000;
    private static final DropPolicy LONG_WAIT = DropPolicy.waitUpTo(Duration.ofMinutes(10));

    /** A slot of 1 KiB, of which the smallest ring holds 64. */
    private static final byte[] PAYLOAD = new byte[1024 - RecorderRing.OVERHEAD_LENGTH];

    private static final int SLOTS = RecorderRing.BYTES_MIN / 1024;

    private record Batch(long records, long firstNs, long lastNs) {}

    private record Taken(int source, long timeNs, String text) {}

    private final RecorderRing ring = new RecorderRing(RecorderRing.BYTES_MIN);
    private final SourceGates gates = new SourceGates();
    private final WakeUp wakeUp = new WakeUp();
    private final List<Taken> taken = new ArrayList<>();
    private long nowNs = START_NS;
    private final Intake intake = intake(PAYLOAD.length, () -> nowNs++);

    private Intake intake(int payloadLengthMax, LongSupplier clock) {
        return new Intake(ring, gates, clock, wakeUp, payloadLengthMax);
    }

    private SourceGate gate(DropPolicy policy) {
        gates.add(SOURCE, policy, false);
        return gates.get(SOURCE);
    }

    private void fill() {
        while (ring.used() < ring.capacity()) {
            assertEquals(0, intake.offer(SOURCE, PAYLOAD));
        }
    }

    private int read(int limit) {
        return ring.read(
                (source, buffer, index, length) -> taken.add(new Taken(
                        source,
                        RecorderRing.timeNs(buffer, index),
                        buffer.getStringWithoutLengthAscii(
                                RecorderRing.payloadIndex(index), RecorderRing.payloadLength(length)))),
                limit);
    }

    private static List<Batch> collect(DropWindow window) {
        List<Batch> batches = new ArrayList<>();
        window.collect((records, firstNs, lastNs) -> batches.add(new Batch(records, firstNs, lastNs)));
        return batches;
    }

    @Test
    void shouldPutPayloadSourceAndTimeOfTheOfferIntoTheRing() {
        gate(DropPolicy.refuse());
        byte[] text = "..abcdef..".getBytes(StandardCharsets.US_ASCII);
        assertEquals(0, intake.offer(SOURCE, new UnsafeBuffer(text), 2, 6));
        assertEquals(0, intake.offer(SOURCE, text));
        assertEquals(0, intake.offer(SOURCE, new byte[0]));
        assertEquals(3, read(SLOTS));
        assertEquals(
                List.of(
                        new Taken(SOURCE, START_NS, "abcdef"),
                        new Taken(SOURCE, START_NS + 1, "..abcdef.."),
                        new Taken(SOURCE, START_NS + 2, "")),
                taken);
        assertFalse(intake.dropped());
    }

    @Test
    void shouldPutTheRemainingBytesOfAByteBufferIntoTheRing() {
        gate(DropPolicy.refuse());
        byte[] text = "..abcdef..".getBytes(StandardCharsets.US_ASCII);
        ByteBuffer direct = ByteBuffer.allocateDirect(text.length).put(text).position(2);
        List<ByteBuffer> buffers = List.of(
                ByteBuffer.wrap(text, 2, 6),
                ByteBuffer.wrap(text)
                        .position(1)
                        .slice()
                        .asReadOnlyBuffer()
                        .position(1)
                        .limit(7),
                direct.limit(8),
                ByteBuffer.allocate(0));
        for (ByteBuffer payload : buffers) {
            ByteBuffer before = payload.duplicate();
            assertEquals(0, intake.offer(SOURCE, payload));
            assertEquals(before.position(), payload.position());
            assertEquals(before.limit(), payload.limit());
        }
        read(SLOTS);
        assertEquals(
                List.of("abcdef", "abcdef", "abcdef", ""),
                taken.stream().map(Taken::text).toList());
        ByteBuffer tooLong = ByteBuffer.allocate(PAYLOAD.length + 1);
        assertThrows(IllegalArgumentException.class, () -> intake.offer(SOURCE, tooLong));
        assertEquals(0, ring.used());
    }

    @Test
    void shouldReadTheClockOfTheNextSession() {
        gate(DropPolicy.refuse());
        intake.reopened(() -> 77, Integer.MAX_VALUE);
        assertEquals(0, intake.offer(SOURCE, new byte[0]));
        read(1);
        assertEquals(List.of(new Taken(SOURCE, 77, "")), taken);
    }

    @Test
    void shouldThrowAndClaimNothingWhenAnArgumentIsWrong() {
        SourceGate gate = gate(DropPolicy.refuse());
        UnsafeBuffer payload = new UnsafeBuffer(new byte[2 * PAYLOAD.length]);
        assertThrows(IndexOutOfBoundsException.class, () -> intake.offer(SOURCE, payload, payload.capacity() - 3, 4));
        assertThrows(IllegalArgumentException.class, () -> intake.offer(SOURCE, payload, 0, PAYLOAD.length + 1));
        assertThrows(IllegalArgumentException.class, () -> intake.offer(SOURCE, new byte[PAYLOAD.length + 1]));
        assertThrows(IllegalArgumentException.class, () -> intake.claim(SOURCE, -1));
        assertThrows(IllegalArgumentException.class, () -> intake.offer(SOURCE + 1, new byte[1]));
        assertEquals(0, ring.used());
        assertEquals(0, intake.offer(SOURCE, payload, PAYLOAD.length, PAYLOAD.length));
        assertEquals(1, read(2));
        assertEquals(0, gate.dropped(LossReason.RECORDER_FULL));
    }

    @Test
    void shouldTakeNoLongerPayloadThanRingAndStoreDo() {
        int ofRing = ring.payloadLengthMax();
        assertEquals(10, intake(10, () -> 0).payloadLengthMax());
        assertEquals(ofRing, intake(ofRing + 1, () -> 0).payloadLengthMax());
        gate(DropPolicy.refuse());
        assertEquals(0, intake(Integer.MAX_VALUE, () -> 0).offer(SOURCE, new byte[ofRing]));
    }

    @Test
    void shouldRefuseAndCountRecordsOfAClosedSource() {
        SourceGate gate = gate(DropPolicy.refuse());
        gate.close();
        assertEquals(PushStatus.SOURCE_CLOSED, intake.offer(SOURCE, PAYLOAD));
        assertEquals(PushStatus.SOURCE_CLOSED, intake.offer(SOURCE, new UnsafeBuffer(PAYLOAD), 0, 1));
        assertEquals(2, gate.dropped(LossReason.SOURCE_CLOSED));
        assertEquals(0, ring.used());
        gate.open();
        assertEquals(0, intake.offer(SOURCE, PAYLOAD));
    }

    @Test
    void shouldDropAtOnceWhenTheRingIsFull() {
        SourceGate gate = gate(DropPolicy.refuse());
        fill();
        long firstNs = nowNs;
        assertEquals(PushStatus.DROPPED, intake.offer(SOURCE, PAYLOAD));
        assertEquals(PushStatus.DROPPED, intake.offer(SOURCE, PAYLOAD));
        assertEquals(2, gate.dropped(LossReason.RECORDER_FULL));
        assertEquals(List.of(new Batch(2, firstNs, firstNs + 1)), collect(gate.full));
        assertEquals(List.of(), collect(gate.sampled));
    }

    @Test
    void shouldSayOnceThatThereAreDropsToCollect() {
        gate(DropPolicy.refuse());
        assertFalse(intake.takeDropped());
        fill();
        assertFalse(intake.dropped());
        intake.offer(SOURCE, PAYLOAD);
        assertTrue(intake.dropped());
        assertTrue(intake.takeDropped());
        assertFalse(intake.dropped());
        assertFalse(intake.takeDropped());
        intake.keepDropped();
        assertTrue(intake.takeDropped());
    }

    /** Half the ring is in use at the 33rd record; it and those before are taken, and then every third. */
    @Test
    void shouldTakeASampleOnlyWhileMoreThanTheFractionIsInUse() {
        SourceGate gate = gate(DropPolicy.sample(3, 0.5));
        for (int i = 0; i <= SLOTS / 2; i++) {
            assertEquals(0, intake.offer(SOURCE, PAYLOAD));
        }
        long firstNs = nowNs;
        List<Long> statuses = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            statuses.add(intake.offer(SOURCE, PAYLOAD));
        }
        long sampled = PushStatus.SAMPLED;
        assertEquals(List.of(0L, sampled, sampled, 0L, sampled, sampled), statuses);
        assertEquals(4, gate.dropped(LossReason.SAMPLED));
        assertTrue(intake.takeDropped());
        assertEquals(List.of(new Batch(4, firstNs + 1, firstNs + 5)), collect(gate.sampled));
        assertEquals(List.of(), collect(gate.full));
        read(SLOTS);
        assertEquals(0, intake.offer(SOURCE, PAYLOAD));
    }

    @Test
    void shouldTakeAllWhenTheSampleIsOneInOne() {
        gate(DropPolicy.sample(1, 0));
        fill();
        assertEquals(PushStatus.DROPPED, intake.offer(SOURCE, PAYLOAD));
    }

    @Test
    void shouldTakeTheRecordWithTheTimeWhenItGotRoomAfterAWait() {
        SourceGate gate = gate(LONG_WAIT);
        fill();
        long offeredNs = nowNs;
        intake.reopened(
                () -> {
                    if (nowNs == offeredNs + 4) {
                        assertEquals(1, read(1));
                    }
                    return nowNs++;
                },
                Integer.MAX_VALUE);
        assertEquals(0, intake.offer(SOURCE, "late".getBytes(StandardCharsets.US_ASCII)));
        taken.clear();
        while (ring.pending()) {
            read(SLOTS); // at most up to the ring's end
        }
        assertEquals(new Taken(SOURCE, offeredNs + 4, "late"), taken.get(SLOTS - 1));
        assertEquals(0, gate.dropped(LossReason.RECORDER_FULL));
    }

    @Test
    void shouldDropWithTheLastTimeReadWhenTheWaitIsOver() {
        SourceGate gate = gate(DropPolicy.waitUpTo(Duration.ofMillis(3)));
        fill();
        long offeredNs = nowNs;
        long start = System.nanoTime();
        assertEquals(PushStatus.DROPPED, intake.offer(SOURCE, PAYLOAD));
        assertTrue(System.nanoTime() - start >= 3_000_000);
        assertTrue(nowNs - offeredNs >= 2, "clock readings=" + (nowNs - offeredNs));
        assertEquals(List.of(new Batch(1, nowNs - 1, nowNs - 1)), collect(gate.full));
    }

    @Test
    void shouldEndTheWaitAndKeepTheInterruptWhenInterrupted() {
        SourceGate gate = gate(LONG_WAIT);
        fill();
        Thread.currentThread().interrupt();
        assertEquals(PushStatus.DROPPED, intake.offer(SOURCE, PAYLOAD));
        assertTrue(Thread.interrupted());
        assertEquals(1, gate.dropped(LossReason.RECORDER_FULL));
    }

    private enum Refusal {
        CLOSED(PushStatus.CLOSED, LossReason.CLOSED),
        FAILED(PushStatus.FAILED, LossReason.FAILED);

        private final long status;
        private final LossReason reason;

        Refusal(long status, LossReason reason) {
            this.status = status;
            this.reason = reason;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndTheWaitWhenTheRecorderRefuses(Refusal refusal) {
        SourceGate gate = gate(LONG_WAIT);
        fill();
        long offeredNs = nowNs;
        intake.reopened(
                () -> {
                    if (nowNs == offeredNs + 2) {
                        intake.refuse(refusal.status);
                    }
                    return nowNs++;
                },
                Integer.MAX_VALUE);
        assertEquals(refusal.status, intake.offer(SOURCE, PAYLOAD));
        assertEquals(1, gate.dropped(refusal.reason));
        assertEquals(0, gate.dropped(LossReason.RECORDER_FULL));
        assertFalse(intake.dropped());
    }

    @Test
    void shouldRefuseForTheFirstReasonGivenWhateverThePolicy() {
        SourceGate gate = gate(DropPolicy.sample(2, 0));
        assertEquals(0, intake.offer(SOURCE, PAYLOAD));
        intake.refuse(PushStatus.FAILED);
        long tail = ring.tail();
        intake.refuse(PushStatus.CLOSED);
        for (DropPolicy policy : List.of(DropPolicy.sample(2, 0), DropPolicy.refuse(), LONG_WAIT)) {
            gate.policy(policy);
            assertEquals(PushStatus.FAILED, intake.offer(SOURCE, PAYLOAD));
            assertEquals(PushStatus.FAILED, intake.offer(SOURCE, PAYLOAD));
        }
        assertEquals(6, gate.dropped(LossReason.FAILED));
        assertEquals(0, gate.dropped(LossReason.CLOSED));
        assertEquals(tail, ring.tail());
        assertEquals(1, read(SLOTS));
    }

    @Test
    void shouldSayClosedWhenItsRoomWasGivenUpBeforeTheCommit() {
        gate(DropPolicy.refuse());
        int index = (int) intake.claim(SOURCE, 8);
        ring.seal();
        assertTrue(ring.unblock());
        assertFalse(intake.end(index, true));
    }

    @Test
    void shouldAbortWhenThePayloadCantBeCopied() {
        gate(DropPolicy.refuse());
        UnsafeBuffer shrinking = new UnsafeBuffer(new byte[8]) {
            private int checks;

            @Override
            public void boundsCheck(int index, int length) {
                if (checks++ > 0) {
                    throw new IndexOutOfBoundsException("checks=" + checks);
                }
            }
        };
        assertThrows(IndexOutOfBoundsException.class, () -> intake.offer(SOURCE, shrinking, 0, 8));
        assertEquals(0, read(1));
        assertFalse(ring.pending());
    }

    /** While it copies, the recorder's time to close is over. */
    @Test
    void shouldSayClosedWhenItsRoomWasGivenUpDuringTheCopy() {
        gate(DropPolicy.refuse());
        UnsafeBuffer slow = new UnsafeBuffer(new byte[8]) {
            private int checks;

            @Override
            public void boundsCheck(int index, int length) {
                if (checks++ > 0) {
                    ring.seal();
                    assertTrue(ring.unblock());
                }
            }
        };
        assertEquals(PushStatus.CLOSED, intake.offer(SOURCE, slow, 0, 8));
        assertEquals(0, read(SLOTS));
        assertFalse(ring.pending());
    }

    record Point(long value, String name) {}

    private static final StructCodec<Point> POINTS = StructCodec.of(Point.class);

    /** What a record class's accessors do, which are the program's code. */
    private static Runnable inAccessor = () -> {};

    @SuppressWarnings("ArrayRecordComponent") // a payload of bytes
    record Hooked(byte[] bytes) {
        @Override
        public byte[] bytes() {
            inAccessor.run();
            return bytes;
        }
    }

    private static final StructCodec<Hooked> HOOKED = StructCodec.of(Hooked.class);

    /** At how many calls of its accessor it begins to be shorter. */
    private static int shrinkFrom;

    @SuppressWarnings("ArrayRecordComponent") // a payload of bytes
    record Shrinking(byte[] bytes) {
        @Override
        public byte[] bytes() {
            return --shrinkFrom > 0 ? bytes : new byte[5];
        }
    }

    private static final StructCodec<Shrinking> SHRINKING = StructCodec.of(Shrinking.class);

    @AfterEach
    void forgetAccessor() {
        inAccessor = () -> {};
    }

    @Test
    void shouldPutARecordsPayloadIntoTheRing() {
        SourceGate gate = gate(DropPolicy.refuse());
        Point point = new Point(-7, "abc");
        assertEquals(0, intake.offer(SOURCE, POINTS, point));
        List<Point> found = new ArrayList<>();
        ring.read(
                (source, buffer, index, length) -> found.add(
                        POINTS.read(buffer, RecorderRing.payloadIndex(index), RecorderRing.payloadLength(length))),
                2);
        assertEquals(List.of(point), found);
        gate.close();
        assertEquals(PushStatus.SOURCE_CLOSED, intake.offer(SOURCE, POINTS, point));
        assertEquals(0, ring.used());
    }

    @Test
    void shouldSayClosedWhenItsRoomWasGivenUpWhileARecordIsWritten() {
        gate(DropPolicy.refuse());
        int[] calls = new int[1];
        inAccessor = () -> {
            if (calls[0]++ > 0 && ring.pending()) {
                ring.seal();
                assertTrue(ring.unblock());
                inAccessor = () -> {};
            }
        };
        assertEquals(PushStatus.CLOSED, intake.offer(SOURCE, HOOKED, new Hooked(new byte[8])));
        assertEquals(0, read(SLOTS));
        assertFalse(ring.pending());
    }

    @Test
    void shouldAbortWhenARecordCantBeWritten() {
        gate(DropPolicy.refuse());
        inAccessor = () -> {
            if (ring.used() > 0) {
                throw new IllegalArgumentException("injected failure");
            }
        };
        assertThrows(RuntimeException.class, () -> intake.offer(SOURCE, HOOKED, new Hooked(new byte[8])));
        assertEquals(0, read(1));
        assertFalse(ring.pending());
        assertFalse(intake.overflowed);
    }

    @Test
    void shouldAbortARecordThatChangesWhileItIsWritten() {
        gate(DropPolicy.refuse());
        Shrinking shrinking = new Shrinking(new byte[8]);
        shrinkFrom = 2;
        String message = assertThrows(IllegalStateException.class, () -> intake.offer(SOURCE, SHRINKING, shrinking))
                .getMessage();
        assertTrue(message.startsWith("record changed while being written: class="), message);
        assertEquals(0, read(1));
        assertFalse(ring.pending());
    }

    /** A thread leaves its room claimed where its stack overflows: ending it could overflow it again. */
    @Test
    void shouldNoteTheRoomThatAnOverflowLeaves() {
        gate(DropPolicy.refuse());
        UnsafeBuffer deep = new UnsafeBuffer(new byte[8]) {
            private int checks;

            @Override
            public void boundsCheck(int index, int length) {
                if (checks++ > 0) {
                    throw new StackOverflowError();
                }
            }
        };
        assertFalse(intake.overflowed);
        assertThrows(StackOverflowError.class, () -> intake.offer(SOURCE, deep, 0, 8));
        assertTrue(intake.overflowed);
        assertOrphan();
        inAccessor = () -> {
            if (ring.used() > 0) {
                throw new StackOverflowError();
            }
        };
        assertThrows(StackOverflowError.class, () -> intake.offer(SOURCE, HOOKED, new Hooked(new byte[8])));
        assertOrphan();
        assertEquals(0, intake.offer(SOURCE, PAYLOAD));
        assertEquals(1, read(SLOTS), "those behind it go on");
    }

    /** Ends the claim that the reader waits for, which the intake knows of once. */
    private void assertOrphan() {
        assertEquals(0, read(SLOTS));
        assertTrue(ring.pending());
        int index = ring.blockedIndex();
        assertFalse(intake.takeOrphan(index + 8));
        assertTrue(intake.takeOrphan(index));
        assertFalse(intake.takeOrphan(index), "once");
        assertTrue(intake.end(index, false));
        assertEquals(0, read(SLOTS));
        assertFalse(ring.pending());
    }

    @Test
    void shouldRememberTheLatestOrphans() {
        for (int i = 0; i < 100; i++) {
            intake.orphans[intake.orphanCount++ & Intake.ORPHANS_MASK] = 8 * (i + 1);
        }
        for (int i = 0; i < 100; i++) {
            assertEquals(i >= 100 - intake.orphans.length, intake.takeOrphan(8 * (i + 1)), "orphan=" + i);
        }
    }

    private enum Ending {
        OFFERED,
        DROPPED
    }

    /** Whoever waits for the writer wakes it; whoever brings something wakes it from its sleep. */
    @ParameterizedTest
    @EnumSource
    void shouldWakeTheSleepingWriter(Ending ending) throws InterruptedException {
        SourceGate gate = gate(DropPolicy.refuse());
        Thread writer = new Thread(() -> wakeUp.sleepUnless(() -> false));
        writer.setDaemon(true);
        writer.start();
        awaitState(writer, Thread.State.WAITING);
        if (ending == Ending.OFFERED) {
            intake.offer(SOURCE, PAYLOAD);
        } else {
            intake.drop(gate.failed, 5);
        }
        writer.join();
        assertFalse(writer.isAlive());
    }

    /** A full ring is no work for a napping writer, but the thread that waits for room is in a hurry. */
    @Test
    void shouldEndTheWritersNapWhenAThreadWaitsForRoom() throws InterruptedException {
        gate(LONG_WAIT);
        fill();
        Thread writer = new Thread(() -> {
            wakeUp.nap(TimeUnit.MINUTES.toNanos(10));
            read(1);
        });
        writer.setDaemon(true);
        writer.start();
        awaitState(writer, Thread.State.TIMED_WAITING);
        assertEquals(0, intake.offer(SOURCE, PAYLOAD));
        writer.join();
        assertEquals(1, taken.size());
    }

    private static void awaitState(Thread thread, Thread.State state) {
        while (thread.getState() != state) {
            Thread.onSpinWait();
        }
    }
}
