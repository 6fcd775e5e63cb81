package dev.loom.query.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.StorageOption;
import dev.loom.UnsyncedStorage;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** While a writer pushes as fast as it can, queries answer as a scan of the snapshot's records does. */
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LiveQueryTest {
    private static final int ROUNDS = Integer.getInteger("loom.rounds", 6);
    private static final int RECORDS_PER_ROUND = 20_000;

    @TempDir
    Path directory;

    @Test
    void shouldAnswerOnTheSnapshotsRecordsWhileOthersArePushed() throws InterruptedException {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("LiveQueryTest: -Dloom.test.seed=" + seed);
        LoomConfig.Builder config = LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN);
        try (Loom loom = Loom.open(
                        StorageOption.with(config, new UnsyncedStorage()).build());
                LoomReader reader = LoomReader.attach(directory)) {
            int source = loom.defineSource("a", Row.FORMAT);
            int other = loom.defineSource("b", Row.FORMAT);
            loom.defineIndex(source, "i", IndexFunction.field(Row.FORMAT, "i"), Bins.logLinear());
            loom.defineIndex(source, "d", IndexFunction.field(Row.FORMAT, "d"), Bins.logLinear());
            for (int round = 0; round < ROUNDS; round++) {
                if (round == ROUNDS / 2) {
                    loom.closeIndex(loom.indexes().get(0).id());
                    loom.defineIndex(source, "i", IndexFunction.field(Row.FORMAT, "i"), Bins.linear(0, 1000, 10));
                }
                queryWhileWriting(loom, round % 2 == 0 ? loom : reader, new int[] {source, other}, seed + round);
            }
        }
    }

    @Test
    void shouldAnswerOnTheSnapshotsRecordsWhileIndexesAreRebuiltToo() throws InterruptedException, IOException {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        LoomConfig.Builder config = LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .segmentBytes(1 << 20)
                .backgroundRebuildBytes(1 << 16);
        int[] sources = new int[2];
        try (Loom loom =
                Loom.open(StorageOption.with(config, new UnsyncedStorage()).build())) {
            sources[0] = loom.defineSource("a", Row.FORMAT);
            sources[1] = loom.defineSource("b", Row.FORMAT);
            loom.defineIndex(sources[0], "i", IndexFunction.field(Row.FORMAT, "i"), Bins.logLinear());
            loom.defineIndex(sources[0], "d", IndexFunction.field(Row.FORMAT, "d"), Bins.logLinear());
            push(loom, sources, new Random(seed), 4 * RECORDS_PER_ROUND);
        }
        int rebuilding = 0;
        for (int round = 0; round < ROUNDS / 2; round++) {
            for (String log : List.of("time", "chunk")) {
                try (Stream<Path> files = Files.list(directory.resolve(log))) {
                    for (Path file : files.toList()) {
                        Files.delete(file);
                    }
                }
            }
            try (Loom loom = Loom.open(
                            StorageOption.with(config, new UnsyncedStorage()).build());
                    LoomReader reader = LoomReader.attach(directory)) {
                rebuilding += loom.info().rebuild().isPresent() ? 1 : 0;
                queryWhileWriting(loom, round % 2 == 0 ? loom : reader, sources, seed + round);
                assertEquals(
                        Optional.empty(), loom.info().writer().orElseThrow().rebuildFailure());
            }
        }
        assertTrue(rebuilding > 0, "no index was being rebuilt");
        System.out.println(
                "LiveQueryTest: -Dloom.test.seed=" + seed + " rounds=" + ROUNDS / 2 + " rebuilding=" + rebuilding);
    }

    private static void queryWhileWriting(Loom loom, Store store, int[] sources, long seed)
            throws InterruptedException {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread queries = new Thread(() -> {
            try {
                query(store, sources[0], new Random(seed));
            } catch (Throwable e) {
                failure.set(e);
            } finally {
                stop.set(true);
            }
        });
        Random random = new Random(seed);
        push(loom, sources, random, RECORDS_PER_ROUND);
        queries.start();
        // on and on while the other asks, but not for ever more
        for (int batch = 0; batch < 200 && !stop.get(); batch++) {
            push(loom, sources, random, 500);
        }
        queries.join();
        if (failure.get() != null) {
            throw new AssertionError("-Dloom.test.seed=" + seed, failure.get());
        }
    }

    private static void push(Loom loom, int[] sources, Random random, int records) {
        for (int n = 0; n < records; n++) {
            long value = (long) Math.exp(random.nextDouble() * 20);
            Double d = random.nextInt(10) == 0 ? null : Double.valueOf(random.nextGaussian());
            byte[] payload = Row.encode(value, null, d, (float) value, random.nextInt(100));
            loom.push(sources[random.nextInt(60) == 0 ? 0 : 1], payload);
        }
    }

    private static void query(Store store, int source, Random random) {
        try (Snapshot snapshot = store.snapshot()) {
            QueryOracle oracle = new QueryOracle(snapshot, source, random);
            for (int i = 0; i < 8; i++) {
                oracle.query();
            }
        }
    }
}
