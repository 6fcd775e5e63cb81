package dev.loom.recorder;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.Loom;
import dev.loom.LoomReader;
import dev.loom.StoreAccess;
import dev.loom.api.DropPolicy;
import dev.loom.api.LossReason;
import dev.loom.api.PushStatus;
import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.error.StoreIoException;
import dev.loom.format.Formats;
import dev.loom.io.LoomFile;
import dev.loom.record.OwnRecord;
import dev.loom.store.StoreSession;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The writer, run on the test's own thread: once it is told to end, its run does what there is to do, and returns. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RecorderWriterTest {
    private static final long START_NS = 1_000_000_000_000L;
    private static final long OVERFLOWED_NS = 1_000_000;

    private record Stored(long timeNs, long value) {}

    private record Loss(int source, LossReason reason, long records, long firstNs, long lastNs) {}

    @TempDir
    Path temp;

    private volatile boolean full;
    private volatile boolean unsynced;

    private final HookedStorage storage = new HookedStorage() {
        @Override
        protected void onWrite(Path file, long position, boolean direct) {
            if (full && file.toString().endsWith(".seg")) {
                throw new StoreIoException("injected failure: no space left: file=" + file);
            }
        }

        @Override
        protected void force(LoomFile file) {
            if (unsynced) {
                throw new StoreIoException("injected failure: sync: file=" + file.path());
            }
            super.force(file);
        }
    };

    private final RecorderRing ring = new RecorderRing(1 << 20);
    private final SourceGates gates = new SourceGates();
    private final ClaimSlots claims = new ClaimSlots();
    private final WakeUp wakeUp = new WakeUp();
    private final List<Stored> stored = new ArrayList<>();
    private final List<Loss> losses = new ArrayList<>();
    private long nowNs = START_NS;
    private Loom loom;
    private Intake intake;
    private RecorderWriter writer;
    private int source;
    private int other;

    @BeforeEach
    void open() {
        loom = StoreAccess.open(temp.resolve("store"), storage, builder -> builder.clock(() -> START_NS));
        source = loom.defineSource("source", Formats.bytes());
        other = loom.defineSource("other", Formats.bytes());
        intake = new Intake(ring, gates, () -> nowNs, wakeUp, 1 << 17);
        writer = new RecorderWriter(ring, gates, intake, claims, wakeUp, StoreAccess.session(loom), OVERFLOWED_NS);
        gates.add(source, DropPolicy.refuse(), false);
        gates.add(other, DropPolicy.sample(1_000, 0), false);
    }

    @AfterEach
    void close() {
        full = false;
        unsynced = false;
        loom.close();
    }

    private long offer(int sourceId, long timeNs, long value) {
        nowNs = timeNs;
        byte[] payload = new byte[Long.BYTES];
        payload[0] = (byte) value;
        return intake.offer(sourceId, payload);
    }

    /** Refuses more, does what there is to do, gives the open claims up, and closes the store. */
    private void runToEnd() {
        intake.refuse(PushStatus.CLOSED);
        writer.end(System.nanoTime());
        writer.run();
    }

    /** What the closed store has of a source, and all losses marked in it. */
    private void read(int sourceId) {
        try (LoomReader reader = LoomReader.attach(temp.resolve("store"));
                Snapshot snapshot = reader.snapshot();
                RecordCursor records = snapshot.oldestFirst(sourceId, Long.MIN_VALUE, Long.MAX_VALUE);
                RecordCursor own = snapshot.oldestFirst(0, Long.MIN_VALUE, Long.MAX_VALUE)) {
            while (records.next()) {
                stored.add(new Stored(records.timeNs(), records.buffer().getByte(records.offset())));
            }
            while (own.next()) {
                if (OwnRecord.kind(own.buffer(), own.offset()) == OwnRecord.LOSS) {
                    losses.add(new Loss(
                            OwnRecord.source(own.buffer(), own.offset()),
                            LossReason.ofCode(OwnRecord.reason(own.buffer(), own.offset())),
                            OwnRecord.lost(own.buffer(), own.offset()),
                            OwnRecord.lossFirstNs(own.buffer(), own.offset()),
                            OwnRecord.lossLastNs(own.buffer(), own.offset())));
                }
            }
        }
    }

    @Test
    void shouldStoreAllThatWasTakenBeforeItEnds() {
        for (int i = 0; i < 600; i++) { // more than two batches
            assertEquals(0, offer(source, START_NS + i, i));
        }
        runToEnd();
        assertEquals(600, gates.get(source).published());
        assertFalse(StoreAccess.session(loom).isOpen());
        assertNull(writer.failure());
        assertNull(writer.closeFailure());
        assertEquals(0, writer.lost());
        assertEquals(0, writer.raised());
        assertEquals(0, writer.waits());
        read(source);
        assertEquals(600, stored.size());
        for (int i = 0; i < 600; i++) {
            assertEquals(new Stored(START_NS + i, (byte) i), stored.get(i));
        }
        assertEquals(List.of(), losses);
    }

    @Test
    void shouldCountTheRecordsWhoseTimeWasRaisedAndByHowMuchAtMost() {
        offer(source, START_NS + 100, 1);
        offer(source, START_NS + 40, 2);
        offer(other, START_NS + 70, 3);
        offer(source, START_NS + 100, 4);
        runToEnd();
        assertEquals(2, writer.raised());
        assertEquals(60, writer.raisedNsMax());
        read(source);
        long raised = START_NS + 100;
        assertEquals(List.of(new Stored(raised, 1), new Stored(raised, 2), new Stored(raised, 4)), stored);
    }

    @Test
    void shouldMarkDropsByReasonWithTheRangeOfTheirTimes() {
        assertEquals(0, offer(source, START_NS, 1));
        assertEquals(0, offer(other, START_NS, 1));
        assertEquals(PushStatus.SAMPLED, offer(other, START_NS + 1, 2));
        assertEquals(PushStatus.SAMPLED, offer(other, START_NS + 2, 2));
        intake.drop(gates.get(source).full, START_NS + 3);
        intake.drop(gates.get(source).failed, START_NS + 4);
        runToEnd();
        assertFalse(intake.dropped());
        read(source);
        assertEquals(
                List.of(
                        new Loss(source, LossReason.RECORDER_FULL, 1, START_NS + 3, START_NS + 3),
                        new Loss(source, LossReason.FAILED, 1, START_NS + 4, START_NS + 4),
                        new Loss(other, LossReason.SAMPLED, 2, START_NS + 1, START_NS + 2)),
                losses.stream()
                        .sorted(Comparator.comparing(Loss::source).thenComparing(Loss::firstNs))
                        .toList());
        assertEquals(0, writer.lost(), "nothing that was taken");
    }

    @Test
    void shouldGoOnBehindTheClaimOfAnEndedThread() throws InterruptedException {
        nowNs = START_NS + 5;
        Thread thread =
                new Thread(() -> assertEquals(0, claims.add(intake, ring).claim(source, 8)));
        thread.start();
        thread.join();
        assertEquals(0, offer(source, START_NS + 6, 7));
        intake.refuse(PushStatus.CLOSED);
        writer.end(System.nanoTime() + TimeUnit.MINUTES.toNanos(10));
        writer.run();
        assertEquals(1, gates.get(source).dropped(LossReason.ABANDONED));
        assertEquals(0, gates.get(source).dropped(LossReason.CLOSED));
        assertEquals(0, writer.lost());
        read(source);
        assertEquals(List.of(new Stored(START_NS + 6, 7)), stored);
        assertEquals(List.of(new Loss(source, LossReason.ABANDONED, 1, START_NS + 5, START_NS + 5)), losses);
    }

    private static byte[] payload(int value) {
        byte[] payload = new byte[10_000];
        Arrays.fill(payload, (byte) value);
        return payload;
    }

    /** That each record has one byte only, again and again, as it was written. */
    private void assertWhole(int expected) {
        int read = 0;
        try (LoomReader reader = LoomReader.attach(temp.resolve("store"));
                Snapshot snapshot = reader.snapshot();
                RecordCursor records = snapshot.oldestFirst(source, Long.MIN_VALUE, Long.MAX_VALUE)) {
            while (records.next()) {
                byte[] payload = new byte[records.length()];
                records.buffer().getBytes(records.offset(), payload);
                assertArrayEquals(payload(payload[0]), payload);
                read++;
            }
        }
        assertEquals(expected, read);
    }

    /** Though some thread's stack has overflowed, the claim of another that lives is not room that an overflow left. */
    @Test
    void shouldLeaveTheClaimOfALiveThreadAloneHoweverOldItIs() throws InterruptedException {
        Thread thread = new Thread(writer);
        thread.start();
        ClaimSlot claim = claims.add(intake, ring);
        AtomicInteger taken = new AtomicInteger();
        intake.overflowed = true;
        for (int round = 0; round < 3; round++) {
            byte[] held = payload(-1 - round);
            while (claim.claim(source, held.length) != 0) {
                Thread.onSpinWait(); // room is free a moment after its records are published
            }
            Thread others = new Thread(() -> {
                while (intake.offer(source, payload(taken.get() & 0x7f)) == 0) {
                    taken.incrementAndGet();
                }
            });
            others.start();
            others.join(); // the ring is full
            TimeUnit.MILLISECONDS.sleep(600); // thousands of looks
            assertEquals(0, gates.get(source).dropped(LossReason.ABANDONED));
            claim.buffer().putBytes(0, held);
            assertEquals(0, claim.commit());
            int all = taken.get() + round + 1;
            while (gates.get(source).published() < all) {
                Thread.onSpinWait();
            }
        }
        intake.refuse(PushStatus.CLOSED);
        writer.end(System.nanoTime() + TimeUnit.MINUTES.toNanos(10));
        thread.join();
        assertWhole(taken.get() + 3);
        read(source);
        List<Byte> values = stored.stream().map(each -> (byte) each.value).toList();
        int perRound = values.indexOf((byte) -2) - 1;
        assertTrue(perRound > 90, values::toString);
        assertEquals((byte) -1, values.get(0));
        assertEquals((byte) 0, values.get(1));
        assertTrue(values.contains((byte) -3), values::toString);
    }

    @Test
    void shouldGiveUpRoomThatNoClaimHas() throws InterruptedException {
        ClaimSlot claim = claims.add(intake, ring);
        assertEquals(0, claim.claim(source, 8));
        assertEquals(0, claim.commit());
        assertTrue(intake.claim(source, 8) >= 0);
        assertEquals(0, offer(source, START_NS + 1, 2));
        intake.overflowed = true;
        Thread thread = new Thread(writer);
        thread.start();
        while (gates.get(source).published() < 2) {
            Thread.onSpinWait();
        }
        assertEquals(1, gates.get(source).dropped(LossReason.ABANDONED));
        intake.refuse(PushStatus.CLOSED);
        writer.end(System.nanoTime());
        thread.join();
    }

    @Test
    void shouldGiveUpTheClaimsStillOpenAtTheDeadlineAndStoreTheRest() {
        nowNs = START_NS + 5;
        ClaimSlot claim = claims.add(intake, ring);
        assertEquals(0, claim.claim(source, 8));
        assertEquals(0, offer(source, START_NS + 6, 7));
        runToEnd();
        assertEquals(PushStatus.CLOSED, claim.commit());
        assertEquals(1, gates.get(source).dropped(LossReason.CLOSED));
        assertEquals(1, gates.get(source).published());
        assertEquals(1, writer.lost());
        read(source);
        assertEquals(List.of(new Stored(START_NS + 6, 7)), stored);
        assertEquals(List.of(new Loss(source, LossReason.CLOSED, 1, START_NS + 5, START_NS + 5)), losses);
    }

    @Test
    void shouldNoteTheLossOfRecordsOfASourceThatTheStoreClosed() {
        assertEquals(0, offer(source, START_NS + 5, 1));
        loom.closeSource(source);
        runToEnd();
        assertEquals(1, gates.get(source).dropped(LossReason.SOURCE_CLOSED));
        assertEquals(0, gates.get(source).published());
        assertEquals(0, writer.lost());
        read(source);
        assertEquals(List.of(new Loss(source, LossReason.SOURCE_CLOSED, 1, START_NS + 5, START_NS + 5)), losses);
    }

    @Test
    void shouldRefuseAndLoseAllOnceTheStoreFailed() {
        ClaimSlot claim = claims.add(intake, ring);
        for (int i = 0; i < 3; i++) {
            assertEquals(0, offer(source, START_NS + i, i));
        }
        assertEquals(0, claim.claim(source, 8));
        intake.drop(gates.get(source).full, START_NS);
        StoreAccess.session(loom).log().close();
        writer.end(System.nanoTime());
        writer.run();
        Throwable failure = assertInstanceOf(IllegalStateException.class, writer.failure());
        assertEquals(PushStatus.FAILED, offer(source, START_NS, 0));
        assertEquals(4, writer.lost(), "three records and the open claim");
        assertEquals(5, gates.get(source).dropped(LossReason.FAILED), "and the last offer");
        assertEquals(0, gates.get(source).published());
        assertEquals(PushStatus.CLOSED, claim.commit());
        assertSame(failure, writer.failure());
    }

    @Test
    void shouldLoseWhatTheStoreHasNoRoomForAtTheDeadline() {
        full = true;
        byte[] payload = new byte[100_000];
        int offered = 9;
        for (int i = 0; i < offered; i++) {
            nowNs = START_NS + i;
            assertEquals(0, intake.offer(source, payload));
        }
        intake.refuse(PushStatus.CLOSED);
        writer.end(System.nanoTime() + 5_000_000);
        writer.run();
        long lost = writer.lost();
        assertTrue(lost > 0 && lost < offered, "lost=" + lost);
        assertEquals(lost, gates.get(source).dropped(LossReason.CLOSED));
        assertEquals(offered - lost, gates.get(source).published());
        assertTrue(writer.waits() <= 1, "only the first record waits until then: waits=" + writer.waits());
        assertInstanceOf(StoreIoException.class, writer.closeFailure());
        assertNull(writer.failure());
    }

    /** Drops that came while the writer waited are in the log with the next record. */
    @Test
    void shouldStoreWhatWaitedOnceThereIsRoom() {
        full = true;
        byte[] payload = new byte[100_000];
        int offered = 9;
        for (int i = 0; i < offered; i++) {
            nowNs = START_NS + i;
            assertEquals(0, intake.offer(source, payload));
        }
        Thread room = new Thread(() -> {
            while (writer.waits() == 0) {
                Thread.onSpinWait();
            }
            intake.drop(gates.get(source).full, START_NS + 50);
            while (intake.dropped()) {
                Thread.onSpinWait(); // collected by the waiting writer
            }
            full = false;
        });
        room.setDaemon(true);
        room.start();
        intake.refuse(PushStatus.CLOSED);
        writer.end(System.nanoTime() + TimeUnit.MINUTES.toNanos(10));
        writer.run();
        assertFalse(full);
        assertEquals(0, writer.lost());
        assertTrue(writer.waits() <= offered, "one for each record at most: waits=" + writer.waits());
        assertEquals(offered, gates.get(source).published());
        read(source);
        assertEquals(offered, stored.size());
        assertEquals(START_NS + offered - 1, stored.get(offered - 1).timeNs);
        assertEquals(1, losses.size());
    }

    @Test
    void shouldAnswerEachTicketOnceItsWorkIsDone() {
        assertEquals(0, offer(source, START_NS, 1));
        long first = writer.ask();
        long second = writer.ask();
        long force = writer.askForce();
        assertFalse(writer.answered(first));
        assertFalse(writer.answered(second));
        assertFalse(writer.forced(force));
        runToEnd();
        assertTrue(writer.answered(first));
        assertTrue(writer.answered(second));
        assertFalse(writer.answered(second + 1));
        assertTrue(writer.forced(force));
        assertFalse(writer.forced(force + 1));
        assertNull(writer.forceFailure());
    }

    @Test
    void shouldTellWhyItCouldNotForceAndGoOn() {
        assertEquals(0, offer(source, START_NS, 1));
        assertEquals(0, offer(source, START_NS + 1, 2));
        writer.askForce();
        unsynced = true;
        runToEnd();
        assertNotNull(writer.forceFailure());
        assertNull(writer.failure());
        assertEquals(2, gates.get(source).published());
        assertEquals(0, writer.lost());
    }

    @Test
    void shouldOpenTheNextSessionAndStoreTheRestThere() {
        assertEquals(0, offer(source, START_NS, 1));
        Path next = temp.resolve("next");
        Loom[] opened = new Loom[1];
        FutureTask<StoreSession> reopen = new FutureTask<>(() -> {
            loom.close();
            opened[0] = StoreAccess.open(next, storage, builder -> builder.clock(() -> START_NS + 9));
            assertEquals(source, opened[0].defineSource("source", Formats.bytes()));
            offer(source, START_NS + 8, 2);
            return StoreAccess.session(opened[0]);
        });
        assertTrue(writer.askReopen(reopen));
        assertFalse(writer.askReopen(new FutureTask<>(() -> null)), "one at a time");
        writer.end(System.nanoTime());
        writer.run();
        assertTrue(reopen.isDone());
        assertTrue(writer.askReopen(new FutureTask<>(() -> null)));
        assertFalse(StoreAccess.session(opened[0]).isOpen());
        read(source);
        assertEquals(List.of(new Stored(START_NS, 1)), stored);
        assertEquals(2, gates.get(source).published());
        assertEquals(0, intake.offer(source, new byte[1]));
        ring.read((id, buffer, index, length) -> assertEquals(START_NS + 9, RecorderRing.timeNs(buffer, index)), 1);
    }

    @Test
    void shouldGoOnInItsSessionWhenTheNextCantBeOpened() {
        assertEquals(0, offer(source, START_NS, 1));
        FutureTask<StoreSession> reopen = new FutureTask<>(() -> {
            offer(source, START_NS + 8, 2);
            throw new IllegalArgumentException("injected failure");
        });
        assertTrue(writer.askReopen(reopen));
        writer.end(System.nanoTime());
        writer.run();
        assertNull(writer.failure());
        assertEquals(2, gates.get(source).published());
        assertTrue(writer.askReopen(reopen));
    }

    @Test
    void shouldFailWhenTheNextSessionCantBeOpenedAndThisOneIsClosed() {
        assertEquals(0, offer(source, START_NS, 1));
        FutureTask<StoreSession> reopen = new FutureTask<>(() -> {
            loom.close();
            offer(source, START_NS + 8, 2);
            throw new IllegalArgumentException("injected failure");
        });
        assertTrue(writer.askReopen(reopen));
        writer.end(System.nanoTime());
        writer.run();
        assertNotNull(writer.failure());
        assertEquals(1, gates.get(source).published());
        assertEquals(1, writer.lost());
        assertEquals(PushStatus.FAILED, offer(source, START_NS, 0));
    }
}
