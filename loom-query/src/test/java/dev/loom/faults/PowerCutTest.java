package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.StorageOption;
import dev.loom.StoreVerifier;
import dev.loom.api.StoreInfo.LogInfo;
import dev.loom.error.LoomException;
import dev.loom.error.StoreIoException;
import dev.loom.store.MarkForger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Cuts the power of a store between any two calls to its disk, while it is made, recovered, written, forced and closed,
 * several times in a row: nothing below {@code durable} is lost, the rest is a prefix of what was pushed, and the store is
 * whole.
 *
 * <p>{@code -Dloom.rounds=N} sets the number of stores, {@code -Dloom.test.seed=S} the seed of the first.
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PowerCutTest {
    private static final int SOURCES = 3;
    private static final int CUTS_PER_STORE = 5;
    private static final int ROUNDS_TOLD = 100;

    /** How many records were said to be durable after a number of calls to the disk. */
    private record Promise(int calls, int records) {}

    @TempDir
    Path temp;

    private long seed;
    private Random random = new Random(0);
    private StoreOracle oracle = new StoreOracle(0, SOURCES);
    private CrashStorage storage;

    /** The source of each record pushed, and its address, in order. */
    private final List<Integer> pushed = new ArrayList<>();

    private final List<Long> addresses = new ArrayList<>();
    private final List<Promise> promises = new ArrayList<>();
    private int durable;
    private boolean failing;
    private int syncsFailed;
    private int renames;
    private int cuts;
    private int cutsOfOpenings;
    private long compared;

    @Test
    void shouldKeepWhatIsDurableWhenThePowerIsCut() throws IOException {
        long first = Long.getLong("loom.test.seed", System.nanoTime());
        int rounds = Integer.getInteger("loom.rounds", 4);
        System.out.println("PowerCutTest: -Dloom.test.seed=" + first + " rounds=" + rounds);
        for (int round = 0; round < rounds; round++) {
            seed = first + round;
            try {
                liveAndBeCut();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed=" + seed, e);
            }
            if ((round + 1) % ROUNDS_TOLD == 0 || round + 1 == rounds) {
                System.out.println("PowerCutTest: stores=" + (round + 1) + ", cuts=" + cuts
                        + ", of them within an opening=" + cutsOfOpenings + ", syncs failed=" + syncsFailed);
            }
        }
        System.out.println("PowerCutTest: segments compressed=" + renames);
        System.out.println(
                failing
                        ? "row=R15 faults=" + syncsFailed + " checked=" + compared + " seed=" + first
                        : "row=R1 faults=" + cuts + " checked=" + compared + " seed=" + first);
    }

    @Test
    void shouldKeepWhatIsDurableWhenSyncsFailBefore() throws IOException {
        failing = true;
        shouldKeepWhatIsDurableWhenThePowerIsCut();
        assertTrue(syncsFailed > 0);
    }

    private void liveAndBeCut() throws IOException {
        random = new Random(seed);
        oracle = new StoreOracle(seed, SOURCES);
        pushed.clear();
        addresses.clear();
        promises.clear();
        durable = 0;
        Path disk = Files.createDirectory(temp.resolve("disk-0"));
        for (int cut = 1; cut <= CUTS_PER_STORE; cut++) {
            int opened = live(disk);
            // every other time while it is being opened, which after a cut is its recovery
            int calls = random.nextInt((random.nextBoolean() ? opened : storage.calls()) + 1);
            Path next = Files.createDirectory(temp.resolve("disk-" + cut));
            storage.cut(calls, random, next);
            cuts++;
            cutsOfOpenings += calls <= opened ? 1 : 0;
            delete(disk);
            disk = next;
            MarkForger.ofEarlierBoot(disk.resolve("store"));
            // what an earlier cut left is on the disk, and stays durable when an opening is cut
            promises.stream()
                    .filter(promise -> promise.calls <= calls)
                    .forEach(promise -> durable = Math.max(durable, promise.records));
            promises.clear();
        }
        int opened = live(disk);
        assertTrue(opened <= storage.calls());
        delete(disk);
    }

    static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static LoomConfig.Builder config(Path store) {
        return PushingProcess.config(store)
                .segmentBytes(3 << 16)
                .durabilityInterval(Duration.ofMillis(1))
                .durabilityBytes(1 << 16);
    }

    /** One life of the store. Returns after how many calls to the disk it was open. */
    private int live(Path disk) {
        Path store = disk.resolve("store");
        storage = new CrashStorage(disk);
        long[] found = attached(store);
        Loom loom = open(store);
        int opened = storage.calls();
        accept(oracle.count(loom), found);
        promises.add(new Promise(opened, pushed.size()));
        for (int sessions = random.nextInt(2); sessions >= 0; sessions--) {
            // the random numbers of the evictor's thread are its own
            storage.failSyncs(failing ? new Random(random.nextLong()) : null);
            write(loom);
            storage.failSyncs(null);
            loom.close();
            promises.add(new Promise(storage.calls(), pushed.size()));
            checkClosed(store);
            if (sessions > 0) {
                loom = open(store);
                assertArrayEquals(counts(pushed.size()), oracle.count(loom), "reopened");
            }
        }
        syncsFailed += storage.syncsFailed();
        renames += storage.renames();
        return opened;
    }

    private Loom open(Path store) {
        LoomConfig.Builder config = config(store)
                .rebuildIndexes(random.nextInt(4) == 0)
                .backgroundRebuildBytes((long) random.nextInt(8) << 16)
                .compressAfter(random.nextBoolean() ? Duration.ZERO : null)
                .compressionShare(1);
        return Loom.open(StorageOption.with(config, storage).build());
    }

    /** What a reader finds before the recovery; nothing where the store's making was cut. */
    private long[] attached(Path store) {
        try {
            return oracle.count(store);
        } catch (LoomException e) {
            assertEquals(0, durable, () -> "a store with durable records can't be read: " + e);
            return new long[SOURCES];
        }
    }

    private void accept(long[] found, long[] attached) {
        assertArrayEquals(attached, found, "attached and recovered");
        int records = 0;
        for (long count : found) {
            records += (int) count;
        }
        compared += records;
        assertTrue(records >= durable, "durable records are lost: durable=" + durable + ", found=" + records);
        assertTrue(records <= pushed.size(), "more records than were pushed");
        assertArrayEquals(counts(records), found, "not a prefix of what was pushed");
        pushed.subList(records, pushed.size()).clear();
        addresses.subList(records, addresses.size()).clear();
    }

    /** How many records of each source are among the first ones. */
    private long[] counts(int records) {
        long[] counts = new long[SOURCES];
        pushed.subList(0, records).forEach(source -> counts[source]++);
        return counts;
    }

    private void checkClosed(Path store) {
        assertArrayEquals(counts(pushed.size()), oracle.count(store), "closed");
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(
                store, (file, offset, message) -> problems.add(store.relativize(file) + "@" + offset + ": " + message));
        assertEquals(List.of(), problems);
    }

    private void write(Loom loom) {
        long[] counts = counts(pushed.size());
        int sources = 1 + random.nextInt(SOURCES);
        for (int i = random.nextInt(400); i > 0; i--) {
            int source = random.nextInt(sources);
            int id = StoreOracle.define(loom, source);
            addresses.add(loom.push(id, CheckedPayload.make(seed, source, counts[source]++)));
            pushed.add(source);
            if (random.nextInt(100) == 0) {
                force(loom);
            } else if (!failing && random.nextInt(50) == 0) {
                awaitTailDurable(loom);
            } else if (i % 16 == 0) {
                promiseDurable(loom.info().records());
            }
        }
    }

    private void force(Loom loom) {
        int failed = storage.syncsFailed();
        try {
            loom.force();
            promises.add(new Promise(storage.calls(), pushed.size()));
        } catch (StoreIoException e) {
            assertTrue(storage.syncsFailed() > failed, "a sync failed: " + e);
        }
    }

    /** Without a force, the page stays open. */
    private void awaitTailDurable(Loom loom) {
        LogInfo log = loom.info().records();
        while (log.durable() < log.tail()) {
            Thread.onSpinWait();
            log = loom.info().records();
        }
        promiseDurable(log);
    }

    /** A record is below an address when the next one begins there or before. */
    private void promiseDurable(LogInfo log) {
        int records = 0;
        while (records + 1 < addresses.size() && addresses.get(records + 1) <= log.durable()) {
            records++;
        }
        if (log.durable() == log.tail()) {
            records = addresses.size();
        }
        promises.add(new Promise(storage.calls(), records));
    }
}
