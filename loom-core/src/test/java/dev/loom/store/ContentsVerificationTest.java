package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.StoreVerifier;
import dev.loom.api.Bins;
import dev.loom.api.DoubleSum;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.log.LogKind;
import dev.loom.log.PageChecksum;
import dev.loom.log.PageDescriptor;
import dev.loom.read.ChunkCursor;
import dev.loom.read.ChunkSummary;
import dev.loom.read.SnapshotReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever an index says that its records do not is found, also if the checksums are right, and named by file and offset. */
final class ContentsVerificationTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final int STRIDE = Integer.getInteger("loom.stride", 40);
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int LIST = 56;
    private static final int BINS = 24;
    /** In fewer bytes of bins perhaps none has more than two records, and then parts of their header mean nothing. */
    private static final int HEADER_MATTERS = 128;

    private static final int CHECKPOINT = 2;
    private static final PayloadFormat FORMAT = Formats.parse("struct:v:i64,d:f64,t:i64,rest:bytes");

    @TempDir
    Path temp;

    private final Random random = new Random(SEED);
    private Path store = Path.of("");
    private long storeId;

    /** A problem as reported. */
    private record Problem(String file, long offset, String message) {}

    @BeforeEach
    void write() {
        store = temp.resolve("store");
        long[] clock = {1_000_000_000_000_000_000L};
        try (Loom loom = Loom.open(LoomConfig.at(store)
                .recordRingBytes(1 << 20)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .clock(() -> clock[0] += random.nextInt(1000))
                .build())) {
            for (int source = 1; source <= 3; source++) {
                assertEquals(source, loom.defineSource("source-" + source, FORMAT));
            }
            loom.defineIndex(1, "v", IndexFunction.field(FORMAT, "v"), Bins.logLinear());
            loom.defineIndex(1, "d", IndexFunction.field(FORMAT, "d"), Bins.linear(0, 100, 10));
            loom.defineEventTimeIndex(1, "t", IndexFunction.field(FORMAT, "t"));
            loom.defineIndex(2, "d", IndexFunction.field(FORMAT, "d"), Bins.logLinear());
            loom.defineIndex(
                    3,
                    "own",
                    IndexFunction.of(
                            "own",
                            ValueType.I64,
                            ValueUnit.NONE,
                            (buffer, offset, length, value) ->
                                    value.setInteger(buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN) % 7)),
                    Bins.edges(1, 3, 5));
            for (int i = 0; i < 1500; i++) {
                int length = i % 500 == 499 ? 100_000 : 24 + random.nextInt(500);
                byte[] payload = new byte[length];
                ByteBuffer.wrap(payload)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(random.nextInt(1000))
                        // whose sums are exact, so that no change of one is within the rounding that is allowed
                        .putDouble(random.nextInt(960) / 8.0)
                        .putLong(clock[0] - random.nextInt(5000));
                assertTrue(loom.push(1 + random.nextInt(3), payload) > 0);
            }
        }
        assertEquals(List.of(), problems());
        storeId = bytes(LogKind.TIME).getLong(8);
        System.out.println("ContentsVerificationTest -Dloom.test.seed=" + SEED);
    }

    private List<Problem> problems() {
        List<Problem> problems = new ArrayList<>();
        StoreVerifier.Report report = StoreVerifier.verify(
                store,
                (file, offset, message) -> problems.add(new Problem(
                        file.getParent().getFileName().toString() + "/" + file.getFileName(), offset, message)));
        assertEquals(problems.size(), report.problems());
        assertEquals(1, report.uncompared().size());
        assertEquals("own", report.uncompared().get(0).name());
        return problems;
    }

    /** Records are read twice, the chunk index too, the timestamp index once; a source without texts needs no more. */
    @Test
    void shouldTellHowFarItIsInAllPasses() {
        List<Long> heard = new ArrayList<>();
        long total =
                2L * content(LogKind.RECORD).length + content(LogKind.TIME).length + 2L * content(LogKind.CHUNK).length;
        StoreVerifier.Report report = StoreVerifier.verify(store, (file, offset, message) -> {}, (done, all) -> {
            assertEquals(total, all);
            return heard.add(done);
        });
        assertTrue(report.complete());
        assertEquals(heard.stream().sorted().toList(), heard);
        assertEquals(0, heard.get(0));
        assertEquals(total, heard.get(heard.size() - 1));
        assertTrue(heard.stream().distinct().count() >= total / PageDescriptor.PAGE_LENGTH, heard::toString);
    }

    private Path file(LogKind kind) {
        return store.resolve(kind.folder()).resolve("0".repeat(20) + ".seg");
    }

    private byte[] content(LogKind kind) {
        try {
            return Files.readAllBytes(file(kind));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ByteBuffer bytes(LogKind kind) {
        return ByteBuffer.wrap(content(kind)).order(ByteOrder.LITTLE_ENDIAN);
    }

    private List<Problem> change(LogKind kind, int page, Consumer<ByteBuffer> change) throws IOException {
        return change(kind, page, change, new ArrayList<>());
    }

    /**
     * What is reported when a page is changed, with a checksum that is right.
     *
     * @param said gets what the directories say then, if nothing is reported
     */
    private List<Problem> change(LogKind kind, int page, Consumer<ByteBuffer> change, List<double[]> said)
            throws IOException {
        byte[] whole = content(kind);
        byte[] changed = whole.clone();
        ByteBuffer view = ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN);
        change.accept(view);
        new PageChecksum(kind, storeId).fill(view, page, page);
        Files.write(file(kind), changed);
        List<Problem> problems = problems();
        if (problems.isEmpty()) {
            said.addAll(summaries());
        }
        Files.write(file(kind), whole);
        return problems;
    }

    /** The offsets of a page's entries. */
    private static List<Integer> entries(ByteBuffer bytes, int page) {
        List<Integer> entries = new ArrayList<>();
        for (int at = page + PageDescriptor.HEADER_LENGTH;
                at < page + bytes.getInt(page + 32);
                at += bytes.getInt(at)) {
            entries.add(at);
        }
        return entries;
    }

    private static void flip(ByteBuffer bytes, int at, int bit) {
        bytes.put(at, (byte) (bytes.get(at) ^ 1 << bit));
    }

    @Test
    void shouldNameTheEntryWhenAnyBitOfADirectoryIsWrong() throws IOException {
        ByteBuffer bytes = bytes(LogKind.TIME);
        int tried = 0;
        List<double[]> right = summaries();
        for (int entry : entries(bytes, 0)) {
            int length = bytes.getInt(entry);
            // behind the length, which decides where the next one begins, and except for flags that no reader knows
            int end = bytes.get(entry + 4) == CHECKPOINT ? entry + 24 : entry + length;
            for (int at = entry + 4; at < end; at += 1 + random.nextInt(STRIDE)) {
                int bit = at == entry + 5 ? random.nextInt(2) : random.nextInt(8);
                int offset = at;
                List<double[]> said = new ArrayList<>();
                List<Problem> problems = change(LogKind.TIME, 0, changed -> flip(changed, offset, bit), said);
                tried++;
                assertTrue(
                        // only the writing program knows whether totals or bins of its own function are wrong
                        problems.stream()
                                        .anyMatch(problem ->
                                                isAt(problem, entry) || problem.message.contains("index=5, "))
                                || isRounding(right, said),
                        () -> "seed=" + SEED + ", entry=" + entry + ", type=" + bytes.get(entry + 4) + ", byte="
                                + (offset - entry) + " of " + length + ", bit=" + bit + ": " + problems);
            }
        }
        assertTrue(tried > 20, "tried=" + tried);
    }

    /** No entry is there, so readers go on as if the chain ended; only after a loss may it be written so. */
    @Test
    void shouldNameTheFirstDirectoryWhenItsChainLeadsToTheBeginOfItsPage() throws IOException {
        int entry = entries(bytes(LogKind.TIME), 0).get(0);
        // of Loom's own source: id, records, bytes, first time; then the last time, of three bytes, and the last record
        int previous = entry + LIST + 4 + 3 + 1;
        assertEquals(0, bytes(LogKind.TIME).get(previous));
        List<Problem> problems = change(LogKind.TIME, 0, changed -> changed.put(previous, (byte) (entry / Long.BYTES)));
        assertTrue(problems.stream().anyMatch(problem -> isAt(problem, entry)), problems::toString);
    }

    /** Of each index in each directory its count, least and greatest key, and sum. */
    private List<double[]> summaries() {
        List<double[]> found = new ArrayList<>();
        try (LoomReader opened = LoomReader.attach(store);
                Snapshot snapshot = opened.snapshot();
                SnapshotReader reader = SnapshotReader.of(snapshot)) {
            ChunkSummary summary = reader.summary();
            for (Source source : snapshot.sources()) {
                try (ChunkCursor chunk = reader.newestFirst(source.id(), Long.MAX_VALUE)) {
                    while (chunk.next()) {
                        for (Index index : chunk.listed() ? snapshot.indexes(source.id()) : List.<Index>of()) {
                            if (summary.read(chunk, index)) {
                                DoubleSum sum = new DoubleSum();
                                if (index.function().type() == ValueType.F64) {
                                    summary.addTo(sum);
                                }
                                found.add(new double[] {
                                    index.id(), summary.count(), summary.minKey(), summary.maxKey(), sum.value()
                                });
                            }
                        }
                    }
                }
            }
        }
        return found;
    }

    /** Whether what directories say differs in nothing but a sum of doubles, and there by at most four ulp. */
    private static boolean isRounding(List<double[]> right, List<double[]> said) {
        int different = 0;
        for (int i = 0; i < right.size() && right.size() == said.size(); i++) {
            double[] one = right.get(i);
            double[] other = said.get(i);
            if (!Arrays.equals(one, other)) {
                different++;
                double most = 4 * Math.ulp(one[4]);
                if (!Arrays.equals(one, 0, 4, other, 0, 4) || Math.abs(one[4] - other[4]) > most) {
                    return false;
                }
            }
        }
        return different == 1;
    }

    private static boolean isAt(Problem problem, int entry) {
        return problem.file.equals("time/" + "0".repeat(20) + ".seg") && problem.offset == entry;
    }

    @Test
    void shouldNameTheCheckpointWhenACountIsWrong() throws IOException {
        ByteBuffer bytes = bytes(LogKind.TIME);
        int page = bytes.capacity() - PAGE;
        int checkpoint = entries(bytes, page).get(0);
        assertEquals(CHECKPOINT, bytes.get(checkpoint + 4));
        int at = checkpoint + LIST;
        // of each source: id, directory, records, bytes, lost, first time
        for (int number = 0; at < checkpoint + bytes.getInt(checkpoint) - 8; number++) {
            int field = at;
            if (number % 6 != 4) {
                List<Problem> problems = change(LogKind.TIME, page, changed -> flip(changed, field, 0));
                assertTrue(
                        problems.stream().anyMatch(problem -> isAt(problem, checkpoint)),
                        "number=" + number + problems);
            }
            while (bytes.get(at) < 0) {
                at++;
            }
            at++;
        }
    }

    @Test
    void shouldNameTheBinsWhenAnyBitOfThemIsWrong() throws IOException {
        ByteBuffer bytes = bytes(LogKind.CHUNK);
        int tried = 0;
        for (int page = 0; page < bytes.capacity(); page += PAGE) {
            for (int entry : entries(bytes, page)) {
                boolean own = bytes.getInt(entry + 16) == 5;
                boolean ofDoubles = bytes.getInt(entry + 16) == 2 || bytes.getInt(entry + 16) == 4;
                int end = entry + BINS + bytes.getInt(entry + 20);
                for (int at = entry + 4; at < end; at += 1 + random.nextInt(STRIDE)) {
                    if (own && at >= entry + BINS) {
                        break; // of the writing program alone
                    }
                    if (at == entry + BINS && bytes.getInt(entry + 20) < HEADER_MATTERS) {
                        continue;
                    }
                    // no reader looks at the highest bits of the last byte of a double's sum
                    int bit = ofDoubles && at >= entry + BINS ? 0 : random.nextInt(8);
                    int offset = at;
                    List<Problem> problems = change(LogKind.CHUNK, page, changed -> flip(changed, offset, bit));
                    tried++;
                    assertTrue(
                            problems.stream()
                                    .anyMatch(problem -> problem.file.equals("chunk/" + "0".repeat(20) + ".seg")
                                            && problem.offset == entry),
                            () -> "seed=" + SEED + ", index=" + bytes.getInt(entry + 16) + ", entry=" + entry
                                    + ", byte="
                                    + (offset - entry) + ", bit=" + bit
                                    + ": " + problems);
                }
            }
        }
        assertTrue(tried > 20, "tried=" + tried);
    }

    @Test
    void shouldFindBinsOfAnUnknownFunctionThatTheirTotalsContradict() throws IOException {
        ByteBuffer bytes = bytes(LogKind.CHUNK);
        int entry = entries(bytes, 0).stream()
                .filter(at -> bytes.getInt(at + 16) == 5)
                .findFirst()
                .orElseThrow();
        // the number of values of the first bin, behind its number and form
        List<Problem> problems = change(LogKind.CHUNK, 0, changed -> flip(changed, entry + BINS + 2, 0));
        assertEquals(1, problems.size(), problems::toString);
        assertEquals(entry, problems.get(0).offset);
        assertTrue(problems.get(0).message.contains("directory's="), problems::toString);
    }

    @Test
    void shouldReportOnceAndAtItsEntryWhenOneThingIsWrong() throws IOException {
        ByteBuffer bytes = bytes(LogKind.TIME);
        List<Integer> entries = entries(bytes, 0);
        int directory = entries.get(1);
        assertEquals(1, bytes.get(directory + 4));
        for (int field : List.of(24, 32)) {
            // times of sources are relative to those of the chunk
            List<Problem> problems = change(LogKind.TIME, 0, changed -> flip(changed, directory + field, 0));
            problems.forEach(problem -> assertEquals(directory, problem.offset, problem::toString));
            assertTrue(problems.get(0).message.startsWith("directory differs from its chunk: chunk address="));
        }
        // the payload bytes of the first source
        int list = directory + LIST;
        int payloadBytes = list + (bytes.get(list + 1) < 0 ? 3 : 2);
        List<Problem> problems = change(LogKind.TIME, 0, changed -> flip(changed, payloadBytes, 0));
        Problem first = problems.get(0);
        assertEquals(directory, first.offset);
        assertTrue(first.message.contains("bytes="), first::toString);
        // the checkpoint that ends the index counts on
        assertTrue(problems.size() == 1, problems::toString);
    }

    @Test
    void shouldNameTheRecordWhenItsChainIsWrong() throws IOException {
        ByteBuffer bytes = bytes(LogKind.RECORD);
        int at = PageDescriptor.HEADER_LENGTH;
        int found = 0;
        while (at < bytes.getInt(32)) {
            long word0 = bytes.getLong(at);
            int record = at;
            if (word0 >>> 32 != 0) {
                List<Problem> problems =
                        change(LogKind.RECORD, 0, changed -> changed.putLong(record, word0 + (1L << 32)));
                assertEquals(1, problems.size(), problems::toString);
                assertEquals("record/" + "0".repeat(20) + ".seg", problems.get(0).file);
                assertEquals(record, problems.get(0).offset);
                assertTrue(problems.get(0).message.startsWith("record does not lead to the previous one"));
                found++;
            }
            at += 16 + ((int) word0 & 0xff_ffff) + 7 & -8;
        }
        assertTrue(found > 10, "found=" + found);
    }

    @Test
    void shouldFindRecordsThatTheirDirectoriesDoNotKnow() throws IOException {
        ByteBuffer bytes = bytes(LogKind.RECORD);
        int found = 0;
        for (int page = 0; page < bytes.capacity(); page += PAGE) {
            int first = page + PageDescriptor.HEADER_LENGTH;
            boolean fragment = (bytes.get(page + 7) & 1) != 0;
            if (fragment) {
                continue;
            }
            // the low byte of the first record's source
            List<Problem> problems = change(LogKind.RECORD, page, changed -> flip(changed, first + 8, 4));
            assertTrue(problems.stream().anyMatch(problem -> problem.message.contains("lacks a source")));
            found++;
        }
        assertTrue(found > 3, "found=" + found);
    }

    /** Only where no definition is lost is an index without one a fault of the directory that lists it. */
    @Test
    void shouldNotBlameDirectoriesWhenADefinitionIsLost() throws IOException {
        Path schema = store.resolve("schema.log");
        byte[] changed = Files.readAllBytes(schema);
        int name = new String(changed, StandardCharsets.ISO_8859_1).indexOf("own");
        changed[name] ^= 1;
        Files.write(schema, changed);
        List<Problem> problems = new ArrayList<>();
        StoreVerifier.verify(
                store,
                (file, offset, message) ->
                        problems.add(new Problem(file.getFileName().toString(), offset, message)));
        assertEquals(1, problems.size(), problems::toString);
        assertEquals("schema.log", problems.get(0).file);
    }

    @Test
    void shouldReportADamagedPageOnce() throws IOException {
        for (LogKind kind : LogKind.values()) {
            byte[] whole = content(kind);
            for (int page = 0; page < whole.length; page += PAGE) {
                byte[] changed = whole.clone();
                changed[page + 100] ^= 8;
                Files.write(file(kind), changed);
                List<Problem> problems = problems(kind);
                assertEquals(1, problems.size(), problems::toString);
                assertEquals(page, problems.get(0).offset);
                assertTrue(problems.get(0).message.startsWith("page is damaged"));
            }
            Files.write(file(kind), whole);
        }
    }

    /** Without what a directory lists, an index that nobody can read is not met. */
    private List<Problem> problems(LogKind kind) {
        List<Problem> problems = new ArrayList<>();
        StoreVerifier.verify(
                store, (file, offset, message) -> problems.add(new Problem(kind.folder(), offset, message)));
        return problems;
    }
}
