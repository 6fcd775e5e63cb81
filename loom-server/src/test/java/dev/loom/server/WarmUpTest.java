package dev.loom.server;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Store;
import dev.loom.error.StoreIoException;
import dev.loom.format.Formats;
import dev.loom.otlp.server.Endpoint;
import dev.loom.query.model.QueryMemory;
import dev.loom.server.api.QueryApi;
import dev.loom.server.http.StoreQueries;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first pictures, which nobody sees. */
final class WarmUpTest {
    private static final Duration GRACE = Duration.ofMinutes(1);

    @TempDir
    Path temp;

    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicReference<Throwable> thrown = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();

    private Thread thread(Runnable task) {
        Thread thread = new Thread(task);
        thread.setUncaughtExceptionHandler((failed, failure) -> thrown.set(failure));
        threads.add(thread);
        return thread;
    }

    private WarmUp warmUp(Supplier<Store> stores, ThreadFactory factory) {
        StoreQueries queries = new StoreQueries(
                () -> {
                    reads.incrementAndGet();
                    return stores.get();
                },
                new StoreQueries.Limits(Duration.ofMinutes(1), 100),
                new QueryMemory(64 << 20));
        return new WarmUp(queries, new QueryApi(temp.resolve("store"), queries), factory);
    }

    private Loom open() {
        return Loom.open(
                LoomConfig.at(temp.resolve("store")).recordRingBytes(8 << 20).build());
    }

    private static void push(Loom loom, String source, int records, boolean indexed) {
        int id = loom.defineSource(source, Formats.parse("struct:ms:i64"));
        if (indexed) {
            loom.defineIndex(id, "ms", IndexFunction.field(Formats.parse("struct:ms:i64"), "ms"), Bins.logLinear());
        }
        UnsafeBuffer payload = new UnsafeBuffer(new byte[Long.BYTES]);
        for (int i = 0; i < records; i++) {
            payload.putLong(0, i, LITTLE_ENDIAN);
            loom.push(id, payload, 0, Long.BYTES);
        }
    }

