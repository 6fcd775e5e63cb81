package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.StoreInfo;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.error.LoomException;
import dev.loom.format.Formats;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Truncates each file of a closed store, and each segment of a killed process's that its rings do not hold, and flips bits of
 * it: that is detected or harmless, records of undamaged pages are still served in order, indexes answer from them, and nothing
 * else ever is. {@code -Dloom.stride=1} takes every length and every bit, of a store of fewer pages; the default takes a sample,
 * denser in headers and in the schema. {@code -Dloom.damage.files=time} takes only files whose path in the store contains that,
 * so that several processes can share the work.
 */
@Timeout(value = 6, unit = TimeUnit.HOURS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DamageTest {
    private static final long SEED = 11;
    private static final int SOURCES = 3;
    private static final int PAGE = 1 << 16;
    private static final int PAGE_HEADER = 64;
    private static final int FIRST_FRAGMENT_EXTRA = 24;
    private static final int FRAGMENT_MAX = PAGE - PAGE_HEADER - 16;
    private static final long SEGMENT = 2 * PAGE;

    /** The pages of the record log that a record lies in. */
    private record Row(long sequence, int length, Set<Long> pages) {}

    private static final IndexFunction LENGTH = IndexFunction.of(
            "length",
            ValueType.I64,
            ValueUnit.ofName("length"),
            (buffer, offset, length, into) -> into.setInteger(length));

    private final int stride = Integer.getInteger("loom.stride", 9_001);
    private final boolean exhaustive = stride == 1;
    private final String share = System.getProperty("loom.damage.files", "");
    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<List<Row>> rows = IntStream.range(0, SOURCES)
            .<List<Row>>mapToObj(i -> new ArrayList<>())
            .toList();
    private final int[] ids = IntStream.rangeClosed(1, SOURCES).toArray();

    @TempDir
    Path temp;

    private Path store = Path.of("");
    private long damages;
    private long compared;

    /** Pages of the record log below are in segment files alone. */
    private long inFiles = Long.MAX_VALUE;

    /** Takes what was pushed. */
    interface Pushed {
        void on(int source, int length, long address);
    }

    @BeforeEach
    void makeStore() {
        System.out.println("DamageTest: -Dloom.test.seed=" + seed + " stride=" + stride);
        store = temp.resolve("store");
        try (Loom loom = Loom.open(config(store))) {
            define(loom);
            fill(loom, random, exhaustive, Set.of(exhaustive ? 5 : 120), this::add);
            loom.force();
            assertTrue(loom.finishRollups((done, total) -> true));
        }
    }

    static void define(Loom loom) {
        for (int i = 0; i < SOURCES; i++) {
            int id = loom.defineSource(StoreOracle.name(i), Formats.parse("bytes"));
            assertEquals(i + 1, id);
            loom.defineIndex(id, "length", LENGTH, Bins.logLinear());
        }
    }

    /** Some records, forced in between; few where each of their bits costs a look at all of them. */
    static void fill(Loom loom, Random random, boolean small, Set<Integer> forced, Pushed pushed) {
        long[] sequences = new long[SOURCES];
        int records = small ? 12 : 240;
        for (int i = 0; i < records; i++) {
            int source = small ? i % SOURCES : i == 3 || i == 200 ? 2 : random.nextInt(2);
            int length = small ? 40 + random.nextInt(200) : i == 150 ? 100_000 : 40 + random.nextInt(1_500);
            long address = loom.push(source + 1, CheckedPayload.make(SEED, source, sequences[source]++, length));
            assertTrue(address >= 0);
            pushed.on(source, length, address);
            if (forced.contains(i)) {
                loom.force();
            }
        }
    }

    private void add(int source, int length, long address) {
        Set<Long> pages = new TreeSet<>();
        long page = address - address % PAGE;
        pages.add(page);
        int rest = length > FRAGMENT_MAX ? length - (int) (page + PAGE - address - FIRST_FRAGMENT_EXTRA) : 0;
        for (; rest > 0; rest -= FRAGMENT_MAX) {
            page += PAGE;
            pages.add(page);
        }
        rows.get(source).add(new Row(rows.get(source).size(), length, pages));
    }

    /**
     * Another store, of a process that was killed: its first pages are in the segment files, the next ones there and in the ring,
     * the last one in the ring alone. Returns the segments that are read, and one more.
     */
    private List<Path> makeStoreOfKilledProcess() throws IOException {
        store = temp.resolve("killed");
        rows.forEach(List::clear);
        try (ChildProcess process = ChildProcess.start(UnclosedStoreProcess.class, store, seed, exhaustive)) {
            for (String line = process.line(); !UnclosedStoreProcess.END.equals(line); line = process.line()) {
                String[] pushed =
                        Objects.requireNonNull(line, "the process has ended").split(" ", -1);
                add(Integer.parseInt(pushed[0]), Integer.parseInt(pushed[1]), Long.parseLong(pushed[2]));
            }
            process.kill();
        }
        List<Path> segments;
        try (LoomReader reader = LoomReader.attach(store)) {
            assertEquals(StoreInfo.State.DEAD, reader.info().state());
            inFiles = firstInRing(reader, "record");
            check(reader, Set.of());
            segments = files().stream()
                    .filter(file -> file.toString().endsWith(".seg"))
                    .filter(file -> firstAddress(file) < firstInRing(reader, folder(file)) + SEGMENT)
                    .toList();
        }
        assertTrue(inFiles > 0 && segments.size() > 2, () -> "the ring has all: files=" + segments);
        return segments;
    }

    /** The address of the oldest page of a log that the ring still has. */
    private static long firstInRing(LoomReader reader, String log) {
        StoreInfo info = reader.info();
        long tail = Map.of("record", info.records(), "time", info.times(), "chunk", info.chunks())
                .get(log)
                .tail();
        return (tail - 1) / PAGE * PAGE + PAGE - LoomConfig.RING_BYTES_MIN;
    }

    private static String folder(Path file) {
        return file.getParent().getFileName().toString();
    }

    @Test
    void shouldDetectOrBearItWhenSegmentsOfAKilledProcessAreDamaged() throws IOException {
        List<Path> segments = makeStoreOfKilledProcess();
        try {
            cut(segments);
            flip(segments);
        } finally {
            Loom.open(config(store)).close(); // takes the staging away
        }
    }

    static LoomConfig config(Path directory) {
        return LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .segmentBytes(SEGMENT)
                .build();
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> walk = Files.walk(store)) {
            return walk.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private List<Path> shared(List<Path> files) {
        return files.stream()
                .filter(file -> store.relativize(file).toString().contains(share))
                .toList();
    }

    /** A new kind of file must be added here, and is then damaged like the others. */
    @Test
    void shouldKnowEveryFileOfAStore() throws IOException {
        Set<String> kinds = new TreeSet<>();
        for (Path file : files()) {
            kinds.add(store.relativize(file)
                    .toString()
                    .replaceAll("[0-9]{20}", "N")
                    .replaceAll("/[0-9]-", "/level-"));
        }
        assertEquals(
                Set.of(
                        "LOCK",
                        "loom.mark",
                        "schema.log",
                        "record/N.seg",
                        "time/N.seg",
                        "chunk/N.seg",
                        "rollup/level-N.runs"),
                kinds);
        assertTrue(exhaustive
                || files().stream().filter(DamageTest::isRecordSegment).count() > 2);
    }

    @Test
    void shouldDetectOrBearItWhenAFileIsCut() throws IOException {
        cut(files());
    }

    private void cut(List<Path> files) throws IOException {
        for (Path file : shared(files)) {
            byte[] whole = Files.readAllBytes(file);
            for (int length = 0; length < whole.length; length++) {
                boolean edge = length % 4096 < 2 || whole.length - length < 3;
                if (!(edge && random.nextInt(8) == 0) && length % stride != 0 && !(isSchema(file) && length % 7 == 0)) {
                    continue;
                }
                Set<Long> lost = new TreeSet<>();
                if (isRecordSegment(file)) {
                    long first = firstAddress(file);
                    for (long page = first; page < first + whole.length; page += PAGE) {
                        if (page + PAGE > first + length && page < inFiles) {
                            lost.add(page);
                        }
                    }
                }
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.truncate(length);
                    check(file, whole, lost, "cut: length=" + length);
                    write(channel, whole, length, whole.length);
                }
            }
        }
        tell("R7");
    }

    private void tell(String row) {
        System.out.println("row=" + row + " faults=" + damages + " checked=" + compared + " seed=" + seed);
        damages = 0;
        compared = 0;
    }

    @Test
    void shouldDetectOrBearItWhenABitIsFlipped() throws IOException {
        flip(files());
    }

    private void flip(List<Path> files) throws IOException {
        for (Path file : shared(files)) {
            byte[] whole = Files.readAllBytes(file);
            boolean mark = isMark(file);
            boolean schema = isSchema(file);
            for (int offset = 0; offset < whole.length; offset++) {
                boolean header = offset % (mark ? 4096 : PAGE) < (mark ? 200 : PAGE_HEADER);
                for (int bit = 0; bit < 8; bit++) {
                    boolean sampled = (header || schema) && bit == offset % 8 && offset % 11 == 0;
                    if (!sampled && (offset * 8L + bit) % (exhaustive ? 1 : stride * 8L) != 0) {
                        continue;
                    }
                    long page = isRecordSegment(file) ? firstAddress(file) + offset - offset % PAGE : -1;
                    Set<Long> lost = page < inFiles ? Set.of(page) : Set.of();
                    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                        channel.write(ByteBuffer.wrap(new byte[] {(byte) (whole[offset] ^ 1 << bit)}), offset);
                        check(file, whole, lost, "flipped: offset=" + offset + ", bit=" + bit);
                        write(channel, whole, offset, offset + 1);
                    }
                }
            }
        }
        tell("R8");
    }

    private static boolean isMark(Path file) {
        return file.endsWith("loom.mark");
    }

    private static boolean isSchema(Path file) {
        return file.endsWith("schema.log");
    }

    private static boolean isRecordSegment(Path file) {
        return folder(file).equals("record");
    }

    private static long firstAddress(Path file) {
        return Long.parseLong(file.getFileName().toString().substring(0, 20));
    }

    private static void write(FileChannel channel, byte[] whole, int from, int to) throws IOException {
        assertEquals(to - from, channel.write(ByteBuffer.wrap(whole, from, to - from), from));
    }

    /** Looks at the store of which a file is damaged, now and then also as a writer of a copy. */
    private void check(Path damaged, byte[] whole, Set<Long> lost, String how) throws IOException {
        damages++;
        try {
            try (LoomReader reader = LoomReader.attach(store)) {
                check(reader, lost);
            } catch (LoomException e) {
                assertTrue(isMark(damaged), () -> "a damaged mark alone may keep a store from being read: " + e);
            }
            boolean closed = inFiles == Long.MAX_VALUE; // a copy of another has no staging, and is refused
            if (closed && random.nextInt(exhaustive ? 1_000 : 40) == 0) {
                checkWriter(damaged, whole, lost);
            }
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("file=" + store.relativize(damaged) + ", " + how + ", seed=" + seed, e);
        }
    }

    private void checkWriter(Path damaged, byte[] whole, Set<Long> lost) throws IOException {
        Path copy = Files.createTempDirectory(temp, "copy").resolve("store");
        try (Stream<Path> walk = Files.walk(store)) {
            for (Path file : walk.toList()) {
                Files.copy(file, copy.resolve(store.relativize(file).toString()));
            }
        }
        try (Loom loom = Loom.open(config(copy))) {
            check(loom, lost);
            int id = loom.defineSource("later", Formats.parse("bytes"));
            for (int old : ids) {
                assertFalse(id == old, "an id is used again");
            }
            loom.push(id, CheckedPayload.make(SEED, 9, 0, 100));
        } catch (LoomException e) {
            assertTrue(isMark(damaged), () -> "a damaged mark alone may keep a store from being opened: " + e);
            return;
        }
        try (LoomReader reader = LoomReader.attach(copy)) {
            check(reader, isRecordSegment(damaged) ? stillLost(copy, damaged, whole, lost) : lost);
        }
        try (Stream<Path> walk = Files.walk(copy.getParent())) {
            for (Path file : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** A page that was cut within the zeroes behind its records is whole again once the next page of its file is written. */
    private Set<Long> stillLost(Path copy, Path damaged, byte[] whole, Set<Long> lost) throws IOException {
        byte[] now = Files.readAllBytes(copy.resolve(store.relativize(damaged).toString()));
        Set<Long> still = new TreeSet<>();
        for (long page : lost) {
            int from = (int) (page - firstAddress(damaged));
            int to = from + PAGE;
            if (now.length < to || !Arrays.equals(whole, from, to, now, from, to)) {
                still.add(page);
            }
        }
        return still;
    }

    private void check(dev.loom.api.Store attached, Set<Long> lost) {
        try (Snapshot snapshot = attached.snapshot()) {
            for (int i = 0; i < SOURCES; i++) {
                List<Row> expected = new ArrayList<>();
                for (Row row : rows.get(i)) {
                    if (Collections.disjoint(row.pages(), lost)) {
                        expected.add(row);
                    }
                }
                boolean whole = expected.size() == rows.get(i).size();
                checkScan(snapshot, i, expected, Order.OLDEST_FIRST, whole);
                Collections.reverse(expected);
                checkScan(snapshot, i, expected, Order.NEWEST_FIRST, whole);
                checkAggregate(snapshot, i, expected.size());
                if (whole) {
                    assertEquals(expected.size(), snapshot.statistics(ids[i]).records(), "records by statistics");
                }
            }
        }
    }

    /** Summaries may know of records that can't be read any more; but what is called complete is. */
    private void checkAggregate(Snapshot snapshot, int source, int readable) {
        IndexedAggregate.Result lengths = IndexedAggregate.of(snapshot, ids[source], LENGTH)
                .percentiles(50)
                .run();
        int[] sorted = rows.get(source).stream().mapToInt(Row::length).sorted().toArray();
        if (readable < sorted.length && !lengths.completeness().complete()) {
            assertTrue(lengths.count() >= readable && lengths.count() <= sorted.length, "records by index");
            return;
        }
        assertEquals(sorted.length, lengths.count(), "records by index");
        assertEquals(Long.toString(Arrays.stream(sorted).asLongStream().sum()), lengths.sum(), "sum by index");
        assertEquals(
                sorted[(sorted.length + 1) / 2 - 1],
                lengths.percentile(50).orElseThrow().longValue(),
                "median by index");
    }

    private void checkScan(Snapshot snapshot, int source, List<Row> expected, Order order, boolean whole) {
        try (QueryCursor cursor = RawScan.of(snapshot, ids[source]).order(order).open()) {
            compared += expected.size();
            for (Row row : expected) {
                assertTrue(cursor.next(), () -> "missing: source=" + source + ", row=" + row + ", order=" + order);
                assertEquals(
                        row.sequence(),
                        CheckedPayload.check(SEED, source, cursor.buffer(), cursor.offset(), cursor.length()));
            }
            assertFalse(cursor.next(), "a record too many");
            if (!whole) {
                assertFalse(cursor.completeness().complete(), "records are missing and it is called complete");
            }
        }
    }
}
