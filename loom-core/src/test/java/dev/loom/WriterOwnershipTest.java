package dev.loom;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.RecordClaim;
import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.error.SecondWriterException;
import dev.loom.error.StoreIoException;
import dev.loom.format.Formats;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One thread at a time writes; who else tries learns of it, and harms nothing. */
final class WriterOwnershipTest {
    private static final byte[] PAYLOAD = new byte[40];
    private static final UnsafeBuffer BUFFER = new UnsafeBuffer(PAYLOAD);
    private static final int[] LENGTHS = {8, 8};
    private static final int THREADS = 4;
    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir
    Path temp;

    /** Whose thread lives on between its tasks. */
    private final ExecutorService other = Executors.newSingleThreadExecutor();

    private int source;

    @AfterEach
    void stopThreads() {
        other.shutdownNow();
    }

    private Loom open() {
        Loom loom = Loom.open(LoomConfig.at(temp.resolve("store"))
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .build());
        source = loom.source("events").isPresent()
                ? loom.source("events").orElseThrow().id()
                : loom.defineSource("events", Formats.bytes());
        return loom;
    }

    private long records(Loom loom) {
        try (Snapshot snapshot = loom.snapshot()) {
            return snapshot.statistics(source).records();
        }
    }

    private <T> T elsewhere(Callable<T> task) throws Exception {
        return other.submit(task).get(1, TimeUnit.MINUTES);
    }

    private void pushElsewhere(Loom loom) throws Exception {
        assertTrue(elsewhere(() -> loom.push(source, PAYLOAD)) >= 0);
    }

    private static void refused(Executable call) {
        SecondWriterException e = assertThrows(SecondWriterException.class, call);
        String message = String.valueOf(e.getMessage());
        assertTrue(message.contains(Thread.currentThread().toString()), message);
    }

    @Test
    void shouldRefuseEveryCallOfASecondThreadWhenTheFirstLives() throws Exception {
        try (Loom loom = open()) {
            pushElsewhere(loom);
            for (Executable call : List.<Executable>of(
                    () -> loom.push(source, PAYLOAD),
                    () -> loom.push(source, BUFFER, 0, PAYLOAD.length),
                    () -> loom.offer(source, BUFFER, 0, PAYLOAD.length),
                    () -> loom.pushBatch(source, BUFFER, 0, LENGTHS, 2),
                    () -> loom.offerBatch(source, BUFFER, 0, LENGTHS, 2),
                    () -> loom.claim(source, 8),
                    () -> loom.tryClaim(source, 8),
                    loom::force,
                    loom::releaseWriter,
                    loom::close,
                    () -> new SharedWriter(loom),
                    () -> Recorder.on(loom).start())) {
                refused(call);
            }
            assertEquals(1, records(loom));
            pushElsewhere(loom);
            assertEquals(2, records(loom));
            elsewhere(() -> {
                loom.releaseWriter();
                return null;
            });
        }
        try (Loom loom = open()) {
            assertEquals(2, records(loom));
        }
    }

    @Test
    void shouldTakeWhatItAcceptsWhenManyThreadsPushAtOnce() throws Exception {
        long accepted = 0;
        try (Loom loom = open()) {
            CyclicBarrier start = new CyclicBarrier(THREADS);
            AtomicReference<String> trouble = new AtomicReference<>();
            List<Thread> threads = new ArrayList<>();
            long[] counts = new long[THREADS];
            for (int i = 0; i < THREADS; i++) {
                int number = i;
                Thread thread = new Thread(() -> counts[number] = pushUntilRefused(loom, start, trouble));
                thread.start();
                threads.add(thread);
            }
            for (int i = 0; i < THREADS; i++) {
                threads.get(i).join();
                accepted += counts[i];
            }
            assertEquals(null, trouble.get());
            assertEquals(accepted, records(loom));
        }
        try (Loom loom = open()) {
            assertEquals(accepted, records(loom));
        }
    }

