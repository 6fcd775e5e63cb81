package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.Loom;
import dev.loom.StoreAccess;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.ValueType;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreReopenedException;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.index.IndexSummary;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.PageChecksum;
import dev.loom.log.PageDescriptor;
import dev.loom.record.LeasedSnapshot;
import dev.loom.rollup.RunFiles;
import dev.loom.rollup.RunReader;
import dev.loom.rollup.RunShape;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Summing up beside a writer, when the disk, the memory or other callers come in between. */
@Timeout(120)
final class RollupsTest {
    private static final PayloadFormat FORMAT = Formats.parse("struct:value:i64,pad:bytes");
    private static final int SOURCE = 1;
    private static final int BINS = 24;

    @TempDir
    Path temp;

    private volatile boolean fenced;

    private Path store() {
        return temp.resolve("store");
    }

    private Loom open(Storage storage) {
        return StoreAccess.open(
                store(),
                storage,
                config -> config.minFreeBytes(0)
                        .segmentBytes(4L * PageDescriptor.PAGE_LENGTH)
                        .rollupShare(0));
    }

    /** Pushes enough for a number of runs of level 1, and a little more. */
    private static void fill(Loom loom, int runs) {
        int source = loom.defineSource("source", FORMAT);
        assertEquals(SOURCE, source);
        loom.defineIndex(source, "value", IndexFunction.field(FORMAT, "value"), Bins.logLinear());
        ByteBuffer payload = ByteBuffer.allocate(2_000).order(ByteOrder.LITTLE_ENDIAN);
        long address = 0;
        for (long i = 0; address < RunShape.begin(1, runs) + 2L * PageDescriptor.PAGE_LENGTH; i++) {
            payload.putLong(0, i % 100);
            address = loom.push(source, payload.array());
        }
        loom.force();
    }

    private RunFiles files(Storage storage) {
        return new RunFiles(storage, temp.resolve("runs"));
    }

    private static long storeId(Loom loom) {
        try (Snapshot snapshot = loom.snapshot()) {
            return ((LeasedSnapshot) snapshot).view().records().storeId();
        }
    }

    private static long tail(Loom loom) {
        return loom.info().records().tail();
    }

    /** @param durable called once in each attempt */
    private Rollups rollups(
            Loom loom, RunFiles files, LongSupplier durable, BooleanSupplier ready, LongPredicate room) {
        return new Rollups(new Rollups.Parts(
                files,
                storeId(loom),
                loom::snapshot,
                id -> loom.indexes().stream()
                        .filter(index -> index.id() == id)
                        .findFirst()
                        .orElse(null),
                ready,
                durable,
                () -> {
                    if (fenced) {
                        throw new StoreReopenedException("another writer has the store");
                    }
                },
                room,
                1));
    }

    private Rollups rollups(Loom loom, RunFiles files) {
        long tail = tail(loom);
        return rollups(loom, files, () -> tail, () -> true, bytes -> true);
    }

    @Test
    void shouldAnswerAllWhoWait() throws Exception {
        CountDownLatch waiting = new CountDownLatch(2);
        AtomicInteger attempts = new AtomicInteger();
        try (Loom loom = open(Storage.DISK)) {
            fill(loom, 3);
            long tail = tail(loom);
            LongSupplier durable = () -> {
                attempts.incrementAndGet();
                return tail;
            };
            BooleanSupplier ready = () -> {
                awaitLatch(waiting);
                return true;
            };
            try (Rollups rollups = rollups(loom, files(Storage.DISK), durable, ready, bytes -> true)) {
                rollups.start();
                List<CompletableFuture<Boolean>> answers =
                        List.of(new CompletableFuture<>(), new CompletableFuture<>());
                for (CompletableFuture<Boolean> answer : answers) {
                    AtomicBoolean asked = new AtomicBoolean();
                    Thread caller = new Thread(() -> answer.complete(rollups.finish((done, total) -> {
                        if (asked.compareAndSet(false, true)) {
                            waiting.countDown();
                        }
                        return attempts.get() <= 20; // one that was forgotten
                    })));
                    caller.start();
                }
                for (CompletableFuture<Boolean> answer : answers) {
                    assertTrue(answer.get(60, TimeUnit.SECONDS));
                }
            }
        }
    }