    private void end(WarmUp warmUp) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
        warmUp.close(GRACE);
        assertEquals(null, thrown.get());
    }

    /** How often the store is read: once to see what there is, and then for each picture. */
    private int reads(Loom loom) throws InterruptedException {
        reads.set(0);
        threads.clear();
        WarmUp warmUp = warmUp(() -> new BorrowedStore(loom), this::thread);
        warmUp.begin();
        end(warmUp);
        return reads.get();
    }

    @Test
    void shouldAskForPicturesOnceThereIsSomethingToSee() throws Exception {
        try (Loom loom = open()) {
            assertEquals(1, reads(loom));
            push(loom, "unindexed", 10, false);
            assertEquals(1, reads(loom));
            push(loom, "empty", 0, true);
            assertEquals(1, reads(loom));
            push(loom, "one", 1, true);
            assertEquals(5, reads(loom));
            push(loom, "many", 100_000, true);
            assertEquals(5, reads(loom));
        }
    }

    @Test
    void shouldAskOnceHoweverOftenThePageIsOpened() throws Exception {
        try (Loom loom = open()) {
            push(loom, "many", 1_000, true);
            WarmUp warmUp = warmUp(() -> new BorrowedStore(loom), this::thread);
            for (int i = 0; i < 100; i++) {
                warmUp.begin();
            }
            end(warmUp);
            assertEquals(5, reads.get());
            warmUp.begin();
            assertEquals(1, threads.size());
        }
    }

    @Test
    void shouldAskAgainUntilItHasBeenOfUse() throws Exception {
        try (Loom loom = open()) {
            WarmUp warmUp = warmUp(() -> new BorrowedStore(loom), this::thread);
            warmUp.begin();
            threads.get(0).join();
            assertEquals(1, reads.get());
            push(loom, "many", 1_000, true);
            warmUp.begin();
            end(warmUp);
            assertEquals(6, reads.get());
        }
    }

    @Test
    void shouldAskForNothingOnceClosed() throws Exception {
        WarmUp warmUp = warmUp(
                () -> {
                    throw new AssertionError("store is read");
                },
                this::thread);
        warmUp.close(GRACE);
        warmUp.begin();
        end(warmUp);
        assertEquals(List.of(), threads);
    }

    @Test
    void shouldHaveLeftTheStoreWhenItCloses() throws Exception {
        try (Loom loom = open()) {
            push(loom, "many", 1_000, true);
            CountDownLatch reading = new CountDownLatch(1);
            WarmUp warmUp = warmUp(
                    () -> {
                        reading.countDown();
                        return new BorrowedStore(loom);
                    },
                    this::thread);
            warmUp.begin();
            assertTrue(reading.await(1, TimeUnit.MINUTES));
            warmUp.close(GRACE);
            assertFalse(threads.get(0).isAlive());
            end(warmUp);
        }
    }

    @Test
    void shouldNotHoldUpClosingForAHangingDisk() throws Exception {
        CountDownLatch works = new CountDownLatch(1);
        WarmUp warmUp = warmUp(
                () -> {
                    try {
                        works.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    throw new StoreIoException("disk fails");
                },
                this::thread);
        warmUp.begin();
        warmUp.close(Duration.ofMillis(1));
        assertTrue(threads.get(0).isAlive());
        works.countDown();
        end(warmUp);
    }

    @Test
    void shouldLetOthersTellOfAStoreThatFails() throws Exception {
        List<Supplier<Store>> failing = List.of(
                () -> {
                    throw new StoreIoException("disk fails");
                },
                () -> {
                    throw new OutOfMemoryError("Java heap space");
                });
        for (Supplier<Store> stores : failing) {
            reads.set(0);
            threads.clear();
            WarmUp warmUp = warmUp(stores, this::thread);
            warmUp.begin();
            end(warmUp);
            assertEquals(1, reads.get());
        }
    }

    @Test
    void shouldTryAgainWhenThereWasNoThread() throws Exception {
        try (Loom loom = open()) {
            push(loom, "many", 1_000, true);
            AtomicInteger attempts = new AtomicInteger();
            WarmUp warmUp = warmUp(() -> new BorrowedStore(loom), task -> {
                if (attempts.incrementAndGet() == 1) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                return thread(task);
            });
            warmUp.begin();
            assertEquals(0, reads.get());
            warmUp.begin();
            end(warmUp);
            assertEquals(5, reads.get());
        }
    }

    private interface Watch {
        void onSnapshot() throws InterruptedException;
    }

    /** Sees the snapshots that are taken of a store. */
    private static Store watching(Loom loom, Watch watch) {
        return (Store) Proxy.newProxyInstance(
                WarmUpTest.class.getClassLoader(), new Class<?>[] {Store.class}, (proxy, method, arguments) -> {
                    Object result;
                    try {
                        result = method.invoke(loom, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (method.getName().equals("snapshot")) {
                        watch.onSnapshot();
                    }
                    return result;
                });
    }

    private static Store counting(Loom loom, CountDownLatch first, AtomicInteger snapshots) {
        return watching(loom, () -> {
            snapshots.incrementAndGet();
            first.countDown();
        });
    }

    @Test
    void shouldBeginWithTheServerAndAgainWhenThePageIsOpenedUntilThereIsSomethingToSee() throws Exception {
        AtomicInteger snapshots = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(1);
        ServerSettings settings =
                ServerSettings.builder().api(Endpoint.parse("127.0.0.1:0")).build();
        try (Loom loom = open();
                LoomServer server = LoomServer.start(counting(loom, begun, snapshots), settings)) {
            assertTrue(begun.await(1, TimeUnit.MINUTES));
            push(loom, "many", 1_000, true);
            assertEquals(200, new TestClient().get(server, "/page/main.js").statusCode());
            assertEquals(1, snapshots.get());
            while (snapshots.get() < 1 + 1 + 4) {
                assertEquals(200, new TestClient().get(server, "/").statusCode());
            }
        }
    }

    @Test
    void shouldTakeNoMemoryOfQueries() throws Exception {
        CountDownLatch reads = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        ServerSettings settings = ServerSettings.builder()
                .api(Endpoint.parse("127.0.0.1:0"))
                .queryMemoryBytes(300 << 10)
                .build();
        try (Loom loom = open();
                LoomServer server = LoomServer.start(holding(loom, reads, answered), settings)) {
            assertTrue(reads.await(1, TimeUnit.MINUTES));
            try {
                HttpResponse<String> answer = new TestClient().post(server, "/v1/sources", "{}");
                assertEquals(200, answer.statusCode(), answer.body());
            } finally {
                answered.countDown();
            }
        }
    }

    /** The warm-up's snapshots wait. */
    private static Store holding(Loom loom, CountDownLatch reads, CountDownLatch answered) {
        return watching(loom, () -> {
            if (Thread.currentThread().getName().equals("loom-warm-up")) {
                reads.countDown();
                answered.await();
            }
        });
    }

    @Test
    void shouldNotBeginWhereNobodyCanAsk() throws Exception {
        AtomicInteger snapshots = new AtomicInteger();
        try (Loom loom = open()) {
            push(loom, "many", 1_000, true);
            Store watched = counting(loom, new CountDownLatch(1), snapshots);
            LoomServer.start(watched, ServerSettings.builder().build()).close();
            assertEquals(0, snapshots.get());
        }
    }
}