    private long pushUntilRefused(Loom loom, CyclicBarrier start, AtomicReference<String> trouble) {
        long accepted = 0;
        try {
            start.await(1, TimeUnit.MINUTES);
            while (accepted < 20_000) {
                accepted += loom.push(source, PAYLOAD) >= 0 ? 1 : 0;
            }
        } catch (SecondWriterException e) {
            return accepted;
        } catch (Exception e) {
            trouble.set(e.toString());
        }
        return accepted;
    }

    @Test
    void shouldTakeFromTheNextThreadWhenTheFirstHasReleasedOrEnded() throws Exception {
        try (Loom loom = open()) {
            elsewhere(() -> {
                loom.push(source, PAYLOAD);
                loom.releaseWriter();
                return null;
            });
            assertTrue(loom.push(source, PAYLOAD) >= 0);
            loom.releaseWriter();
            loom.releaseWriter();
            for (int i = 0; i < 3; i++) {
                Thread ends = new Thread(() -> loom.push(source, PAYLOAD));
                ends.start();
                ends.join();
            }
            assertTrue(loom.push(source, PAYLOAD) >= 0);
            assertEquals(6, records(loom));
        }
    }

    @Test
    void shouldTakeFromVirtualThreadsWhenTheRuntimeHasThem() throws Exception {
        try (Loom loom = open();
                Threads threads = Threads.ofTheRuntime()) {
            for (int i = 0; i < 100; i++) {
                threads.run(() -> {
                    loom.push(source, PAYLOAD);
                    loom.releaseWriter();
                    return null;
                });
            }
            assertEquals(100, records(loom));
            loom.push(source, PAYLOAD);
            threads.run(() -> {
                refused(() -> loom.push(source, PAYLOAD));
                return null;
            });
        }
    }

    /** Virtual threads where there are some, or else others: the rules are the same. */
    private record Threads(ExecutorService executor) implements AutoCloseable {
        static Threads ofTheRuntime() throws ReflectiveOperationException {
            for (var method : Executors.class.getMethods()) {
                if (method.getName().equals("newVirtualThreadPerTaskExecutor")) {
                    return new Threads((ExecutorService) method.invoke(null));
                }
            }
            return new Threads(Executors.newCachedThreadPool());
        }

        <T> T run(Callable<T> task) throws Exception {
            return executor.submit(task).get(1, TimeUnit.MINUTES);
        }

        @Override
        public void close() {
            executor.shutdownNow();
        }
    }

    @Test
    void shouldKeepAnOpenClaimForItsThread() throws Exception {
        try (Loom loom = open()) {
            assertTrue(loom.claim(source, 8) >= 0);
            RecordClaim claim = loom.claimed();
            assertThrows(IllegalStateException.class, loom::releaseWriter);
            elsewhere(() -> {
                refused(claim::commit);
                refused(claim::abort);
                refused(() -> loom.push(source, PAYLOAD));
                return null;
            });
            assertTrue(claim.commit() >= 0);
            assertEquals(1, records(loom));
        }
    }

    @Test
    void shouldAbortTheClaimOfAThreadThatHasEnded() throws Exception {
        try (Loom loom = open()) {
            Thread ends = new Thread(() -> loom.claim(source, 8));
            ends.start();
            ends.join();
            assertTrue(loom.push(source, PAYLOAD) >= 0);
            assertThrows(IllegalStateException.class, () -> loom.claimed().commit());
            assertEquals(1, records(loom));
        }
    }

    @Test
    void shouldCloseWhenTheWriterHasEnded() throws Exception {
        Loom loom = open();
        Thread ends = new Thread(() -> loom.claim(source, 8));
        ends.start();
        ends.join();
        loom.close();
        elsewhere(() -> assertThrows(IllegalStateException.class, () -> loom.push(source, PAYLOAD)));
        assertThrows(IllegalStateException.class, () -> loom.push(source, PAYLOAD));
        elsewhere(() -> {
            loom.close();
            return null;
        });
        try (Loom again = open()) {
            assertEquals(0, records(again));
        }
    }

