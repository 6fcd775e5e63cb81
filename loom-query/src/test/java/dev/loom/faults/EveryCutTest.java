package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.StorageOption;
import dev.loom.StoreVerifier;
import dev.loom.UnsyncedStorage;
import dev.loom.error.LoomException;
import dev.loom.faults.CrashImage.Loss;
import dev.loom.faults.CrashImage.Remains;
import dev.loom.io.Storage;
import dev.loom.store.MarkForger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Cuts the power of small stores after each call to their disk, with each kind of loss, and of their recoveries: nothing below
 * {@code durable} is lost, the rest is a prefix of what was pushed, and the store is whole. Cuts that leave the same bytes are
 * recovered from once. {@link PowerCutTest} samples the cuts of larger stores.
 *
 * <p>{@code -Dloom.stride=1} recovers from all of them, the default from every fourth, other ones in each run. {@code
 * -Dloom.rounds=N} sets the number of stores, {@code -Dloom.test.seed=S} the seed of the first.
 */
@Timeout(value = 6, unit = TimeUnit.HOURS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class EveryCutTest {
    private static final int SOURCES = 2;
    private static final int RECOVERIES_IN_A_ROW = 3;
    private static final int STRIDE = Integer.getInteger("loom.stride", 4);
    private static final int LEFT_OUT = -1;

    @TempDir
    Path temp;

    private long seed;
    private Random random = new Random(0);
    private StoreOracle oracle = new StoreOracle(0, SOURCES);
    private CrashStorage storage;

    /** Record i is the next one of source i modulo {@link #SOURCES}. */
    private int pushed;

    /** How many records are durable, by the number of calls to the disk. */
    private final TreeMap<Integer, Integer> durable = new TreeMap<>();

    private long cuts;
    private long images;
    private long compared;

    private interface Round {
        void run(Path directory) throws IOException;
    }

    @Test
    void shouldKeepWhatIsDurableWhereverThePowerIsCut() throws IOException {
        run("R1", directory -> {
            live(directory.resolve("disk"));
            cutEverywhere(directory);
        });
    }

    /** What a recovery has found, later ones find again. */
    @Test
    void shouldFindTheSameWhereverARecoveryIsCut() throws IOException {
        run("R5", directory -> {
            live(directory.resolve("disk"));
            for (int i = 0; i < RECOVERIES_IN_A_ROW; i++) {
                Path disk = directory.resolve("disk-" + i);
                // the first one late in the store's life, so that there is something to recover
                int least = i == 0 ? storage.calls() / 2 : 0;
                storage.cut(least + random.nextInt(storage.calls() + 1 - least), random, disk);
                MarkForger.ofEarlierBoot(disk.resolve("store"));
                storage = new CrashStorage(disk);
                pushed = recover(disk.resolve("store"), storage);
                durable.clear();
                durable.put(0, pushed);
                cutEverywhere(directory);
            }
        });
    }

    private void run(String row, Round round) throws IOException {
        long first = Long.getLong("loom.test.seed", System.nanoTime());
        int rounds = Integer.getInteger("loom.rounds", 1);
        System.out.println("EveryCutTest: -Dloom.test.seed=" + first + " rounds=" + rounds);
        for (int i = 0; i < rounds; i++) {
            seed = first + i;
            random = new Random(seed);
            oracle = new StoreOracle(seed, SOURCES);
            pushed = 0;
            durable.clear();
            durable.put(0, 0);
            Path directory = temp.resolve("round-" + i);
            try {
                round.run(directory);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("-Dloom.test.seed=" + seed, e);
            }
            PowerCutTest.delete(directory);
        }
        System.out.println(
                "row=" + row + " faults=" + cuts + " checked=" + compared + " seed=" + first + " images=" + images);
    }

    private Loom open(Path store, Storage on) {
        LoomConfig.Builder config = PushingProcess.config(store)
                .segmentBytes(3 << 16)
                .durabilityInterval(Duration.ofMillis(1))
                .durabilityBytes(1 << 16)
                .rebuildIndexes(random.nextInt(4) == 0)
                // what is not cut itself need not
                .compressAfter(on == storage && random.nextBoolean() ? Duration.ZERO : null)
                .compressionShare(1);
        return Loom.open(StorageOption.with(config, on).build());
    }

    private void live(Path disk) throws IOException {
        Files.createDirectories(disk);
        storage = new CrashStorage(disk);
        for (int sessions = random.nextInt(3); sessions >= 0; sessions--) {
            try (Loom loom = open(disk.resolve("store"), storage)) {
                for (int i = random.nextInt(200); i > 0; i--) {
                    int source = pushed % SOURCES;
                    loom.push(StoreOracle.define(loom, source), CheckedPayload.make(seed, source, pushed / SOURCES));
                    pushed++;
                    if (random.nextInt(50) == 0) {
                        loom.force();
                        durable.put(storage.calls(), pushed);
                    }
                }
            }
            durable.put(storage.calls(), pushed);
        }
    }

    private void cutEverywhere(Path directory) throws IOException {
        Map<String, Integer> recovered = new HashMap<>();
        int first = random.nextInt(STRIDE);
        storage.replay((calls, image) -> {
            for (Loss loss : Loss.values()) {
                Remains remains = image.cut(loss, random);
                String digest = remains.digest();
                String where = "calls=" + calls + ", loss=" + loss;
                try {
                    if (!recovered.containsKey(digest)) {
                        boolean chosen = recovered.size() % STRIDE == first;
                        recovered.put(digest, chosen ? recover(remains, directory.resolve("cut")) : LEFT_OUT);
                    }
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError(where, e);
                }
                int found = recovered.get(digest);
                if (found == LEFT_OUT) {
                    continue;
                }
                int least = durable.floorEntry(calls).getValue();
                assertTrue(
                        found >= least && found <= pushed,
                        () -> where + ", found=" + found + ", durable=" + least + ", pushed=" + pushed);
                cuts++;
            }
        });
    }

    private int recover(Remains remains, Path disk) throws IOException {
        remains.writeTo(disk);
        Path store = disk.resolve("store");
        MarkForger.ofEarlierBoot(store);
        int records = recover(store, new UnsyncedStorage());
        PowerCutTest.delete(disk);
        images++;
        return records;
    }

    /** How many records an attached reader finds, and the recovery after it, and a reader of the closed store. */
    private int recover(Path store, Storage on) {
        int attached = attached(store);
        try (Loom loom = open(store, on)) {
            assertEquals(attached, prefix(oracle.count(loom)), "attached and recovered");
        }
        assertEquals(attached, prefix(oracle.count(store)), "closed");
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(
                store, (file, offset, message) -> problems.add(store.relativize(file) + "@" + offset + ": " + message));
        assertEquals(List.of(), problems);
        return attached;
    }

    /** None where the store's making was cut. */
    private int attached(Path store) {
        try {
            return prefix(oracle.count(store));
        } catch (LoomException e) {
            return 0;
        }
    }

    /** How many records there are, which are the first ones that were pushed. */
    private int prefix(long[] counts) {
        int records = (int) LongStream.of(counts).sum();
        compared += records;
        assertArrayEquals(
                IntStream.range(0, SOURCES)
                        .mapToLong(source -> (records + SOURCES - 1 - source) / SOURCES)
                        .toArray(),
                counts,
                "not a prefix of what was pushed");
        return records;
    }
}
