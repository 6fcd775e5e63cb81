package dev.loom;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.DropPolicy;
import dev.loom.api.IndexFunction;
import dev.loom.api.LossReason;
import dev.loom.api.RecorderClaim;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.StoreInfo;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Interrupts, of the store's own threads and of its callers. No call fails because of one, or leaves something that does later;
 * the caller's thread stays interrupted. Only a few calls say that an interrupt ends their waiting. {@code
 * -Dloom.interrupts=N} sets how many the store's threads get.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class InterruptTest {
    private static final PayloadFormat FORMAT = Formats.parse("struct:v:i64");
    private static final IndexFunction VALUE = IndexFunction.field(FORMAT, "v");
    private static final int RING = LoomConfig.RING_BYTES_MIN;
    private static final int INTERRUPTS = Integer.getInteger("loom.interrupts", 8_000);
    private static final UnsafeBuffer PAYLOAD = new UnsafeBuffer(new byte[1_000]);

    @TempDir
    Path temp;

    private final AtomicInteger names = new AtomicInteger();

    @AfterEach
    void clear() {
        Thread.interrupted();
    }

    private Path store() {
        return temp.resolve("store");
    }

    private Loom open() {
        return open(store());
    }

    private static Loom open(Path directory) {
        return Loom.open(LoomConfig.at(directory)
                .recordRingBytes(RING)
                .timeRingBytes(RING)
                .chunkRingBytes(RING)
                .durabilityInterval(Duration.ofMillis(1))
                .build());
    }

    private String name() {
        return "name-" + names.incrementAndGet();
    }

    private static void push(Loom loom, int source, int records) {
        for (int i = 0; i < records; i++) {
            assertTrue(loom.push(source, PAYLOAD, 0, PAYLOAD.capacity()) >= 0);
        }
    }

    private static void fail(Thread thread, Throwable cause, List<Throwable> failures) {
        synchronized (failures) {
            failures.add(new AssertionError(thread.getName(), cause));
        }
    }

    private static List<Thread> storeThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("loom-"))
                .toList();
    }

    @Test
    void shouldKeepItsThreadsOutOfTheCallersGroup() throws InterruptedException {
        ThreadGroup group = new ThreadGroup("application");
        List<Throwable> failures = new ArrayList<>();
        Thread application = new Thread(group, () -> {
            try (Recorder recorder = Recorder.on(open()).start()) {
                Thread[] members = new Thread[10];
                assertEquals(1, group.enumerate(members), "this thread alone");
                assertTrue(storeThreads().size() >= 2);
                int source = recorder.defineSource("a", FORMAT);
                assertEquals(0, recorder.offer(source, new byte[10]));
            }
        });
        application.setUncaughtExceptionHandler((thread, e) -> fail(thread, e, failures));
        application.start();
        application.join();
        assertEquals(List.of(), failures);
    }

    @Test
    void shouldStoreWhatWasTakenBeforeASourceIsClosedByAnInterruptedThread() throws InterruptedException {
        try (Recorder recorder = Recorder.on(open()).start()) {
            int held = recorder.defineSource("held", FORMAT);
            int closed = recorder.defineSource("closed", FORMAT);
            RecorderClaim claim = recorder.newClaim();
            assertEquals(0, claim.claim(held, Long.BYTES)); // nothing behind it enters the store
            AtomicInteger taken = new AtomicInteger();
            Thread other = new Thread(() -> {
                while (recorder.offer(closed, new byte[Long.BYTES]) == 0) {
                    taken.incrementAndGet();
                    LockSupport.parkNanos(100_000);
                }
                claim.commit(); // it is being closed
            });
            assertEquals(0, recorder.offer(closed, new byte[Long.BYTES]));
            other.start();
            Thread.currentThread().interrupt();
            recorder.closeSource(closed);
            assertTrue(Thread.interrupted());
            other.join();
            assertEquals(1 + taken.get(), recorder.published(closed));
            assertEquals(1, recorder.dropped(closed, LossReason.SOURCE_CLOSED));
        }
    }

    /** Interrupts threads again and again until closed. */
    private static final class Storm implements AutoCloseable {
        private final AtomicBoolean over = new AtomicBoolean();
        private final AtomicInteger interrupts = new AtomicInteger();
        private final Thread thread;

        Storm(List<Thread> threads) {
            thread = new Thread(() -> {
                while (!over.get()) {
                    threads.forEach(Thread::interrupt);
                    interrupts.addAndGet(threads.size());
                    LockSupport.parkNanos(50_000); // or a file that is being read would hardly ever stay open
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        void await(int count) {
            int until = interrupts.get() + count;
            while (interrupts.get() < until) {
                Thread.onSpinWait();
            }
        }

        @Override
        public void close() {
            over.set(true);
            while (thread.isAlive()) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void shouldGoOnWhenItsThreadsAreInterrupted() {
        long records = 0;
        int source;
        try (Recorder recorder = Recorder.on(open()).start()) {
            source = recorder.defineSource("a", FORMAT, Map.of(), DropPolicy.waitUpTo(Duration.ofMinutes(1)));
            recorder.defineIndex(source, "v", VALUE, Bins.logLinear());
            try (Storm storm = new Storm(storeThreads())) {
                while (storm.interrupts.get() < INTERRUPTS) {
                    for (int i = 0; i < 1_000; i++) {
                        assertEquals(0, recorder.offer(source, PAYLOAD, 0, PAYLOAD.capacity()));
                        records++;
                    }
                    assertTrue(recorder.force(Duration.ofMinutes(1)));
                    storm.await(100);
                }
                System.out.println("row=R24 faults=" + storm.interrupts + " checked=" + records + " seed=0");
                StoreInfo info = recorder.info();
                assertEquals(0, info.session().orElseThrow().writeFailures());
            }
            assertEquals(records, recorder.published(source));
        }
        check(source, records);
    }

    /** A function of the embedder's own, which runs in the store's threads, may interrupt them as well. */
    @Test
    void shouldGoOnWhenAnIndexFunctionInterruptsItsThread() {
        long records = 0;
        int source;
        IndexFunction rude = IndexFunction.of(
                "rude",
                VALUE.type(),
                VALUE.unit(),
                (buffer, offset, length, value) -> Thread.currentThread().interrupt());
        try (Recorder recorder = Recorder.on(open()).start()) {
            source = recorder.defineSource("a", FORMAT, Map.of(), DropPolicy.waitUpTo(Duration.ofMinutes(1)));
            recorder.defineIndex(source, "v", rude, Bins.logLinear());
            for (int i = 0; i < 5_000; i++) {
                assertEquals(0, recorder.offer(source, PAYLOAD, 0, PAYLOAD.capacity()));
                records++;
            }
            assertTrue(recorder.force(Duration.ofMinutes(1)));
        }
        check(source, records);
    }

    private void check(int source, long records) {
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(store(), (file, offset, message) -> problems.add(file + ": " + offset + ": " + message));
        assertEquals(List.of(), problems);
        try (LoomReader reader = LoomReader.attach(store());
                Snapshot snapshot = reader.snapshot()) {
            assertEquals(records, snapshot.statistics(source).records());
            assertEquals(0, snapshot.statistics(source).lost());
        }
    }

    /** Every call that there is, by its name; with what it gives, where that is always the same. */
    private Map<String, Callable<?>> calls(Loom loom, Recorder recorder, SharedWriter shared, LoomReader reader) {
        Map<String, Callable<?>> calls = new LinkedHashMap<>();
        int source = id(loom);
        int[] lengths = {10, 20, 30};
        calls.put("Loom.open and close", () -> {
            Path other = temp.resolve(name());
            try (Loom opened = open(other)) {
                push(opened, opened.defineSource("a", FORMAT), 2_000);
            }
            try (Loom opened = open(other);
                    Snapshot snapshot = opened.snapshot()) {
                return snapshot.statistics(id(opened)).records();
            }
        });
        calls.put("Loom.defineSource and closeSource", () -> {
            int defined = loom.defineSource(name(), FORMAT);
            loom.closeSource(defined);
            return loom.sources().get(defined - 1).closed();
        });
        calls.put("Loom.defineIndex and closeIndex", () -> {
            loom.closeIndex(loom.defineIndex(source, name(), VALUE, Bins.logLinear()));
            loom.closeIndex(loom.defineEventTimeIndex(source, name(), VALUE));
            return loom.indexes().size() > 0;
        });
        calls.put("Loom.push", () -> {
            push(loom, source, 1_500);
            return loom.push(source, new byte[10]) >= 0;
        });
        calls.put("Loom.push of many pages", () -> loom.push(source, new byte[loom.payloadLengthMax()]) >= 0);
        calls.put("Loom.offer", () -> loom.offer(source, PAYLOAD, 0, 10) >= -100);
        calls.put("Loom.pushBatch", () -> loom.pushBatch(source, PAYLOAD, 0, lengths, 3));
        calls.put("Loom.offerBatch", () -> loom.offerBatch(source, PAYLOAD, 0, lengths, 3) != 0);
        calls.put("Loom.claim", () -> {
            assertTrue(loom.claim(source, 10) >= 0);
            loom.claimed().commit();
            assertTrue(loom.claim(source, 10) >= 0);
            loom.claimed().abort();
            return loom.claimLengthMax();
        });
        calls.put("Loom.force", () -> {
            push(loom, source, 10);
            loom.force();
            StoreInfo info = loom.info();
            return info.records().tail() == info.records().durable();
        });
        calls.put("Loom.snapshot", () -> {
            try (Snapshot snapshot = loom.snapshot()) {
                return snapshot.statistics(source).records() > 0
                        && snapshot.statistics(source).lost() == 0;
            }
        });
        calls.put("Loom.source", () -> loom.source("a").isPresent());
        calls.put("Recorder.start, offer and close", this::startAndRecord);
        calls.put("Recorder.defineSource and closeSource", () -> {
            int defined = recorder.defineSource(name(), FORMAT);
            recorder.dropPolicy(defined, DropPolicy.refuse());
            recorder.closeSource(defined);
            return recorder.source("a").isPresent() && recorder.sources().size() > 1;
        });
        calls.put("Recorder.defineIndex and closeIndex", () -> {
            recorder.closeIndex(recorder.defineIndex(id(recorder), name(), VALUE, Bins.logLinear()));
            recorder.closeIndex(recorder.defineEventTimeIndex(id(recorder), name(), VALUE));
            return recorder.indexes().size() > 0;
        });
        calls.put(
                "Recorder.offer",
                () -> recorder.offer(id(recorder), PAYLOAD, 0, 10) + recorder.offer(id(recorder), new byte[10]));
        calls.put("Recorder.newClaim", () -> {
            try (RecorderClaim claim = recorder.newClaim()) {
                return claim.claim(id(recorder), 10) + claim.commit();
            }
        });
        calls.put("Recorder.snapshot", () -> {
            try (Snapshot snapshot = recorder.snapshot()) {
                return snapshot.statistics(id(recorder)).lost();
            }
        });
        calls.put("Recorder.state", () -> {
            assertTrue(recorder.published(id(recorder)) >= 0);
            assertTrue(recorder.info().records().tail() > 0);
            return recorder.failure() == null && recorder.dropped(id(recorder), LossReason.FAILED) == 0;
        });
        calls.put("SharedWriter.close", () -> {
            SharedWriter other = new SharedWriter(open(temp.resolve(name())));
            other.close();
            return shared.loom().source("a").isPresent();
        });
        calls.put("LoomReader.attach", () -> {
            try (LoomReader attached = LoomReader.attach(store());
                    Snapshot snapshot = attached.snapshot()) {
                return snapshot.statistics(source).records() > 0;
            }
        });
        calls.put("LoomReader.snapshot", () -> {
            try (Snapshot snapshot = reader.snapshot()) {
                return snapshot.source("a").isPresent()
                        && snapshot.sources().size() > 0
                        && snapshot.index(source, "v").isPresent()
                        && snapshot.indexes(source).size() > 0
                        && snapshot.lastTimeNs() > snapshot.beginAddress()
                        && snapshot.tailAddress() > 0
                        && snapshot.live();
            }
        });
        calls.put("LoomReader.sources", () -> reader.sources().size() > 0);
        calls.put("LoomReader.source", () -> reader.source("a").isPresent());
        calls.put("LoomReader.indexes", () -> reader.indexes().size() > 0);
        calls.put("LoomReader.info", () -> reader.info().records().tail() > 0);
        calls.put("StoreVerifier.verify", () -> {
            StoreVerifier.Report report = StoreVerifier.verify(store(), (file, offset, message) -> {
                throw new AssertionError(file + ": " + offset + ": " + message);
            });
            return report.complete();
        });
        return calls;
    }

    private Object startAndRecord() {
        Path other = temp.resolve(name());
        Recorder recorder = Recorder.on(open(other)).start();
        int source = recorder.defineSource("a", FORMAT);
        for (int i = 0; i < 100; i++) {
            assertEquals(0, recorder.offer(source, PAYLOAD, 0, PAYLOAD.capacity()));
        }
        recorder.close();
        try (LoomReader reader = LoomReader.attach(other);
                Snapshot snapshot = reader.snapshot()) {
            return snapshot.statistics(source).records();
        }
    }

    private static int id(dev.loom.api.Store store) {
        return store.source("a").map(Source::id).orElseThrow();
    }

    @FunctionalInterface
    private interface Calls {
        void run(Map<String, Callable<?>> calls) throws Exception;
    }

    private void withStores(Calls run) throws Exception {
        try (Loom loom = open();
                Recorder recorder = Recorder.on(open(temp.resolve("recorder"))).start();
                SharedWriter shared = new SharedWriter(open(temp.resolve("shared")));
                LoomReader reader = LoomReader.attach(store())) {
            int source = loom.defineSource("a", FORMAT);
            loom.defineIndex(source, "v", VALUE, Bins.logLinear());
            push(loom, source, 2_000);
            recorder.defineIndex(recorder.defineSource("a", FORMAT), "v", VALUE, Bins.logLinear());
            shared.loom().defineSource("a", FORMAT);
            run.run(calls(loom, recorder, shared, reader));
        }
    }

    @Test
    void shouldDoAllTheSameWhenItsCallerIsInterrupted() throws Exception {
        withStores(calls -> {
            for (Map.Entry<String, Callable<?>> call : calls.entrySet()) {
                Object expected = call.getValue().call();
                Thread.currentThread().interrupt();
                Object interrupted = assertDoesNotThrow(call.getValue()::call, call.getKey());
                assertEquals(expected, interrupted, call.getKey());
                assertTrue(Thread.interrupted(), call.getKey() + " keeps the interrupt");
                assertEquals(expected, call.getValue().call(), call.getKey() + " afterwards");
            }
        });
    }

    @Test
    void shouldDoAllTheSameWhenItsCallerIsInterruptedMeanwhile() throws Exception {
        withStores(calls -> {
            for (Map.Entry<String, Callable<?>> call : calls.entrySet()) {
                Object expected = call.getValue().call();
                try (Storm storm = new Storm(List.of(Thread.currentThread()))) {
                    storm.await(1);
                    assertEquals(expected, assertDoesNotThrow(call.getValue()::call, call.getKey()), call.getKey());
                }
                Thread.interrupted();
                assertEquals(expected, call.getValue().call(), call.getKey() + " afterwards");
            }
        });
    }

    @Test
    void shouldEndOnlyTheWaitingThatSaysSoWhenItsCallerIsInterrupted() {
        try (Recorder recorder = Recorder.on(open()).start();
                SharedWriter shared = new SharedWriter(open(temp.resolve("shared")))) {
            int source = recorder.defineSource("a", FORMAT);
            assertEquals(0, recorder.offer(source, new byte[10]));
            Thread.currentThread().interrupt();
            assertFalse(shared.acquire(Duration.ofNanos(1)));
            assertTrue(Thread.currentThread().isInterrupted());
            recorder.sync();
            recorder.sync(Duration.ofMinutes(1));
            recorder.force(Duration.ofMinutes(1));
            assertTrue(Thread.interrupted());
            assertTrue(shared.acquire(Duration.ofNanos(1)));
            shared.release();
            assertTrue(recorder.sync());
            assertTrue(recorder.force(Duration.ofMinutes(1)));
        }
    }
}
