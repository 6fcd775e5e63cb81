package dev.loom.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.Loom;
import dev.loom.LoomReader;
import dev.loom.StoreAccess;
import dev.loom.api.DropPolicy;
import dev.loom.api.LossReason;
import dev.loom.api.PushStatus;
import dev.loom.api.RecorderClaim;
import dev.loom.api.Snapshot;
import dev.loom.error.SecondWriterException;
import dev.loom.error.StoreIoException;
import dev.loom.format.Formats;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.store.StoreSession;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Callers that wait for the recorder's thread: an open claim keeps it from going on for as long as the test wants. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RecorderSessionTest {
    private static final long LONG_NS = TimeUnit.MINUTES.toNanos(10);
    private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(2);

    @TempDir
    Path temp;

    private volatile boolean full;
    private volatile boolean unsynced;
    private volatile CountDownLatch allowed = new CountDownLatch(0);
    private volatile Runnable whileSyncing = () -> {};
    private final AtomicInteger syncs = new AtomicInteger();

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
            whileSyncing.run();
            try {
                allowed.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            syncs.incrementAndGet();
            super.force(file);
        }
    };

    private Loom loom;
    private RecorderSession session;
    private int source;

    @BeforeEach
    void open() {
        loom = StoreAccess.open(temp.resolve("store"), storage);
        source = loom.defineSource("source", Formats.bytes());
        session = start(0);
    }

    private RecorderSession start(long closeTimeoutNs) {
        return new RecorderSession(StoreAccess.session(loom), 1 << 20, DropPolicy.refuse(), closeTimeoutNs);
    }

    @AfterEach
    void close() {
        full = false;
        unsynced = false;
        allowed.countDown();
        try {
            session.close();
        } catch (StoreIoException e) {
            // what the test did to it
        }
    }

    private RecorderClaim openClaim() {
        RecorderClaim claim = session.newClaim();
        assertEquals(0, claim.claim(source, 8));
        return claim;
    }

    private void offer() {
        assertEquals(0, session.intake().offer(source, new byte[8]));
    }

    @Test
    void shouldReturnFromSyncOnceAllOfferedIsStored() {
        for (int i = 1; i <= 20; i++) {
            offer();
            assertTrue(session.sync(i % 2 == 0 ? LONG_NS : -1));
            assertEquals(i, session.published(source));
        }
    }

    @Test
    void shouldGiveUpTheSyncWhenItsTimeIsOver() {
        RecorderClaim claim = openClaim();
        offer();
        assertFalse(session.sync(0));
        assertFalse(session.sync(SHORT_NS));
        assertFalse(session.force(SHORT_NS));
        assertFalse(session.reopen(() -> StoreAccess.session(loom), SHORT_NS));
        assertEquals(0, session.published(source));
        assertEquals(0, claim.commit());
        assertTrue(session.sync(-1));
        assertEquals(2, session.published(source));
    }

    @Test
    void shouldEndTheSyncAndKeepTheInterruptWhenInterrupted() {
        RecorderClaim claim = openClaim();
        full = true;
        Thread.currentThread().interrupt();
        assertFalse(session.sync(-1));
        assertFalse(session.force(-1), "the disk is not to blame");
        assertTrue(Thread.interrupted());
        claim.abort();
    }

    @Test
    void shouldEndTheForceAndKeepTheInterruptWhenInterruptedWhileTheDiskSyncs() {
        allowed = new CountDownLatch(1);
        whileSyncing = Thread.currentThread()::interrupt;
        offer();
        assertFalse(session.force(-1));
        whileSyncing = () -> {};
        assertTrue(Thread.interrupted());
        allowed.countDown();
        assertTrue(session.force(-1));
    }

    @Test
    void shouldHaveSyncedTheFilesAfterForce() {
        offer();
        assertTrue(session.sync(-1));
        int before = syncs.get();
        assertTrue(session.force(-1));
        assertTrue(syncs.get() > before);
        offer();
        before = syncs.get();
        assertTrue(session.force(LONG_NS));
        assertTrue(syncs.get() > before);
        assertEquals(2, session.published(source));
    }

    @Test
    void shouldSayWhyItCouldNotForceAndForceLater() {
        offer();
        unsynced = true;
        StoreIoException e = assertThrows(StoreIoException.class, () -> session.force(LONG_NS));
        assertTrue(String.valueOf(e.getMessage()).contains("injected failure: sync"), e::getMessage);
        assertNotNull(e.getCause());
        unsynced = false;
        assertTrue(session.force(LONG_NS));
        assertNull(session.failure());
    }

    @Test
    void shouldBlameTheDiskWhenItKeepsRecordsFromTheStore() {
        full = true;
        while (session.waits() == 0) {
            session.intake().offer(source, new byte[50_000]);
        }
        StoreIoException e = assertThrows(StoreIoException.class, () -> {
            while (!session.force(SHORT_NS)) {
                Thread.onSpinWait(); // until the evictor has met the disk
            }
        });
        assertTrue(String.valueOf(e.getMessage()).contains("no space left"), e::getMessage);
        full = false;
        assertTrue(session.force(LONG_NS));
    }

    @Test
    void shouldWriteToTheSessionThatItWasToldToOpen() throws Exception {
        offer();
        assertTrue(session.reopen(
                () -> {
                    loom.rebuildIndexes();
                    return StoreAccess.session(loom);
                },
                LONG_NS));
        assertEquals(1, session.published(source), "all before is in the last session");
        offer();
        assertTrue(session.sync(LONG_NS));
        session.close();
        assertFalse(StoreAccess.session(loom).isOpen());
    }

    /** A ring of 16 MiB takes records of 4 MiB, and one of 8 MiB, for which alone there is room the second time, of 2 MiB. */
    @Test
    void shouldDropWhatIsTooLongForASmallerRingOfTheNextSession() throws Exception {
        AtomicLong room = new AtomicLong(64 << 20);
        Storage scarce = new HookedStorage() {
            @Override
            public long usableSpace(Path directory) {
                return directory.endsWith("staging") ? room.get() : super.usableSpace(directory);
            }
        };
        Path staging = temp.resolve("staging");
        Path store = temp.resolve("scarce");
        StoreAccess.open(
                        store,
                        scarce,
                        config -> config.stagingDirectory(staging).recordRingBytes(16 << 20))
                .close();
        Loom other = StoreAccess.openAsItWas(store, scarce, config -> config.stagingDirectory(staging));
        int id = other.defineSource("source", Formats.bytes());
        RecorderSession recording =
                new RecorderSession(StoreAccess.session(other), 64 << 20, DropPolicy.refuse(), LONG_NS);
        assertEquals(4 << 20, recording.intake().payloadLengthMax());
        room.set(16 << 20);
        assertTrue(recording.reopen(
                () -> {
                    assertEquals(0, recording.intake().offer(id, new byte[3 << 20]));
                    other.rebuildIndexes();
                    return StoreAccess.session(other);
                },
                LONG_NS));
        assertEquals(2 << 20, recording.intake().payloadLengthMax());
        assertEquals(0, recording.intake().offer(id, new byte[2 << 20]));
        assertTrue(recording.sync(LONG_NS));
        assertNull(recording.failure());
        assertEquals(1, recording.published(id));
        assertEquals(1, recording.dropped(id, LossReason.FAILED));
        assertThrows(IllegalArgumentException.class, () -> recording.intake().offer(id, new byte[(2 << 20) + 1]));
        recording.close();
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            assertEquals(1, snapshot.statistics(id).records());
            assertEquals(1, snapshot.statistics(id).lost());
        }
    }

    @Test
    void shouldTellWhyTheNextSessionCouldNotBeOpened() {
        Callable<StoreSession> failing = () -> {
            throw new IllegalArgumentException("injected failure");
        };
        StoreIoException e = assertThrows(StoreIoException.class, () -> session.reopen(failing, LONG_NS));
        assertTrue(String.valueOf(e.getMessage()).contains("injected failure"), e::getMessage);
        offer();
        assertTrue(session.sync(-1));
    }

    /** As an index function may, which is called on the recorder's thread. */
    @Test
    void shouldNeitherWaitForNorJoinItselfOnItsOwnThread() {
        boolean[] results = {true, true};
        assertTrue(session.reopen(
                () -> {
                    results[0] = session.sync(-1);
                    results[1] = session.force(-1);
                    session.close();
                    return StoreAccess.session(loom);
                },
                LONG_NS));
        assertFalse(results[0]);
        assertFalse(results[1]);
        session.close();
        assertFalse(StoreAccess.session(loom).isOpen());
        assertEquals(PushStatus.CLOSED, session.intake().offer(source, new byte[1]));
    }

    @Test
    void shouldStoreWhatWasTakenAndCloseTheStoreOnce() {
        for (int i = 0; i < 1_000; i++) {
            offer();
        }
        session.close();
        session.close();
        assertFalse(StoreAccess.session(loom).isOpen());
        assertEquals(1_000, session.published(source));
        assertEquals(PushStatus.CLOSED, session.intake().offer(source, new byte[1]));
        assertEquals(1, session.dropped(source, LossReason.CLOSED));
        assertFalse(session.sync(-1), "its thread has ended");
    }

    @Test
    void shouldSayOnceHowManyRecordsWereLostWhenClosed() {
        RecorderClaim claim = openClaim();
        offer();
        StoreIoException e = assertThrows(StoreIoException.class, session::close);
        assertEquals("records were not stored in time: lost=1", e.getMessage());
        session.close();
        assertEquals(PushStatus.CLOSED, claim.commit());
        assertEquals(1, session.published(source));
    }

    /** A disk that hangs: whoever closes once it works again is told of what was lost. */
    @Test
    void shouldCloseAfterAnEarlierCallWaitedInVain() {
        session.close();
        loom = StoreAccess.open(temp.resolve("store"), storage);
        session = new RecorderSession(StoreAccess.session(loom), 1 << 20, DropPolicy.refuse(), 0, SHORT_NS);
        RecorderClaim claim = openClaim();
        offer();
        allowed = new CountDownLatch(1);
        for (int i = 0; i < 2; i++) {
            StoreIoException late = assertThrows(StoreIoException.class, session::close);
            assertEquals("the store could not be closed in time: ms=2", late.getMessage());
            assertEquals(PushStatus.CLOSED, session.intake().offer(source, new byte[1]));
        }
        allowed.countDown();
        StoreIoException lost = assertThrows(StoreIoException.class, this::closeOnceItCan);
        assertEquals("records were not stored in time: lost=1", lost.getMessage());
        session.close();
        assertFalse(StoreAccess.session(loom).isOpen());
        assertEquals(PushStatus.CLOSED, claim.commit());
    }

    private void closeOnceItCan() {
        while (true) {
            try {
                session.close();
                return;
            } catch (StoreIoException e) {
                if (!String.valueOf(e.getMessage()).startsWith("the store could not be closed in time")) {
                    throw e;
                }
            }
        }
    }

    /** The recorder no longer knows it, and would wait for it for ever once its thread has ended. */
    @Test
    void shouldRefuseToClaimWithAClosedClaim() {
        RecorderClaim claim = session.newClaim();
        claim.close();
        assertThrows(IllegalStateException.class, () -> claim.claim(source, 8));
        offer();
        assertTrue(session.sync(LONG_NS));
    }

    @Test
    void shouldSayWhenClosedWhyTheStoreWasNotClosedCleanly() {
        offer();
        assertTrue(session.sync(-1));
        full = true;
        unsynced = true;
        StoreIoException e = assertThrows(StoreIoException.class, session::close);
        assertTrue(String.valueOf(e.getMessage()).startsWith("the store has failed: lost=0, reason="), e::getMessage);
        assertNotNull(e.getCause());
    }

    @Test
    void shouldWaitForItsThreadAndKeepTheInterruptWhenClosed() {
        offer();
        Thread.currentThread().interrupt();
        session.close();
        assertTrue(Thread.interrupted());
        assertFalse(StoreAccess.session(loom).isOpen());
        assertEquals(1, session.published(source));
    }

    @Test
    void shouldAdmitASourceFromItsOpeningToItsClosing() {
        int later = loom.defineSource("later", Formats.bytes());
        session.prepareSource(later, DropPolicy.refuse());
        assertEquals(PushStatus.SOURCE_CLOSED, session.intake().offer(later, new byte[1]));
        session.openSource(later);
        assertEquals(0, session.intake().offer(later, new byte[1]));
        assertThrows(IllegalArgumentException.class, () -> session.policy(later + 1, DropPolicy.refuse()));
        session.policy(later, DropPolicy.sample(1_000, 0));
        RecorderClaim claim = openClaim();
        assertEquals(0, session.intake().offer(later, new byte[1]));
        assertEquals(PushStatus.SAMPLED, session.intake().offer(later, new byte[1]));
        assertEquals(1, session.dropped(later, LossReason.SAMPLED));
        claim.abort();
        session.closeSource(later);
        assertEquals(PushStatus.SOURCE_CLOSED, session.intake().offer(later, new byte[1]));
    }

    @Test
    void shouldHaveStoredWhatWasTakenWhenASourceIsClosed() {
        session.close();
        loom = StoreAccess.open(temp.resolve("store"), storage);
        loom.closeSource(source);
        int other = loom.defineSource("other", Formats.bytes());
        session = start(LONG_NS);
        assertEquals(PushStatus.SOURCE_CLOSED, session.intake().offer(source, new byte[1]), "it was closed before");
        for (int i = 0; i < 1_000; i++) {
            assertEquals(0, session.intake().offer(other, new byte[1]));
        }
        session.closeSource(other);
        assertEquals(1_000, session.published(other));
    }

    /** Waits until the thread sleeps without a time limit, as it does after some naps without work. */
    private static void awaitSleep() {
        Thread recorder = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("loom-recorder"))
                .findFirst()
                .orElseThrow();
        while (recorder.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldWakeFromItsSleepForWhateverItIsAskedToDo() {
        awaitSleep();
        offer();
        while (session.published(source) != 1) {
            Thread.onSpinWait();
        }
        awaitSleep();
        assertTrue(session.sync(LONG_NS));
        awaitSleep();
        assertTrue(session.force(LONG_NS));
        awaitSleep();
        assertTrue(session.reopen(() -> StoreAccess.session(loom), LONG_NS));
        awaitSleep();
        session.intake().drop(new DropWindow(), 5);
        while (session.intake().dropped()) {
            Thread.onSpinWait();
        }
        awaitSleep();
        session.close();
        assertFalse(StoreAccess.session(loom).isOpen());
    }

    @Test
    void shouldTellItsState() {
        RecorderClaim claim = openClaim();
        offer();
        assertEquals(2 * (RecorderRing.OVERHEAD_LENGTH + 8), session.usedBytes());
        assertNull(session.failure());
        claim.abort();
        assertTrue(session.sync(-1));
        assertEquals(0, session.usedBytes());
    }

    @Test
    void shouldLeaveTheStoreToItsWriterWhenItCantBecomeTheWriter() {
        assertThrows(SecondWriterException.class, () -> start(0));
        offer();
        assertTrue(session.sync(-1));
        assertEquals(1, session.published(source));
    }
}
