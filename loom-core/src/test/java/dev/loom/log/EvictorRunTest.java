package dev.loom.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreReopenedException;
import dev.loom.io.LoomFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the evictor does of itself: run on the test's thread, where an evictor that was closed before writes all there is and returns; or on its
 * own, where it is asked for nothing.
 */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class EvictorRunTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int RING = 8 * PAGE;

    /** Less than this is not written unasked. */
    private static final int RUN_PAGES = 2;

    private static final long STORE_ID = 1;
    private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);

    /** A disk that refuses, and a session that fails, as the test says. */
    private static final class Failing extends HookedStorage implements Durability {
        private volatile boolean full;
        private volatile boolean unsynced;
        private volatile @Nullable RuntimeException schemaFailure;
        private volatile CountDownLatch nextTicks = new CountDownLatch(0);

        @Override
        protected void onWrite(Path file, long position, boolean direct) {
            if (full) {
                throw new StoreIoException("injected failure: write");
            }
        }

        @Override
        protected void force(LoomFile file) {
            if (unsynced) {
                throw new StoreIoException("injected failure: sync");
            }
        }

        @Override
        public void syncSchema() {
            RuntimeException failure = schemaFailure;
            if (failure != null) {
                throw failure;
            }
        }

        @Override
        public void writeMark(long[] durable) {}

        @Override
        public void tick() {
            nextTicks.countDown();
        }
    }

    @TempDir
    Path temp;

    private final Failing failing = new Failing();
    private final ByteBuffer live = liveBytes();
    private final HybridLog log =
            new HybridLog(LogKind.RECORD, STORE_ID, 1, ringBytes(), new Watermarks(live, 0), 0, 0);
    private Evictor evictor;

    @BeforeEach
    void make() {
        evictor = evictor(HOUR_NS, Long.MAX_VALUE);
    }

    private static ByteBuffer liveBytes() {
        return ByteBuffer.allocateDirect(Watermarks.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static ByteBuffer ringBytes() {
        return ByteBuffer.allocateDirect(RING).order(ByteOrder.LITTLE_ENDIAN);
    }

    private Evictor evictor(long intervalNs, long bytesMax) {
        SegmentWriter writer = new SegmentWriter(failing, new Segments(temp, 4L * PAGE), false, () -> {});
        List<Evictor.Assignment> assignments = List.of(new Evictor.Assignment(log, writer, null));
        return Evictor.create(assignments, STORE_ID, failing, SegmentBudget.UNLIMITED, intervalNs, bytesMax);
    }

    @AfterEach
    void close() {
        failing.full = false;
        failing.unsynced = false;
        failing.schemaFailure = null;
        try {
            evictor.close();
        } catch (StoreIoException | StoreReopenedException e) {
            // what the test did to it
        }
    }

    private void seal(int pages) {
        for (int i = 0; i < pages; i++) {
            log.beginPage(i, log.tail(), false);
            log.ring().setMemory(log.offset(), 500, (byte) 7);
            log.advance(500);
            log.sealPage(i);
        }
        log.publish();
        log.publishSealed();
    }

    private long evicted() {
        return log.watermarks().evictedAcquire() / PAGE;
    }

    private long durable() {
        return log.watermarks().durableAcquire() / PAGE;
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }

    /** As long as an idle thread needs for what it does unasked, which it does before it ticks. */
    private void awaitTicks(int ticks) throws InterruptedException {
        failing.nextTicks = new CountDownLatch(ticks);
        failing.nextTicks.await();
    }

    @Test
    void shouldWriteAllAndMakeItDurableBeforeItEnds() {
        seal(6);
        evictor.close();
        assertEquals(0, evicted());
        evictor.run();
        assertEquals(6, evicted());
        assertEquals(6, durable());
        assertNull(evictor.writeFailure());
        assertNull(evictor.syncFailure());
        assertEquals(0, evictor.writeFailures());
        evictor.close();
        StoreIoException e = assertThrows(StoreIoException.class, evictor::checkAlive);
        assertTrue(String.valueOf(e.getMessage()).contains("has stopped"), e::getMessage);
    }

    @Test
    void shouldBeAliveUntilItIsClosed() {
        evictor.checkAlive();
        evictor.start();
        evictor.checkAlive();
        evictor.close();
        assertThrows(StoreIoException.class, evictor::checkAlive);
    }

    @Test
    void shouldEndAndSayWhyWhenTheDiskTakesNoPages() {
        seal(1);
        failing.full = true;
        evictor.close();
        evictor.run();
        assertEquals(0, evicted());
        assertEquals(1, evictor.writeFailures());
        StoreIoException failure = Objects.requireNonNull(evictor.writeFailure());
        assertEquals("injected failure: write", failure.getMessage());
        StoreIoException e = assertThrows(StoreIoException.class, evictor::close);
        assertSame(failure, e.getCause());
        e = assertThrows(StoreIoException.class, evictor::force);
        assertTrue(String.valueOf(e.getMessage()).contains("has stopped"), e::getMessage);
    }

    @Test
    void shouldEndAndSayWhyWhenTheDiskDoesNotSync() {
        seal(1);
        failing.unsynced = true;
        evictor.close();
        evictor.run();
        assertEquals(1, evicted());
        assertEquals(0, durable());
        assertNull(evictor.writeFailure());
        assertEquals(
                "injected failure: sync",
                Objects.requireNonNull(evictor.syncFailure()).getMessage());
        assertThrows(StoreIoException.class, evictor::close);
    }

    @Test
    void shouldEndAtOnceAndTellEveryoneWhenAnotherWriterHasTheStore() {
        seal(3);
        StoreReopenedException fenced = new StoreReopenedException("injected failure: fenced");
        failing.schemaFailure = fenced;
        evictor.start();
        assertSame(
                fenced,
                assertThrows(StoreReopenedException.class, evictor::force).getCause());
        assertSame(
                fenced,
                assertThrows(StoreReopenedException.class, evictor::checkAlive).getCause());
        assertSame(
                fenced,
                assertThrows(StoreReopenedException.class, evictor::close).getCause());
        assertEquals(0, evicted());
        assertEquals(0, evictor.writeFailures());
    }

    @Test
    void shouldTellOfAnyFailureUntilAWriteSucceeds() {
        seal(1);
        IllegalStateException cause = new IllegalStateException("injected failure: schema");
        failing.schemaFailure = cause;
        evictor.start();
        StoreIoException e = assertThrows(StoreIoException.class, evictor::force);
        StoreIoException failure = assertInstanceOf(StoreIoException.class, e.getCause());
        assertSame(cause, failure.getCause());
        assertEquals("the evictor has failed: reason=" + cause, failure.getMessage());
        assertNotNull(evictor.writeFailure());
        assertTrue(evictor.writeFailures() >= 1);
        failing.schemaFailure = null;
        evictor.force();
        assertNull(evictor.writeFailure());
        assertEquals(1, durable());
    }

    @Test
    void shouldTellOfAFailedSyncUntilOneSucceeds() {
        seal(1);
        failing.unsynced = true;
        evictor.start();
        assertThrows(StoreIoException.class, evictor::force);
        assertNotNull(evictor.syncFailure());
        assertNull(evictor.writeFailure());
        failing.unsynced = false;
        evictor.force();
        assertNull(evictor.syncFailure());
        assertEquals(1, durable());
    }

    @Test
    void shouldKeepTheInterruptWhenItForces() {
        seal(1);
        evictor.start();
        Thread.currentThread().interrupt();
        evictor.force();
        assertTrue(Thread.interrupted());
        assertEquals(1, durable());
        evictor.force();
        assertFalse(Thread.interrupted());
    }

    @Test
    void shouldWriteFullRunsUnaskedAndShortOnesNot() throws InterruptedException {
        evictor.start();
        seal(RUN_PAGES - 1);
        evictor.onSealed();
        awaitTicks(2);
        assertEquals(0, evicted());
        seal(1);
        evictor.onSealed();
        await(() -> evicted() == RUN_PAGES);
        assertEquals(0, durable(), "not due for an hour");
    }

    @Test
    void shouldWriteShortRunsUnderPressure() {
        evictor.start();
        seal(1);
        evictor.onPressure();
        await(() -> evicted() == 1);
        assertEquals(0, durable());
    }

    @Test
    void shouldMakeDurableWhatIsWrittenOnceTheIntervalIsOver() {
        evictor = evictor(1, Long.MAX_VALUE);
        seal(1);
        evictor.start();
        await(() -> durable() == 1);
        assertEquals(1, evicted());
    }

    @Test
    void shouldMakeDurableWhatIsWrittenOnceItIsEnough() throws InterruptedException {
        evictor = evictor(HOUR_NS, 2L * RUN_PAGES * PAGE);
        seal(RUN_PAGES);
        evictor.start();
        evictor.onPressure();
        await(() -> evicted() == RUN_PAGES);
        awaitTicks(1);
        assertEquals(0, durable());
        seal(RUN_PAGES);
        evictor.onSealed();
        await(() -> durable() == 2 * RUN_PAGES);
    }

    @Test
    void shouldWriteFromTheRingThatTheLogWasMovedTo() {
        seal(1);
        evictor.start();
        ByteBuffer next = ringBytes();
        evictor.whilePaused(() -> {
            next.put(0, log.ringBytes(), 0, RING);
            log.ring().setMemory(0, RING, (byte) 1);
            ByteBuffer nextLive = liveBytes();
            nextLive.put(0, live, 0, Watermarks.LENGTH);
            log.moveTo(next, nextLive);
            live.clear().put(new byte[Watermarks.LENGTH]);
        });
        evictor.force();
        assertEquals(1, durable());
        assertEquals(0, live.getLong(Watermarks.DURABLE_OFFSET), "the last live file is nobody's");
        LogView view =
                new LogView(LogKind.RECORD, STORE_ID, failing, new Segments(temp, 4L * PAGE), log.watermarks(), null);
        try (PageReader reader = new PageReader(view)) {
            assertSame(PageState.PRESENT, reader.read(0, log.tail()));
            assertEquals(7, reader.buffer().getByte(reader.pageOffset() + PageDescriptor.HEADER_LENGTH));
        }
    }
}
