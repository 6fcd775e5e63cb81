package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Snapshot;
import dev.loom.error.SecondWriterException;
import dev.loom.format.Formats;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SharedWriterTest {
    private static final int THREADS = 4;
    private static final int TURNS = 500;
    private static final int RECORDS = 20;
    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir
    Path temp;

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    private SharedWriter open() {
        return new SharedWriter(Loom.open(LoomConfig.at(temp.resolve("store"))
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .build()));
    }

    @Test
    void shouldTakeTheRecordsOfEachTurnTogetherWhenThreadsTakeTurns() throws Exception {
        try (SharedWriter writer = open()) {
            int source = writer.loom().defineSource("events", Formats.bytes());
            List<Callable<Long>> pushes = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                pushes.add(() -> pushInTurns(writer, source));
            }
            long together = 0;
            for (Future<Long> push : threads.invokeAll(pushes)) {
                together += push.get();
            }
            assertEquals(THREADS * TURNS, together, "turns whose records lie side by side");
            try (Snapshot snapshot = writer.loom().snapshot()) {
                assertEquals(
                        THREADS * TURNS * RECORDS, snapshot.statistics(source).records());
            }
        }
    }

    private static long pushInTurns(SharedWriter writer, int source) {
        byte[] payload = new byte[8];
        long together = 0;
        for (int turn = 0; turn < TURNS; turn++) {
            assertTrue(writer.acquire(LONG));
            try {
                long before;
                try (Snapshot snapshot = writer.loom().snapshot()) {
                    before = snapshot.statistics(source).records();
                }
                for (int i = 0; i < RECORDS; i++) {
                    assertTrue(writer.loom().push(source, payload) >= 0);
                }
                try (Snapshot snapshot = writer.loom().snapshot()) {
                    together += snapshot.statistics(source).records() - before == RECORDS ? 1 : 0;
                }
            } finally {
                writer.release();
            }
        }
        return together;
    }

    @Test
    void shouldRefuseATurnWhenItDoesNotComeInTime() throws Exception {
        try (SharedWriter writer = open()) {
            assertTrue(writer.acquire(Duration.ZERO));
            assertFalse(
                    threads.submit(() -> writer.acquire(Duration.ofNanos(1))).get());
            writer.release();
            assertTrue(threads.submit(() -> writer.acquire(LONG) && release(writer))
                    .get());
        }
    }

    private static boolean release(SharedWriter writer) {
        writer.release();
        return true;
    }

    @Test
    void shouldKeepTheInterruptWhenItEndsTheWaiting() throws Exception {
        try (SharedWriter writer = open()) {
            assertTrue(writer.acquire(Duration.ZERO));
            assertTrue(threads.submit(() -> {
                        Thread.currentThread().interrupt();
                        return !writer.acquire(LONG) && Thread.interrupted();
                    })
                    .get());
            writer.release();
        }
    }

    @Test
    void shouldEndTheTurnUnderWayAndRefuseOthersWhenClosed() throws Exception {
        SharedWriter writer = open();
        int source = writer.loom().defineSource("events", Formats.bytes());
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Future<Long> push = threads.submit(() -> {
            assertTrue(writer.acquire(LONG));
            begun.countDown();
            goOn.await();
            long status = writer.loom().push(source, new byte[8]);
            writer.release();
            return status;
        });
        begun.await();
        Future<?> close = threads.submit(writer::close);
        goOn.countDown();
        assertTrue(push.get() >= 0);
        close.get();
        assertFalse(writer.acquire(LONG));
        writer.close();
    }

    @Test
    void shouldGiveTheTurnOnWhenItsThreadHasEnded() throws Exception {
        try (SharedWriter writer = open()) {
            int source = writer.loom().defineSource("events", Formats.bytes());
            List<Future<Boolean>> waiting = new ArrayList<>();
            CountDownLatch taken = new CountDownLatch(1);
            CountDownLatch asked = new CountDownLatch(1);
            Thread ends = new Thread(() -> {
                assertTrue(writer.acquire(LONG));
                assertTrue(writer.acquire(LONG), "once more");
                assertTrue(writer.loom().claim(source, 10) >= 0);
                taken.countDown();
                try {
                    asked.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            ends.start();
            taken.await();
            for (int i = 0; i < THREADS; i++) {
                waiting.add(threads.submit(() -> {
                    boolean turn = writer.acquire(LONG);
                    assertTrue(writer.loom().push(source, new byte[8]) >= 0);
                    writer.release();
                    return turn;
                }));
            }
            asked.countDown();
            ends.join();
            for (Future<Boolean> turn : waiting) {
                assertTrue(turn.get());
            }
            try (Snapshot snapshot = writer.loom().snapshot()) {
                assertEquals(THREADS, snapshot.statistics(source).records());
            }
        }
    }

    @Test
    void shouldRefuseToEndATurnThatNobodyHas() {
        try (SharedWriter writer = open()) {
            assertThrows(IllegalMonitorStateException.class, writer::release);
        }
    }

    @Test
    void shouldRefuseToRebuildIndexesWithinATurnWhichGoesOn() {
        try (SharedWriter writer = open()) {
            Loom loom = writer.loom();
            int source = loom.defineSource("events", Formats.bytes());
            assertThrows(IllegalStateException.class, loom::rebuildIndexes);
            assertTrue(writer.acquire(LONG));
            assertThrows(IllegalStateException.class, writer::rebuildIndexes);
            assertThrows(IllegalStateException.class, loom::rebuildIndexes);
            loom.push(source, new byte[8]);
            writer.release();
            assertThrows(SecondWriterException.class, () -> loom.push(source, new byte[8]));
            writer.rebuildIndexes();
            assertThrows(SecondWriterException.class, () -> loom.push(source, new byte[8]));
            try (Snapshot snapshot = loom.snapshot()) {
                assertEquals(1, snapshot.statistics(source).records());
            }
        }
    }
}
