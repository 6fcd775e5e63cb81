package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.loom.api.RecordClaim;
import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.api.StoreInfo;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreReopenedException;
import dev.loom.format.Formats;
import dev.loom.io.LoomFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Staging that is deleted under a live writer, as logind does at logout. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeletedStagingTest {
    private static final Path MEMORY = Path.of("/dev/shm");

    @TempDir
    Path temp;

    private Path store = Path.of("");
    private Path staging = Path.of("");

    @BeforeEach
    void place() {
        store = temp.resolve("store");
        staging = temp.resolve("staging");
    }

    private Loom open() {
        return Loom.open(WriterProcess.config(store).stagingDirectory(staging).build());
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - end < 0, what);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static long records(Store store) {
        try (Snapshot snapshot = store.snapshot()) {
            return snapshot.statistics(snapshot.source("written").orElseThrow().id())
                    .records();
        }
    }

    private long records() {
        try (LoomReader reader = LoomReader.attach(store)) {
            return records(reader);
        }
    }

    private void deleteStaging() {
        delete(staging);
    }

    private static void delete(Path path) {
        try {
            if (Files.isDirectory(path)) {
                try (Stream<Path> files = Files.list(path)) {
                    files.forEach(DeletedStagingTest::delete);
                }
            }
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Whether there is staging again that readers, and a recovery, go by. */
    private boolean restored() {
        try (Stream<Path> files = Files.walk(staging)) {
            return files.anyMatch(file -> file.endsWith("live") && file.toFile().length() > 0);
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void shouldLoseNothingWhenAnIdleWriterIsKilledAfterwards() throws IOException {
        try (JavaProcess writer = JavaProcess.start(WriterProcess.class, store, staging)) {
            assertEquals("ok", writer.ask("open"));
            assertEquals("ok", writer.ask("push 5000"));
            deleteStaging();
            await("staging is not restored", this::restored);
            assertEquals(5_000, records(), "to a reader that attaches afterwards");
            writer.kill();
        }
        assertEquals(5_000, records(), "dead");
        open().close();
        assertEquals(5_000, records(), "recovered");
    }

    /** While the writer stands still, what it wrote goes to the disk, and the copy of the staging has to say so. */
    @Test
    void shouldKeepTheCopyRightWhileTheWriterIsIdle() {
        LoomConfig config = WriterProcess.config(store)
                .stagingDirectory(staging)
                .durabilityInterval(Duration.ofSeconds(4))
                .build();
        try (Loom loom = Loom.open(config)) {
            WriterProcess.push(loom, 5_000);
            deleteStaging();
            await("staging is not restored", this::restored);
            await("records do not become durable", () -> {
                StoreInfo.LogInfo log = loom.info().records();
                return log.durable() >= log.sealed() && log.sealed() > 0;
            });
            assertEquals(5_000, records());
        }
    }

    /** What is filled in after the writer has moved belongs to the record all the same. */
    @Test
    void shouldMoveAnOpenClaim() {
        try (Loom loom = open()) {
            int id = loom.defineSource("claimed", Formats.bytes());
            assertTrue(loom.claim(id, 2 * Long.BYTES) >= 0);
            RecordClaim claim = loom.claimed();
            claim.buffer().putLong(claim.offset(), 1);
            deleteStaging();
            await("the writer did not move", () -> {
                assertThrows(IllegalStateException.class, () -> loom.push(id, new byte[8]));
                return loom.info().writer().orElseThrow().stagingReplaced() == 1;
            });
            claim.buffer().putLong(claim.offset() + Long.BYTES, 2);
            assertTrue(claim.commit() >= 0);
            try (Snapshot snapshot = loom.snapshot();
                    RecordCursor records = snapshot.newestFirst(id, Long.MIN_VALUE, Long.MAX_VALUE)) {
                assertTrue(records.next());
                assertEquals(1, records.buffer().getLong(records.offset()));
                assertEquals(2, records.buffer().getLong(records.offset() + Long.BYTES));
            }
        }
    }

    @Test
    void shouldGoOnInOtherStagingWhenTheWriterWrites() throws IOException {
        try (JavaProcess writer = JavaProcess.start(WriterProcess.class, store, staging)) {
            assertEquals("ok", writer.ask("open"));
            assertEquals("ok", writer.ask("push 5000"));
            int pushed = 5_000;
            for (int i = 1; i <= 2; i++) {
                deleteStaging();
                while (!writer.ask("moves").equals("" + i)) {
                    assertEquals("ok", writer.ask("push 10"));
                    pushed += 10;
                }
                assertEquals("ok", writer.ask("push 30000"));
                pushed += 30_000;
                assertEquals(pushed, records());
            }
            writer.kill();
            assertEquals(pushed, records(), "dead");
            open().close();
            assertEquals(pushed, records(), "recovered");
        }
    }

    /** Where it was there is no room any more, and the disk refuses the mark that says where it is now. */
    @Test
    void shouldGoOnInAnotherPlaceThoughTheMarkIsRefusedOnce() {
        AtomicBoolean full = new AtomicBoolean();
        AtomicBoolean made = new AtomicBoolean();
        AtomicInteger refused = new AtomicInteger();
        HookedStorage storage = new HookedStorage() {
            @Override
            public long usableSpace(Path directory) {
                return full.get() && directory.equals(MEMORY) ? 0 : super.usableSpace(directory);
            }

            @Override
            public LoomFile openToWrite(Path file, boolean direct) {
                if (full.get() && file.endsWith("live")) {
                    made.set(true);
                }
                return super.openToWrite(file, direct);
            }

            @Override
            protected void onWrite(Path file, long position, boolean direct) {
                if (made.get() && file.endsWith("loom.mark") && refused.getAndIncrement() == 0) {
                    throw new StoreIoException("injected failure: file=" + file);
                }
            }
        };
        try (Loom loom = Loom.open(WriterProcess.config(store).storage(storage).build())) {
            Path before = loom.info().owner().orElseThrow().staging();
            assumeTrue(MEMORY.equals(before.getParent()));
            WriterProcess.push(loom, 5_000);
            full.set(true);
            delete(before);
            await("the writer did not go on elsewhere", () -> {
                WriterProcess.push(loom, 1);
                return loom.info().writer().orElseThrow().stagingReplaced() == 1;
            });
            assertTrue(refused.get() > 1, () -> "marks=" + refused);
            assertNotEquals(MEMORY, loom.info().owner().orElseThrow().staging().getParent());
            assertEquals(records(loom), records(), "to a reader that attaches afterwards");
        }
    }

    @Test
    void shouldTellReadersThatAreAttachedAndKeepTheirSnapshots() {
        try (Loom loom = open()) {
            WriterProcess.push(loom, 5_000);
            try (LoomReader reader = LoomReader.attach(store);
                    Snapshot before = reader.snapshot();
                    Snapshot own = loom.snapshot()) {
                deleteStaging();
                await("the writer did not go on elsewhere", () -> {
                    WriterProcess.push(loom, 1);
                    return loom.info().writer().orElseThrow().stagingReplaced() == 1;
                });
                assertThrows(StoreReopenedException.class, reader::snapshot);
                int id = loom.source("written").orElseThrow().id();
                for (Snapshot each : List.of(before, own)) {
                    assertEquals(5_000, each.statistics(id).records());
                }
                WriterProcess.push(loom, 50_000);
                loom.force();
                assertEquals(records(loom), records());
                for (Snapshot each : List.of(before, own)) {
                    assertEquals(5_000, each.statistics(id).records());
                }
            }
        }
        assertTrue(records() >= 55_001);
        assertEquals(0, staging.toFile().list().length, "staging is left");
    }

    @Test
    void shouldCloseWhenItsStagingWasDeleted() {
        Loom loom = open();
        WriterProcess.push(loom, 5_000);
        deleteStaging();
        loom.close();
        assertEquals(5_000, records());
        Loom again = open();
        WriterProcess.push(again, 5_000);
        deleteStaging();
        await("staging is not restored", this::restored);
        again.close();
        assertEquals(10_000, records());
        assertEquals(0, staging.toFile().list().length, "staging is left");
    }
}
