package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.format.Formats;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a store answers while it is being closed, and after that. A read of unmapped memory ends the JVM of this test. {@code
 * -Dloom.rounds=N} sets how often a reader is closed under five threads; a writer is, a twentieth as often.
 */
final class ReaderCloseTest {
    private static final int ROUNDS = Integer.getInteger("loom.rounds", 200);
    private static final int SOURCES_OF_A_STORE = 1_000;

    @TempDir
    Path temp;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final AtomicLong answers = new AtomicLong();
    private Path directory;
    private Loom loom;

    @BeforeEach
    void write() {
        directory = temp.resolve("store");
        loom = open(directory);
    }

    private static Loom open(Path directory) {
        Loom loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .build());
        for (int i = 0; i < 4; i++) {
            int source = loom.defineSource("source" + i, Formats.bytes());
            loom.push(source, new byte[100]);
        }
        loom.force();
        return loom;
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
        loom.close();
    }

    /** Damages the last byte of the first source's definition; then what it defined is known from the sources' slots alone. */
    private void damageSchema() throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(directory.resolve("schema.log").toFile(), "rw")) {
            file.seek(56); // in the entry of the first source, after that of the limits
            file.write(0xff);
        }
    }

    private static List<Callable<?>> calls(Store store) {
        return List.of(
                store::sources, () -> store.source("source1"), store::indexes, store::info, () -> statistics(store));
    }

    private static Object statistics(Store store) {
        try (Snapshot snapshot = store.snapshot()) {
            return List.of(
                    snapshot.statistics(1),
                    snapshot.lastTimeNs(),
                    snapshot.beginAddress(),
                    snapshot.sources(),
                    snapshot.indexes(1));
        }
    }

    @Test
    void shouldFailTypedWhenAReaderIsUsedAfterCloseAndTheSchemaIsDamaged() throws Exception {
        damageSchema();
        try (LoomReader reader = LoomReader.attach(directory)) {
            assertEquals("#1", reader.sources().get(0).name());
        }
        LoomReader reader = LoomReader.attach(directory);
        reader.close();
        reader.close();
        for (Callable<?> call : calls(reader)) {
            String message =
                    assertThrows(IllegalStateException.class, call::call).getMessage();
            assertTrue(message.startsWith("store is closed: "), message);
        }
    }

    /** A program that attaches again at another refusal would do so after its reader was closed. */
    @Test
    void shouldSayThatAReaderIsClosedThoughItsStoreWasOpenedAgain() {
        LoomReader reader = LoomReader.attach(directory);
        reader.close();
        loom.close();
        loom = Loom.open(StoreAccess.small(directory).build());
        IllegalStateException refused = assertThrows(IllegalStateException.class, reader::snapshot);
        assertTrue(String.valueOf(refused.getMessage()).startsWith("store is closed: "), refused::getMessage);
    }

    @Test
    void shouldRefuseIdsThatNoSourceHas() {
        try (LoomReader reader = LoomReader.attach(directory)) {
            for (Store store : List.of(loom, reader)) {
                try (Snapshot snapshot = store.snapshot()) {
                    assertThrows(IllegalArgumentException.class, () -> snapshot.statistics(-1));
                    assertThrows(IllegalArgumentException.class, () -> snapshot.newestFirst(-1, 0, Long.MAX_VALUE));
                    assertThrows(IllegalArgumentException.class, () -> snapshot.oldestFirst(-1, 0, Long.MAX_VALUE));
                    assertEquals(0, snapshot.statistics(1 << 20).records());
                }
            }
        }
    }

    @Test
    void shouldFailTypedWhenAReaderIsUsedInARaceWithClose() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            if (round % SOURCES_OF_A_STORE == 0) {
                loom.close();
                directory = temp.resolve("store" + round);
                loom = open(directory);
                damageSchema();
            }
            race(LoomReader.attach(directory));
        }
        System.out.println("row=R26 faults=" + ROUNDS + " checked=" + answers + " seed=" + seed + " store=attached");
    }

    @Test
    void shouldFailTypedWhenAWriterIsReadInARaceWithClose() throws Exception {
        for (int round = 0; round < ROUNDS / 20; round++) {
            race(open(temp.resolve("writer" + round)));
        }
        System.out.println("row=R26 faults=" + ROUNDS / 20 + " checked=" + answers + " seed=" + seed + " store=open");
    }

    /** Makes all calls, over and over, each in a thread of its own, until they are refused. */
    private void race(Store store) throws Exception {
        List<Callable<?>> calls = calls(store);
        CountDownLatch begun = new CountDownLatch(calls.size());
        List<Future<Boolean>> refused = new ArrayList<>();
        for (Callable<?> call : calls) {
            refused.add(threads.submit(() -> callUntilRefused(call, begun, store instanceof LoomReader)));
        }
        assertTrue(begun.await(1, TimeUnit.MINUTES));
        // has readers read the schema again
        loom.defineSource("source" + loom.sources().size(), Formats.bytes());
        for (int i = random.nextInt(10_000); i > 0; i--) {
            Thread.onSpinWait();
        }
        store.close();
        for (Future<Boolean> future : refused) {
            boolean ended = future.get(1, TimeUnit.MINUTES); // fails by all but the refusal
            // a writer's schema is on the heap, and may be asked for ever
            assertTrue(ended || !(store instanceof LoomReader));
        }
    }

    private boolean callUntilRefused(Callable<?> call, CountDownLatch begun, boolean endless) throws Exception {
        try {
            for (int i = 0; endless || i < 1_000_000; i++) {
                call.call();
                answers.incrementAndGet();
                begun.countDown();
            }
        } catch (IllegalStateException e) {
            return true;
        }
        return false;
    }
}
