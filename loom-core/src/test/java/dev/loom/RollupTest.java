package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.LongSum;
import dev.loom.api.Snapshot;
import dev.loom.api.ValueType;
import dev.loom.error.StoreIoException;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.read.BinListReader;
import dev.loom.read.ChunkCursor;
import dev.loom.read.ChunkSummary;
import dev.loom.read.SnapshotReader;
import dev.loom.read.SourceRecords;
import dev.loom.rollup.RunFiles;
import dev.loom.rollup.RunShape;
import dev.loom.store.StoreVerification;
import dev.loom.value.BinScale;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs of a store: each says what its chunks say together, in either direction, whatever has happened to the store. */
final class RollupTest {
    private static final PayloadFormat FORMAT = Formats.parse("struct:value:i64,pad:bytes");
    private static final int SOURCES = 4;

    @TempDir
    Path temp;

    private final Random random = new Random();
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[300_000]);
    private final int[] sources = new int[SOURCES];
    private long nowNs = 1_000;

    @BeforeEach
    void seed() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("RollupTest: -Dloom.test.seed=" + seed);
        random.setSeed(seed);
    }

    private Loom open(Storage storage, long maxBytes) {
        return StoreAccess.open(
                temp.resolve("store"),
                storage,
                config -> config.maxBytes(maxBytes)
                        .minFreeBytes(0)
                        .recordRingBytes(1 << 20)
                        .segmentBytes(4 << 16)
                        .clock(() -> nowNs));
    }

    private Loom open() {
        return open(Storage.DISK, LoomConfig.UNLIMITED);
    }

    private void define(Loom loom) {
        for (int i = 0; i < SOURCES; i++) {
            sources[i] = loom.defineSource("source-" + i, FORMAT);
            if (i > 0) {
                loom.defineIndex(sources[i], "value", IndexFunction.field(FORMAT, "value"), Bins.logLinear(i));
            }
        }
    }

    /** Pushes a number of pages of records, a few of them of the last source; some span pages. */
    private void push(Loom loom, int pages) {
        long end;
        try (Snapshot before = loom.snapshot()) {
            end = before.tailAddress() + ((long) pages << 16);
        }
        long address = 0;
        while (address < end) {
            nowNs += random.nextInt(3);
            int source = sources[random.nextInt(400) == 0 ? SOURCES - 1 : random.nextInt(SOURCES - 1)];
            int pad = random.nextInt(300) == 0 ? random.nextInt(200_000) : 200 + random.nextInt(2_000);
            payload.putLong(0, random.nextLong() >> random.nextInt(63));
            payload.putByte(8, (byte) 0x80);
            address = loom.push(source, payload, 0, 9 + pad);
        }
    }

    private boolean sumUp(Loom loom) {
        loom.force();
        return loom.finishRollups((done, total) -> true);
    }

    /** What the parts of a walk say together, and how many of them were runs. */
    private static final class Sums {
        long records;
        long bytes;
        long chunks;
        long values;
        long min = Long.MAX_VALUE;
        long max = Long.MIN_VALUE;
        final LongSum sum = new LongSum();
        final Map<Integer, Long> bins = new TreeMap<>();
        final Map<Integer, LongSum> binSums = new TreeMap<>();
        int runs;
        long unlisted;

        String text() {
            return "records=" + records + " bytes=" + bytes + " chunks=" + chunks + " values="
                    + values + " min=" + min + " max=" + max + " sum=" + sum.toBigInteger() + " bins=" + bins + " sums="
                    + binSums.values().stream().map(LongSum::toBigInteger).toList();
        }
    }

    /** Adds up the chunks of a source, and in place of some the runs that they are in. */
    private Sums sums(Snapshot snapshot, int source, boolean newestFirst, double runs) {
        Sums sums = new Sums();
        Index index = snapshot.index(source, "value").orElse(null);
        try (SnapshotReader reader = SnapshotReader.of(snapshot)) {
            ChunkSummary summary = reader.summary();
            BinListReader bins =
                    index == null ? null : new BinListReader(BinScale.of(index.bins(), ValueType.I64), ValueType.I64);
            ChunkCursor chunks = runs == 0
                    ? newestFirst
                            ? reader.newestFirst(source, Long.MAX_VALUE)
                            : reader.oldestFirst(source, Long.MIN_VALUE, Long.MAX_VALUE, 0)
                    : newestFirst
                            ? reader.newestFirstInRuns(source, Long.MAX_VALUE)
                            : reader.oldestFirstInRuns(source, Long.MIN_VALUE, Long.MAX_VALUE, 0);
            SourceRecords.ChunkGuide guide = new SourceRecords.ChunkGuide() {
                private long last = newestFirst ? Long.MAX_VALUE : -1;

                @Override
                public Step decide(ChunkCursor chunk) {
                    if (chunk.isRun() && random.nextDouble() >= runs) {
                        return Step.DESCEND;
                    }
                    assertTrue(newestFirst ? chunk.end() <= last : chunk.start() >= last, "parts overlap");
                    last = newestFirst ? chunk.start() : chunk.end();
                    if (!chunk.listed()) {
                        sums.unlisted += chunk.pages();
                        return Step.PASS_OVER;
                    }
                    sums.runs += chunk.isRun() ? 1 : 0;
                    sums.records += chunk.records();
                    sums.bytes += chunk.payloadBytes();
                    sums.chunks += chunk.count();
                    if (index != null && bins != null) {
                        assertTrue(summary.read(chunk, index), "index does not list the part");
                        add(sums, summary, bins);
                    }
                    return Step.PASS_OVER;
                }

                @Override
                public boolean mayGoOn(long bytesRead) {
                    return true;
                }
            };
            try (SourceRecords records = newestFirst ? reader.backward(chunks, guide) : reader.forward(chunks, guide)) {
                assertFalse(records.next());
            }
        }
        return sums;
    }

    private static void add(Sums sums, ChunkSummary summary, BinListReader bins) {
        if (summary.count() == 0) {
            return;
        }
        sums.values += summary.count();
        sums.min = Math.min(sums.min, summary.minKey());
        sums.max = Math.max(sums.max, summary.maxKey());
        summary.addTo(sums.sum);
        assertTrue(summary.readBins(bins), "part has no bins");
        while (bins.next()) {
            sums.bins.merge(bins.bin(), (long) bins.count(), Long::sum);
            bins.addKeysTo(sums.binSums.computeIfAbsent(bins.bin(), bin -> new LongSum()));
        }
    }

    /** Compares walks with runs and without. Returns the least number of runs that a walk of the sources but the last met. */
    private int check(Loom loom) {
        int least = Integer.MAX_VALUE;
        try (Snapshot snapshot = loom.snapshot()) {
            for (int source : sources) {
                for (boolean newestFirst : new boolean[] {true, false}) {
                    Sums expected = sums(snapshot, source, newestFirst, 0);
                    for (double share : new double[] {1, 0.7, 0.3}) {
                        Sums sums = sums(snapshot, source, newestFirst, share);
                        String walk = "source=" + source + ", newest first=" + newestFirst;
                        assertEquals(expected.text(), sums.text(), walk);
                        // a chain may tell that the pages before a run have no record, which the run does not
                        assertTrue(sums.unlisted >= expected.unlisted, walk);
                        // up to 1,024 chunks are collected backward by their chain as well, if there are no runs
                        boolean forward = !newestFirst && expected.chunks > 1_024;
                        assertTrue(
                                !forward || sums.unlisted == expected.unlisted, walk + ", chunks=" + expected.chunks);
                        // few chunks are collected backward, without runs
                        boolean counts = share == 1 && source != sources[SOURCES - 1] && newestFirst;
                        least = counts ? Math.min(least, sums.runs) : least;
                    }
                }
            }
        }
        return least;
    }

    private List<Path> files() {
        Path folder = temp.resolve("store").resolve("rollup");
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void verify() {
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(temp.resolve("store"), (file, offset, message) -> problems.add(file + ": " + message));
        assertEquals(List.of(), problems);
    }

    @Test
    void shouldSayWhatTheChunksSayTogether() {
        try (Loom loom = open()) {
            define(loom);
            for (int round = 0; round < 6; round++) {
                push(loom, 1 + random.nextInt(30));
                assertTrue(sumUp(loom));
                check(loom);
            }
            push(loom, 3 * RunShape.fanOut() * RunShape.fanOut());
            assertTrue(sumUp(loom));
            assertTrue(check(loom) > 0);
        }
        verify();
    }

    @Test
    void shouldGoOnAfterOpeningAgain() {
        for (int session = 0; session < 5; session++) {
            try (Loom loom = open()) {
                if (session == 0) {
                    define(loom);
                }
                check(loom);
                push(loom, random.nextInt(20));
                if (random.nextBoolean()) {
                    sumUp(loom);
                }
                check(loom);
            }
            verify();
        }
        try (Loom loom = open()) {
            push(loom, 4 * RunShape.fanOut());
            assertTrue(sumUp(loom));
            assertTrue(check(loom) > 0);
        }
    }

    @Test
    void shouldLeaveOutIndexesThatNotAllChunksHave() {
        try (Loom loom = open()) {
            define(loom);
            push(loom, 10);
            int later = loom.defineIndex(sources[0], "value", IndexFunction.field(FORMAT, "value"), Bins.logLinear(2));
            push(loom, 10);
            loom.closeIndex(later);
            push(loom, 10);
            assertTrue(sumUp(loom));
            try (Snapshot snapshot = loom.snapshot();
                    SnapshotReader reader = SnapshotReader.of(snapshot)) {
                List<Index> indexes = snapshot.indexes(sources[0]);
                assertFalse(indexes.isEmpty());
                for (Index index : indexes) {
                    ChunkSummary summary = reader.summary();
                    long[] values = new long[2];
                    for (int pass = 0; pass < 2; pass++) {
                        boolean runs = pass == 1;
                        ChunkCursor chunks = runs
                                ? reader.newestFirstInRuns(sources[0], Long.MAX_VALUE)
                                : reader.newestFirst(sources[0], Long.MAX_VALUE);
                        while (chunks.next()) {
                            if (chunks.listed() && summary.read(chunks, index)) {
                                values[pass] += summary.count();
                            } else if (chunks.isRun()) {
                                chunks.descend();
                            }
                        }
                        chunks.close();
                    }
                    assertTrue(values[0] > 0);
                    assertEquals(values[0], values[1]);
                }
            }
        }
        verify();
    }

    @Test
    void shouldDeleteRunsWithTheirRecords() {
        try (Loom loom = open(Storage.DISK, 8 << 20)) {
            define(loom);
            for (int round = 0; round < 12; round++) {
                push(loom, 20);
                sumUp(loom); // now and then there is no room before retention deletes again
                assertTrue(StoreAccess.bytes(temp.resolve("store")) <= 8 << 20);
                check(loom);
            }
            long begin;
            try (Snapshot snapshot = loom.snapshot()) {
                begin = snapshot.beginAddress();
            }
            assertTrue(begin > 0);
            long span = RunShape.begin(2, 1);
            for (Path file : files()) {
                String name = file.getFileName().toString();
                assertTrue(
                        !name.startsWith("1-") || Long.parseLong(name.substring(2, 22)) + span > begin,
                        name + " is below " + begin);
            }
        }
        verify();
    }

    @Test
    void shouldAnswerWithDamagedAndDeletedFiles() throws IOException {
        try (Loom loom = open()) {
            define(loom);
            push(loom, 60);
            assertTrue(sumUp(loom));
            int before = check(loom);
            for (Path file : files()) {
                if (random.nextInt(3) == 0) {
                    Files.delete(file);
                } else {
                    byte[] bytes = Files.readAllBytes(file);
                    for (int i = 0; i < 20; i++) {
                        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                    }
                    Files.write(file, bytes);
                }
            }
            try (Snapshot snapshot = loom.snapshot()) {
                for (int source : sources) {
                    String expected = sums(snapshot, source, true, 0).text();
                    // bins of a run may be damaged alone: such runs are declined by the queries
                    Sums sums = new Sums();
                    try {
                        sums = sums(snapshot, source, true, 1);
                    } catch (AssertionError e) {
                        assertTrue(
                                String.valueOf(e.getMessage()).startsWith("part has no bins"),
                                String.valueOf(e.getMessage()));
                        continue;
                    }
                    assertEquals(expected, sums.text());
                }
            }
            assertTrue(before > 0);
        }
    }

    @Test
    void shouldNotSumUpOverChunksWithoutDirectories() throws IOException {
        try (Loom loom = open()) {
            define(loom);
            // many sources make directories long, so that the index soon has several pages; more than 1,024 chunks are
            // walked forward
            int[] others = new int[60];
            for (int i = 0; i < others.length; i++) {
                others[i] = loom.defineSource("other-" + i, FORMAT);
            }
            for (int round = 0; round < 1_200; round++) {
                for (int other : others) {
                    payload.putByte(8, (byte) 0x80);
                    loom.push(other, payload, 0, 60);
                }
                push(loom, 1);
            }
        }
        damagePages(temp.resolve("store").resolve("time"));
        for (Path file : files()) {
            Files.delete(file);
        }
        try (Loom loom = StoreAccess.open(
                temp.resolve("store"),
                Storage.DISK,
                config -> StoreAccess.checkIndexesLater(config.minFreeBytes(0).clock(() -> nowNs)))) {
            sumUp(loom);
            assertTrue(check(loom) > 0);
            try (Snapshot snapshot = loom.snapshot()) {
                assertTrue(sums(snapshot, sources[0], false, 1).unlisted > 1, "the page is not missed");
            }
        }
    }

    /** Damages the second page of each file but the last. */
    private static void damagePages(Path folder) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.sorted().toList();
        }
        assertTrue(files.size() > 3, () -> "the index has too few files: " + files);
        for (Path file : files.subList(0, files.size() - 1)) {
            byte[] bytes = Files.readAllBytes(file);
            for (int at = 1 << 16; at < 2 << 16; at += 100) {
                bytes[at] ^= 1;
            }
            Files.write(file, bytes);
        }
    }

    @Test
    void shouldFindRunsThatDifferFromTheirChunks() throws IOException {
        try (Loom loom = open()) {
            define(loom);
            push(loom, 40);
            assertTrue(sumUp(loom));
        }
        verify();
        // a store whose chunks say something else, and whose runs are still the old ones
        int damaged = 0;
        for (Path file : files()) {
            byte[] bytes = Files.readAllBytes(file);
            bytes[bytes.length - 1] ^= 1;
            Files.write(file, bytes);
            damaged++;
        }
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(temp.resolve("store"), (file, offset, message) -> problems.add(file + ": " + message));
        assertEquals(damaged, problems.size(), () -> String.join("\n", problems));
    }

    @Test
    void shouldRebuildRunsOfAnOlderVersion() throws IOException {
        try (Loom loom = open()) {
            define(loom);
            push(loom, 40);
            assertTrue(sumUp(loom));
        }
        final List<Path> files = files();
        assertFalse(files.isEmpty());
        setVersion(99);
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(temp.resolve("store"), (file, offset, message) -> problems.add(file + ": " + message));
        assertEquals(files.size(), problems.size(), () -> String.join("\n", problems));
        setVersion(2);
        verify();
        try (Loom loom = open()) {
            assertTrue(sumUp(loom));
            assertTrue(check(loom) > 0);
        }
        for (Path file : files()) {
            assertEquals(3, Files.readAllBytes(file)[8], () -> "file=" + file);
        }
        verify();
    }

    private void setVersion(int version) throws IOException {
        for (Path file : files()) {
            byte[] bytes = Files.readAllBytes(file);
            bytes[8] = (byte) version;
            Files.write(file, bytes);
        }
    }

    @Test
    void shouldKeepNoRunsOfIndexesThatAFailedOpeningDropped() throws IOException {
        try (Loom loom = open()) {
            define(loom);
            push(loom, 40);
            assertTrue(sumUp(loom));
        }
        assertFalse(files().isEmpty());
        Path obstacle = Files.createFile(temp.resolve("obstacle"));
        assertThrows(
                StoreIoException.class,
                () -> StoreAccess.open(
                        temp.resolve("store"),
                        Storage.DISK,
                        config -> config.rebuildIndexes(true).stagingDirectory(obstacle.resolve("staging"))));
        assertEquals(List.of(), files());
    }

    @Test
    void shouldGoOnOnceTheDiskTakesFilesAgain() {
        AtomicBoolean failing = new AtomicBoolean(true);
        Storage disk = new HookedStorage() {
            @Override
            public LoomFile openToWrite(Path file, boolean direct) {
                if (failing.get() && file.toString().endsWith(".runs")) {
                    throw new StoreIoException("no room: file=" + file);
                }
                return super.openToWrite(file, direct);
            }
        };
        try (Loom loom = open(disk, LoomConfig.UNLIMITED)) {
            define(loom);
            push(loom, 20);
            assertFalse(sumUp(loom));
            check(loom);
            assertEquals(List.of(), files());
            String failure = loom.info().writer().orElseThrow().rollupFailure().orElseThrow();
            assertTrue(failure.contains("no room"), failure);
            failing.set(false);
            assertTrue(sumUp(loom));
            assertTrue(loom.info().writer().orElseThrow().rollupFailure().isEmpty());
            assertTrue(check(loom) > 0);
        }
    }

    @Test
    void shouldNotAccuseAFileThatAWriterBeginsMeanwhile() throws IOException {
        try (Loom loom = open()) {
            define(loom);
            push(loom, 20);
            assertTrue(sumUp(loom));
        }
        Path file = temp.resolve("store").resolve(RunFiles.FOLDER).resolve(files().get(0));
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, new byte[0]);
        AtomicInteger looks = new AtomicInteger();
        Storage disk = new HookedStorage() {
            @Override
            public LoomFile openToRead(Path opened) {
                if (opened.equals(file) && looks.incrementAndGet() == 2) {
                    try {
                        Files.write(file, whole);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
                return super.openToRead(opened);
            }
        };
        List<String> problems = new ArrayList<>();
        StoreVerification.run(
                disk,
                temp.resolve("store"),
                (damaged, offset, message, known) -> problems.add(damaged + ": " + message),
                (done, total) -> true);
        assertEquals(List.of(), problems);
        assertTrue(looks.get() > 2);
    }
}