    @Test
    void shouldTellHowMuchIsToBeSummedUp() {
        CountDownLatch told = new CountDownLatch(1);
        List<String> heard = new ArrayList<>();
        try (Loom loom = open(Storage.DISK)) {
            fill(loom, 3);
            long tail = tail(loom);
            BooleanSupplier ready = () -> {
                awaitLatch(told);
                return true;
            };
            try (Rollups rollups = rollups(loom, files(Storage.DISK), () -> tail, ready, bytes -> true)) {
                rollups.start();
                assertTrue(rollups.finish((done, total) -> {
                    if (heard.isEmpty()) {
                        heard.add(done + " of " + total);
                        told.countDown();
                    }
                    return true;
                }));
                assertEquals(List.of("0 of " + tail), heard);
                heard.clear();
                assertTrue(rollups.finish((done, total) -> heard.add(done + " of " + total)));
                assertEquals("0 of " + (tail - RunShape.begin(1, RunShape.number(1, tail))), heard.get(0));
            }
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldSayThatARunLacksRoomThoughALongerOneFits() {
        AtomicInteger asked = new AtomicInteger();
        int whole = RunShape.fanOut();
        try (Loom loom = open(Storage.DISK)) {
            fill(loom, whole + 1);
            long tail = tail(loom);
            // there is room for the runs that make up a longer one and for that one, and no more
            LongPredicate room = bytes -> {
                int request = asked.incrementAndGet();
                return request <= whole || request == whole + 2;
            };
            RunFiles files = files(Storage.DISK);
            try (Rollups rollups = rollups(loom, files, () -> tail, () -> true, room)) {
                rollups.start();
                assertFalse(rollups.finish((done, total) -> true));
            }
            assertTrue(files.all().stream().anyMatch(file -> file.level() == 2), "no longer run was built");
        }
    }

    @Test
    void shouldLeaveTheFilesOfAnotherWriterAlone() {
        AtomicBoolean closing = new AtomicBoolean();
        AtomicInteger touched = new AtomicInteger();
        Storage storage = new HookedStorage() {
            private void touch() {
                if (closing.get()) {
                    touched.incrementAndGet();
                }
            }

            @Override
            public LoomFile openToWrite(Path file, boolean direct) {
                touch();
                return super.openToWrite(file, direct);
            }

            @Override
            public void delete(Path file) {
                touch();
                super.delete(file);
            }
        };
        try (Loom loom = open(Storage.DISK)) {
            fill(loom, 3);
            Rollups rollups = rollups(loom, files(storage));
            rollups.start();
            assertTrue(rollups.finish((done, total) -> true));
            fenced = true;
            closing.set(true);
            rollups.close();
        }
        assertEquals(0, touched.get());
    }

    @Test
    void shouldCloseWithoutMemory() {
        AtomicBoolean exhausted = new AtomicBoolean();
        AtomicInteger refused = new AtomicInteger();
        Storage storage = new HookedStorage() {
            private void refuse() {
                if (exhausted.get()) {
                    refused.incrementAndGet();
                    throw new OutOfMemoryError("injected");
                }
            }

            @Override
            public LoomFile openToWrite(Path file, boolean direct) {
                refuse();
                return super.openToWrite(file, direct);
            }

            @Override
            public List<Path> list(Path directory) {
                refuse();
                return super.list(directory);
            }
        };
        try (Loom loom = open(Storage.DISK)) {
            fill(loom, 3);
            Rollups rollups = rollups(loom, files(storage));
            rollups.start();
            assertTrue(rollups.finish((done, total) -> true));
            exhausted.set(true);
            try {
                rollups.close();
            } catch (OutOfMemoryError e) {
                throw new AssertionError("what comes behind it would be left out", e);
            }
        }
        assertEquals(2, refused.get());
    }

    @Test
    void shouldRewriteAFileWhoseHeadCannotBeRead() {
        AtomicBoolean bad = new AtomicBoolean();
        Storage storage = new HookedStorage() {
            @Override
            protected void onRead(Path file) {
                if (bad.get()) {
                    throw new StoreIoException("injected: bad block, file=" + file);
                }
            }

            @Override
            public void delete(Path file) {
                super.delete(file);
                bad.set(false); // another file has other blocks
            }
        };
        try (Loom loom = open(Storage.DISK)) {
            fill(loom, 3);
            RunFiles files = files(storage);
            try (Rollups rollups = rollups(loom, files)) {
                rollups.start();
                assertTrue(rollups.finish((done, total) -> true));
            }
            bad.set(true);
            long before = files.bytes();
            try (Rollups rollups = rollups(loom, files)) {
                rollups.start();
                assertTrue(rollups.finish((done, total) -> true));
            }
            assertFalse(bad.get());
            assertEquals(before, files.bytes());
            assertTrue(hasBins(files, loom));
        }
    }

    /** The disk, whose files of one kind of log can't be opened the first times, as when there are no file descriptors. */
    private static Storage failing(LogKind kind, AtomicInteger times) {
        return new HookedStorage() {
            @Override
            public LoomFile openToRead(Path file) {
                if (file.getParent().endsWith(kind.folder()) && times.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                    throw new StoreIoException("injected: too many open files, file=" + file);
                }
                return super.openToRead(file);
            }
        };
    }

    private static boolean finishes(Rollups rollups, int attempts) {
        for (int i = 0; i < attempts; i++) {
            if (rollups.finish((done, total) -> true)) {
                return true;
            }
        }
        return false;
    }

    @Test
    void shouldSumUpLaterWhatTheDiskDoesNotDeliver() {
        try (Loom loom = open(Storage.DISK)) {
            fill(loom, 3);
        } // opened again, the indexes are read from their files
        for (LogKind kind : List.of(LogKind.TIME, LogKind.CHUNK)) {
            AtomicInteger times = new AtomicInteger();
            RunFiles files = files(Storage.DISK);
            try (Loom loom = open(failing(kind, times));
                    Rollups rollups = rollups(loom, files)) {
                times.set(1);
                rollups.start();
                assertTrue(finishes(rollups, 5), kind::toString);
                assertEquals(0, times.get(), kind::toString);
                assertTrue(hasBins(files, loom), kind::toString);
            }
            files.deleteAll();
        }
    }

    @Test
    void shouldGoOnWithoutWhatTheDiskNeverDelivers() {
        try (Loom loom = open(Storage.DISK)) {
            fill(loom, 3);
        }
        AtomicInteger times = new AtomicInteger();
        RunFiles files = files(Storage.DISK);
        try (Loom loom = open(failing(LogKind.CHUNK, times))) {
            try (Rollups rollups = rollups(loom, files)) {
                times.set(Integer.MAX_VALUE);
                rollups.start();
                assertTrue(finishes(rollups, 100), "one that can't be read must not be the end of all");
                assertFalse(hasBins(files, loom));
            }
        }
    }

    /** Makes the first bins of the chunk index impossible, under a checksum that is right. */
    private void spoilBins(long storeId) throws IOException {
        Path file = store().resolve(LogKind.CHUNK.folder()).resolve("0".repeat(20) + ".seg");
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(PageDescriptor.HEADER_LENGTH + BINS, (byte) 0xC0);
        new PageChecksum(LogKind.CHUNK, storeId).fill(bytes, 0, 0);
        Files.write(file, bytes.array());
    }

    private static boolean hasBins(RunFiles files, Loom loom) {
        try (RunReader reader = new RunReader(files, storeId(loom))) {
            assertTrue(reader.read(1, 0));
            assertTrue(reader.find(SOURCE));
            IndexSummary summary = new IndexSummary();
            assertTrue(reader.summary(loom.indexes().get(0).id(), ValueType.I64, summary));
            assertNotEquals(0, summary.count());
            return summary.binsAddress() != IndexSummary.NO_BINS;
        }
    }

    @Test
    void shouldGoOnBehindMalformedBins() throws IOException {
        long storeId;
        try (Loom loom = open(Storage.DISK)) {
            fill(loom, 3);
            storeId = storeId(loom);
        }
        spoilBins(storeId);
        RunFiles files = files(Storage.DISK);
        try (Loom loom = open(Storage.DISK);
                Rollups rollups = rollups(loom, files)) {
            rollups.start();
            assertTrue(rollups.finish((done, total) -> true));
            assertFalse(hasBins(files, loom));
        }
    }
}
