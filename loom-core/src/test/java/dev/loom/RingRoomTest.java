package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.record.RecordLog;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever indexes and rings a store accepts, no push, closing or opening waits for room that can't come. */
@Timeout(value = 15, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RingRoomTest {
    private static final int CONFIGURATIONS = Integer.getInteger("loom.configurations", 4);
    private static final int PAGE = 1 << 16;
    private static final int RING_MIN = LoomConfig.RING_BYTES_MIN;
    private static final int INDEXES_MAX = RING_MIN / 256;
    private static final PayloadFormat FORMAT = Formats.parse("struct:v:i64");
    private static final IndexFunction VALUE = IndexFunction.field(FORMAT, "v");
    private static final Bins WIDE = Bins.linear(0, 1 << 16, 1 << 16);

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[16 << 20]);

    @TempDir
    Path directory;

    @BeforeEach
    void printSeed() {
        System.out.println("RingRoomTest: -Dloom.test.seed=" + seed);
    }

    private static LoomConfig config(Path directory, int timeRing, int chunkRing) {
        return LoomConfig.at(directory)
                .recordRingBytes(RING_MIN)
                .timeRingBytes(timeRing)
                .chunkRingBytes(chunkRing)
                .sourcesMax(10_000)
                .build();
    }

    private static LoomConfig smallest(Path directory) {
        return config(directory, RING_MIN, RING_MIN);
    }

    private static List<Integer> defineSources(Loom loom, int count) {
        List<Integer> sources = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sources.add(loom.defineSource("source-" + i, FORMAT));
        }
        return sources;
    }

    private static void defineIndexes(Loom loom, List<Integer> sources, String name, int count, Bins bins) {
        for (int i = 0; i < count; i++) {
            loom.defineIndex(sources.get(i % sources.size()), name + "-" + i, VALUE, bins);
        }
    }

    /** Pushes values to sources in turn until they fill some pages. Returns how many. */
    private int pushPages(Loom loom, List<Integer> sources, int pages) {
        int records = pages * (PAGE / 24) + 1;
        for (int i = 0; i < records; i++) {
            payload.putLong(0, random.nextInt(1 << 16), ByteOrder.LITTLE_ENDIAN);
            assertTrue(loom.push(sources.get(i % sources.size()), payload, 0, Long.BYTES) >= 0);
        }
        return records;
    }

    private void check(Path store, long records) {
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(store, (file, offset, message) -> problems.add(file + ": " + offset + ": " + message));
        assertEquals(List.of(), problems, "seed=" + seed);
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            long found = 0;
            for (Source source : snapshot.sources()) {
                found += snapshot.statistics(source.id()).records();
            }
            assertEquals(records, found, "seed=" + seed);
        }
    }

    /** Fills a store, closes it, opens it again and fills it further. */
    private void fillTwice(LoomConfig config, Path store, int indexes, Bins bins) {
        long records;
        try (Loom loom = Loom.open(config)) {
            List<Integer> sources = defineSources(loom, 1);
            defineIndexes(loom, sources, "index", indexes, bins);
            records = pushPages(loom, sources, 3);
        }
        try (Loom loom = Loom.open(config)) {
            records += pushPages(loom, List.of(loom.sources().get(0).id()), 3);
            loom.force();
        }
        check(store, records);
    }

    @Test
    void shouldGoOnWhenTheBinsOfAChunkExceedTheSmallestRing() {
        fillTwice(smallest(directory), directory, 4, WIDE);
    }

    @Test
    void shouldGoOnWhenTheBinsOfAChunkExceedTheDefaultRing() {
        fillTwice(config(directory.resolve("64"), 4 << 20, 8 << 20), directory.resolve("64"), 64, WIDE);
        Bins bins = Bins.linear(0, 1 << 16, 400);
        fillTwice(config(directory.resolve("256"), 4 << 20, 8 << 20), directory.resolve("256"), 256, bins);
    }

    @Test
    void shouldGoOnWhenManySourcesAndAllIndexesAreInOneChunk() {
        long records;
        try (Loom loom = Loom.open(smallest(directory))) {
            List<Integer> sources = defineSources(loom, PAGE / 24 + 200);
            defineIndexes(loom, sources, "index", INDEXES_MAX, Bins.match(1));
            records = pushPages(loom, sources, 4);
        }
        try (Loom loom = Loom.open(smallest(directory))) {
            records += pushPages(loom, loom.sources().stream().map(Source::id).toList(), 2);
        }
        check(directory, records);
    }

    @Test
    void shouldGoOnWhenIndexesAreDefinedAgainWithinAChunk() {
        long records = 0;
        try (Loom loom = Loom.open(smallest(directory))) {
            List<Integer> sources = defineSources(loom, 2);
            for (int round = 0; round < 2; round++) {
                List<Integer> one = List.of(sources.get(round % 2));
                loom.indexes().stream().filter(index -> !index.closed()).forEach(index -> loom.closeIndex(index.id()));
                defineIndexes(loom, one, "index-" + round, INDEXES_MAX, Bins.match(1));
                assertTrue(loom.push(one.get(0), payload, 0, Long.BYTES) >= 0);
                records++;
            }
            records += pushPages(loom, sources, 2);
        }
        check(directory, records);
    }

    @Test
    void shouldRefuseOneIndexMoreThanTheRingHasRoomForAndSaySo() {
        long records;
        List<Integer> sources;
        try (Loom loom = Loom.open(smallest(directory))) {
            sources = defineSources(loom, 1);
            defineIndexes(loom, sources, "index", INDEXES_MAX, Bins.match(1));
            String refusal = refusal(() -> loom.defineIndex(sources.get(0), "more", VALUE, Bins.match(1)));
            assertEquals("too many open indexes: name=more, max=2048, time ring=524288", refusal);
            records = pushPages(loom, sources, 2);
        }
        int more;
        LoomConfig larger = config(directory, 2 * RING_MIN, RING_MIN);
        try (Loom loom = Loom.open(larger)) {
            more = loom.defineIndex(sources.get(0), "more", VALUE, Bins.match(1));
            records += pushPages(loom, sources, 1);
        }
        String refusal = refusal(() -> Loom.open(smallest(directory)));
        assertEquals(
                "time ring too small for the open indexes: bytes=524288, indexes=2049, max=2048"
                        + "; open the store with a larger one and close indexes",
                refusal);
        try (Loom loom = Loom.open(larger)) {
            loom.closeIndex(more);
        }
        try (Loom loom = Loom.open(smallest(directory))) {
            records += pushPages(loom, sources, 2);
        }
        check(directory, records);
    }

    @Test
    void shouldRefuseSegmentsThatAStoreCouldNotBeOpenedWithAgain() {
        LoomConfig.Builder builder = LoomConfig.at(directory).maxBytes(LoomConfig.UNLIMITED);
        assertEquals(
                "bad segment size: bytes=1099511693312, expected=a multiple of 65536 up to 1099511627776",
                refusal(() -> builder.segmentBytes(LoomConfig.SEGMENT_BYTES_MAX + PAGE)));
        LoomConfig config = builder.segmentBytes(LoomConfig.SEGMENT_BYTES_MAX).build();
        for (int i = 0; i < 2; i++) {
            try (Loom loom = Loom.open(config)) {
                pushPages(
                        loom,
                        List.of(loom.source("a").map(Source::id).orElseGet(() -> loom.defineSource("a", FORMAT))),
                        1);
            }
        }
    }

    @Test
    void shouldRefuseOneSourceMoreThanACheckpointHasRoomForAndSaySo() {
        int max = RecordLog.sourcesMax(RING_MIN);
        long records;
        List<Integer> sources;
        try (Loom loom = Loom.open(smallest(directory))) {
            sources = defineSources(loom, max - 1); // and source 0
            loom.closeSource(sources.get(1)); // which counts all the same
            String refusal = refusal(() -> loom.defineSource("more", FORMAT));
            assertEquals(
                    "too many sources, closed ones included: name=more, max=" + max
                            + ", time ring=524288; open the store with a larger one",
                    refusal);
            records = pushPages(loom, sources.subList(0, 1), 2);
        }
        LoomConfig larger = config(directory, 2 * RING_MIN, RING_MIN);
        try (Loom loom = Loom.open(smallest(directory))) {
            records += pushPages(loom, sources.subList(2, 1_000), 2);
        }
        try (Loom loom = Loom.open(larger)) {
            records += pushPages(loom, List.of(loom.defineSource("more", FORMAT)), 1);
        }
        assertEquals(
                "time ring too small for the store's sources: bytes=524288, sources=" + (max + 1) + ", max=" + max
                        + "; open the store with a larger one",
                refusal(() -> Loom.open(smallest(directory))));
        check(directory, records);
    }

    private static String refusal(Runnable call) {
        return String.valueOf(
                assertThrows(IllegalArgumentException.class, call::run).getMessage());
    }

    @Test
    void shouldNeverWaitForEverWhateverTheConfiguration() {
        for (int i = 0; i < CONFIGURATIONS; i++) {
            Path store = directory.resolve("store-" + i);
            int timeRing = RING_MIN << random.nextInt(3);
            int chunkRing = RING_MIN << random.nextInt(3);
            int indexes = random.nextInt(random.nextBoolean() ? 20 : 200);
            Bins bins = random.nextBoolean() ? WIDE : Bins.linear(0, 1 << 16, 1 + random.nextInt(2_000));
            System.out.println("store=" + store + ", time ring=" + timeRing + ", chunk ring=" + chunkRing + ", indexes="
                    + indexes + ", bins=" + bins.text());
            long records = 0;
            for (int session = 0; session < 2; session++) {
                try (Loom loom = Loom.open(config(store, timeRing, chunkRing))) {
                    if (session == 0) {
                        defineIndexes(loom, defineSources(loom, 1 + random.nextInt(200)), "index", indexes, bins);
                    }
                    records += pushAny(
                            loom, loom.sources().stream().map(Source::id).toList());
                }
            }
            check(store, records);
        }
    }

    /** Short records and long ones. */
    private int pushAny(Loom loom, List<Integer> sources) {
        int used = 1 + random.nextInt(sources.size());
        int longest = loom.payloadLengthMax();
        int records = 0;
        for (long bytes = 0; bytes < 3 * PAGE; records++) {
            payload.putLong(0, random.nextInt(1 << 16), ByteOrder.LITTLE_ENDIAN);
            int length = random.nextInt(1_000) == 0 ? 8 + random.nextInt(longest - 8) : 8 + random.nextInt(20);
            assertTrue(loom.push(sources.get(random.nextInt(used)), payload, 0, length) >= 0);
            bytes += length;
        }
        return records;
    }
}
