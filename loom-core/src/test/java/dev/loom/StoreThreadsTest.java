package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.error.LoomException;
import dev.loom.error.SecondWriterException;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreLockedException;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What one thread of a store waits for, fails of, or calls by mistake holds up no other, and breaks nothing. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StoreThreadsTest {
    private static final int RECORDS = 300;

    @TempDir
    Path temp;

    private final CountDownLatch over = new CountDownLatch(1);

    @AfterEach
    void end() {
        over.countDown();
    }

    private Path store() {
        return temp.resolve("store");
    }

    private static boolean isThread(String name) {
        return Thread.currentThread().getName().equals(name);
    }

    @Test
    void shouldChangeTheSchemaWhileTheEvictorWaitsForTheMark() throws InterruptedException {
        CountDownLatch stuck = new CountDownLatch(1);
        try (Loom loom = StoreAccess.open(store(), new HookedStorage() {
            @Override
            protected void onRead(Path file) {
                if (file.endsWith("loom.mark") && isThread("loom-evictor")) {
                    stuck.countDown();
                    await(over);
                }
            }
        })) {
            stuck.await();
            int source = loom.defineSource("a", Formats.bytes());
            loom.closeSource(source);
            over.countDown();
        }
    }

    @Test
    void shouldChangeTheSchemaAndTellOfItselfWhileTheSchemaIsSynced() throws InterruptedException {
        CountDownLatch stuck = new CountDownLatch(1);
        try (Loom loom = StoreAccess.open(store(), new HookedStorage() {
            @Override
            protected void force(LoomFile file) {
                if (file.path().endsWith("schema.log") && isThread("loom-evictor")) {
                    stuck.countDown();
                    await(over);
                }
                super.force(file);
            }
        })) {
            loom.defineSource("a", Formats.bytes());
            stuck.await();
            PayloadFormat format = Formats.parse("struct:v:i64");
            loom.defineIndex(loom.defineSource("b", format), "v", IndexFunction.field(format, "v"), Bins.logLinear());
            assertEquals(0, loom.info().writer().orElseThrow().indexFunctionFailures());
            over.countDown();
            loom.force();
        }
        try (Loom loom = Loom.open(StoreAccess.small(store()).build())) {
            assertEquals(2, loom.sources().size());
            assertEquals(1, loom.indexes().size());
        }
    }

    @Test
    void shouldTellOfItselfWhileADefinitionWaitsForTheDisk() throws InterruptedException {
        CountDownLatch stuck = new CountDownLatch(1);
        try (Loom loom = StoreAccess.open(store(), new HookedStorage() {
            @Override
            protected void onWrite(Path file, long position, boolean direct) {
                if (file.endsWith("schema.log") && isThread("definer")) {
                    stuck.countDown();
                    await(over);
                }
            }
        })) {
            Thread definer = new Thread(() -> loom.defineSource("a", Formats.bytes()), "definer");
            definer.start();
            stuck.await();
            assertEquals(0, loom.info().writer().orElseThrow().indexFunctionFailures());
            over.countDown();
            definer.join();
            assertEquals(1, loom.sources().size());
        }
    }

    @Test
    void shouldTellThatTheDiskDoesNotAnswer() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        try (Loom loom = StoreAccess.open(store(), new HookedStorage() {
            @Override
            protected void onRead(Path file) {
                if (file.endsWith("loom.mark") && isThread("loom-evictor")) {
                    stuck.countDown();
                    await(over);
                }
            }
        })) {
            stuck.await();
            assertEquals(Optional.empty(), loom.info().failure());
            for (int seconds : new int[] {9, 11}) {
                long fromNs = System.nanoTime();
                heardOf(loom, seconds);
                try (LoomReader reader = LoomReader.attach(store())) {
                    for (Store store : List.of(loom, reader)) {
                        String failure = store.info().failure().orElse("s=9,");
                        long most = seconds + 1 + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - fromNs);
                        assertTrue(
                                LongStream.rangeClosed(seconds, most).anyMatch(s -> failure.contains("s=" + s + ",")),
                                failure);
                    }
                }
            }
            over.countDown();
            while (loom.info().failure().isPresent()) {
                Thread.onSpinWait();
            }
        }
    }

    /** Lets the evictor seem to have been heard of last some time ago. */
    private static void heardOf(Loom loom, int secondsAgo) throws IOException {
        Path live = loom.info().owner().orElseThrow().staging().resolve("live");
        long heardNs = System.nanoTime() - TimeUnit.SECONDS.toNanos(secondsAgo);
        try (FileChannel file = FileChannel.open(live, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, heardNs), 152);
        }
    }

    private static void await(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldNameTheOwnerWhenAnInterruptedCallerWaitsForTheMark() throws Exception {
        AtomicReference<Throwable> refused = new AtomicReference<>();
        CountDownLatch readable = new CountDownLatch(1);
        Thread opener = new Thread(() -> {
            Thread.currentThread().interrupt();
            try {
                StoreAccess.open(store(), new HookedStorage() {
                            @Override
                            public LoomFile openToRead(Path file) {
                                if (readable.getCount() > 0 && file.endsWith("loom.mark")) {
                                    throw new StoreIoException("not written yet: file=" + file);
                                }
                                return super.openToRead(file);
                            }
                        })
                        .close();
            } catch (LoomException e) {
                refused.set(Thread.currentThread().isInterrupted() ? e : null);
            }
        });
        try (JavaProcess owner = JavaProcess.start(WriterProcess.class, store())) {
            assertEquals("ok", owner.ask("open"));
            opener.start();
            while (opener.isAlive() && opener.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            readable.countDown();
            opener.join();
            StoreLockedException locked = (StoreLockedException) refused.get();
            assertEquals(owner.pid(), locked.ownerPid());
        }
    }

    private void shouldRefuse(Consumer<Loom> call) throws IOException {
        shouldRefuse(SecondWriterException.class, call);
    }

    private void shouldRefuse(Class<? extends RuntimeException> expected, Consumer<Loom> call) throws IOException {
        List<Throwable> refused = Collections.synchronizedList(new ArrayList<>());
        AtomicReference<Loom> opened = new AtomicReference<>();
        IndexFunction function =
                IndexFunction.of("own", ValueType.I64, ValueUnit.NONE, (buffer, offset, length, into) -> {
                    try {
                        call.accept(opened.get());
                    } catch (RuntimeException e) {
                        refused.add(e);
                    }
                    into.setInteger(1);
                });
        Path directory = Files.createTempDirectory(temp, "store");
        try (Loom loom = StoreAccess.open(directory, Storage.DISK)) {
            opened.set(loom);
            int source = loom.defineSource("a", Formats.bytes());
            loom.defineIndex(source, "own", function, Bins.logLinear());
            for (int i = 0; i < RECORDS; i++) {
                assertTrue(loom.push(source, new byte[1_000]) >= 0);
            }
            loom.claim(source, 100);
            loom.claimed().commit();
            loom.force();
            assertEquals(RECORDS + 1, refused.size());
            refused.forEach(e -> assertEquals(expected, e.getClass(), e::toString));
            try (Snapshot snapshot = loom.snapshot()) {
                assertEquals(RECORDS + 1, snapshot.statistics(source).records());
            }
        }
    }

    @Test
    void shouldRefuseAnIndexFunctionThatWritesToItsStore() throws IOException {
        shouldRefuse(loom -> loom.push(1, new byte[10]));
        shouldRefuse(loom -> loom.pushBatch(1, new UnsafeBuffer(new byte[10]), 0, new int[] {10}, 1));
        shouldRefuse(loom -> loom.claim(1, 10));
        shouldRefuse(Loom::force);
        shouldRefuse(Loom::releaseWriter);
        shouldRefuse(Loom::close);
        shouldRefuse(Loom::rebuildIndexes);
    }

    @Test
    void shouldRefuseAnIndexFunctionThatAsksItsStore() throws IOException {
        shouldRefuse(IllegalStateException.class, Loom::snapshot);
        shouldRefuse(IllegalStateException.class, Loom::info);
        shouldRefuse(IllegalStateException.class, loom -> loom.defineSource("b", Formats.bytes()));
        shouldRefuse(IllegalStateException.class, loom -> loom.closeSource(1));
    }

    /** Opens the store so that its own thread calls a function of its index, once the store is being closed. */
    private Loom openToClose(Runnable call) {
        AtomicReference<Loom> opened = new AtomicReference<>();
        CountDownLatch called = new CountDownLatch(1);
        IndexFunction function =
                IndexFunction.of("own", ValueType.I64, ValueUnit.NONE, (buffer, offset, length, into) -> {
                    if (isThread("loom-index")) {
                        called.countDown();
                        Loom loom = opened.get();
                        while (loom == null || StoreAccess.session(loom).isOpen()) {
                            Thread.onSpinWait();
                            loom = opened.get();
                        }
                        call.run();
                    }
                    into.setInteger(1);
                });
        try (Loom loom = StoreAccess.open(store(), Storage.DISK)) {
            int source = loom.defineSource("a", Formats.bytes());
            loom.defineIndex(source, "own", function, Bins.logLinear());
            loom.push(source, new byte[8]);
        }
        opened.set(StoreAccess.open(
                store(),
                Storage.DISK,
                builder -> builder.indexFunction(function).rebuildIndexes(true).backgroundRebuildBytes(0)));
        await(called);
        return opened.get();
    }

    @Test
    void shouldCloseWhileAnIndexFunctionAsksForWhatWaits() {
        AtomicReference<Loom> store = new AtomicReference<>();
        List<Throwable> refused = Collections.synchronizedList(new ArrayList<>());
        Loom opened = openToClose(() -> {
            Loom loom = store.get();
            refused.add(assertThrows(IllegalStateException.class, loom::snapshot));
            refused.add(assertThrows(IllegalStateException.class, loom::info));
            refused.add(assertThrows(SecondWriterException.class, loom::rebuildIndexes));
            refused.add(assertThrows(SecondWriterException.class, loom::close));
        });
        store.set(opened);
        opened.close();
        assertEquals(4, refused.size());
    }

    /** It is asked which records are too old, by threads that closing waits for. */
    @Test
    void shouldCloseWhileTheClockAsksForWhatWaits() {
        AtomicReference<Loom> opened = new AtomicReference<>();
        CountDownLatch called = new CountDownLatch(1);
        List<Throwable> refused = Collections.synchronizedList(new ArrayList<>());
        LongSupplier clock = () -> {
            Loom loom = opened.get();
            if (loom != null && isThread("loom-evictor")) {
                called.countDown();
                while (StoreAccess.session(loom).isOpen()) {
                    Thread.onSpinWait();
                }
                refused.add(assertThrows(IllegalStateException.class, loom::snapshot));
                refused.add(assertThrows(IllegalStateException.class, loom::info));
                refused.add(assertThrows(SecondWriterException.class, loom::close));
            }
            return 0;
        };
        opened.set(StoreAccess.open(
                store(), Storage.DISK, builder -> builder.clock(clock).maxAge(Duration.ofDays(1))));
        await(called);
        opened.get().close();
        assertTrue(refused.size() >= 3, () -> "refused=" + refused);
    }

    @Test
    void shouldCloseASharedWriterWhileAnIndexFunctionClosesItToo() {
        AtomicReference<SharedWriter> store = new AtomicReference<>();
        List<Throwable> refused = Collections.synchronizedList(new ArrayList<>());
        SharedWriter shared = new SharedWriter(openToClose(() -> {
            refused.add(assertThrows(SecondWriterException.class, store.get()::rebuildIndexes));
            refused.add(assertThrows(SecondWriterException.class, store.get()::close));
            refused.add(
                    assertThrows(SecondWriterException.class, () -> store.get().acquire(Duration.ofDays(1))));
        }));
        store.set(shared);
        shared.close();
        assertEquals(3, refused.size());
    }

    @Test
    void shouldCloseARecorderWhileAnIndexFunctionWaitsForItsRecords() {
        AtomicReference<Recorder> store = new AtomicReference<>();
        List<Boolean> answers = Collections.synchronizedList(new ArrayList<>());
        Recorder recorder = Recorder.on(openToClose(() -> {
                    answers.add(store.get().sync());
                    store.get().close();
                    answers.add(store.get().force(Duration.ofDays(1)));
                }))
                .start();
        store.set(recorder);
        recorder.close();
        assertEquals(List.of(false, false), answers);
    }

    @Test
    void shouldHaveStoredWhatCameBeforeWhenABatchFails() {
        UnsafeBuffer breaks = new UnsafeBuffer(new byte[20 * Long.BYTES]) {
            @Override
            public long getLong(int index) {
                if (index == 10 * Long.BYTES) {
                    throw new UnsupportedOperationException("no tenth");
                }
                return super.getLong(index);
            }
        };
        int[] lengths = new int[20];
        Arrays.fill(lengths, Long.BYTES);
        try (Loom loom = StoreAccess.open(store(), Storage.DISK)) {
            int source = loom.defineSource("a", Formats.bytes());
            assertThrows(UnsupportedOperationException.class, () -> loom.pushBatch(source, breaks, 0, lengths, 20));
            assertRecords(10, loom, source);
            assertThrows(UnsupportedOperationException.class, () -> loom.offerBatch(source, breaks, 0, lengths, 20));
            assertRecords(20, loom, source);
            assertTrue(loom.push(source, new byte[8]) >= 0);
            assertRecords(21, loom, source);
        }
    }

    private static void assertRecords(long expected, Loom loom, int source) {
        try (Snapshot snapshot = loom.snapshot()) {
            assertEquals(expected, snapshot.statistics(source).records());
        }
    }
}