    @Test
    void shouldBeTheOnlyWriterWhenARecorderRuns() throws Exception {
        Loom loom = open();
        assertTrue(loom.push(source, PAYLOAD) >= 0);
        try (Recorder recorder = Recorder.on(loom).start()) {
            refused(() -> Recorder.on(loom).start());
            refused(() -> new SharedWriter(loom));
            refused(() -> loom.push(source, PAYLOAD));
            refused(loom::force);
            refused(loom::releaseWriter);
            refused(loom::close);
            elsewhere(() -> {
                refused(() -> loom.push(source, PAYLOAD));
                return null;
            });
            assertEquals(0, recorder.offer(source, PAYLOAD));
            assertTrue(recorder.sync());
            assertTrue(recorder.force(Duration.ofMinutes(1)));
            assertEquals(2, records(loom));
        }
        assertThrows(IllegalStateException.class, () -> Recorder.on(loom).start());
        loom.close();
        try (Loom again = open()) {
            assertEquals(2, records(again));
        }
    }

    /** Such as one that logs to an appender which records into the same store. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldStoreWhatIsPushedWhateverItsIndexFunctionTries(boolean buffers) {
        byte[] pushed = new byte[24];
        Arrays.fill(pushed, (byte) 0x55);
        AtomicInteger tries = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        try (Loom loom = open()) {
            IndexFunction function =
                    IndexFunction.of("own", ValueType.I64, ValueUnit.NONE, (buffer, offset, length, value) -> {
                        tries.incrementAndGet();
                        byte[] own = new byte[tries.get() % 2 == 0 ? 24 : 8];
                        try {
                            if (buffers) {
                                loom.push(source, ByteBuffer.wrap(own));
                            } else {
                                loom.push(source, own);
                            }
                        } catch (SecondWriterException e) {
                            refused.incrementAndGet();
                        }
                        value.setInteger(1);
                    });
            loom.defineIndex(source, "own", function, Bins.logLinear());
            for (int i = 0; i < 10_000; i++) {
                assertTrue((buffers ? loom.push(source, ByteBuffer.wrap(pushed)) : loom.push(source, pushed)) >= 0);
            }
            assertTrue(tries.get() >= 9_000, "tries=" + tries);
            assertEquals(tries.get(), refused.get());
            try (Snapshot snapshot = loom.snapshot();
                    RecordCursor records = snapshot.oldestFirst(source, Long.MIN_VALUE, Long.MAX_VALUE)) {
                byte[] found = new byte[24];
                for (int i = 0; i < 10_000; i++) {
                    assertTrue(records.next());
                    assertEquals(found.length, records.length());
                    records.buffer().getBytes(records.offset(), found);
                    assertArrayEquals(pushed, found, "record=" + i);
                }
                assertFalse(records.next());
            }
        }
    }

    @Test
    void shouldLeaveTheStoreToOthersWhenARebuildFailsAtItsEnd() throws Exception {
        Loom loom = open();
        assertTrue(loom.push(source, PAYLOAD) >= 0);
        StoreIoException failure = new StoreIoException("injected failure");
        assertSame(
                failure,
                assertThrows(
                        StoreIoException.class,
                        () -> loom.rebuildIndexes(next -> {
                            throw failure;
                        })));
        loom.close();
        try (Loom again = open()) {
            assertEquals(1, records(again));
        }
    }

    @Test
    void shouldBeTheOnlyWaysToWriteWhenThreadsTakeTurns() throws Exception {
        Loom loom = open();
        try (SharedWriter writer = new SharedWriter(loom)) {
            refused(() -> new SharedWriter(loom));
            refused(() -> Recorder.on(loom).start());
            refused(() -> loom.push(source, PAYLOAD));
            refused(loom::force);
            assertTrue(writer.acquire(LONG));
            assertTrue(writer.acquire(LONG));
            assertTrue(loom.push(source, PAYLOAD) >= 0);
            writer.release();
            loom.force();
            elsewhere(() -> {
                refused(() -> loom.push(source, PAYLOAD));
                return null;
            });
            assertTrue(loom.claim(source, 8) >= 0);
            writer.release();
            assertTrue(elsewhere(() -> writer.acquire(LONG)));
            pushElsewhere(loom);
            elsewhere(() -> {
                writer.release();
                return null;
            });
            assertEquals(2, records(loom));
        }
        elsewhere(() -> assertThrows(IllegalStateException.class, () -> loom.push(source, PAYLOAD)));
    }
}
