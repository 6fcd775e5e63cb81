package dev.loom.rollup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.api.ValueType;
import dev.loom.error.CorruptStoreException;
import dev.loom.error.StoreIoException;
import dev.loom.index.BitReader;
import dev.loom.index.IndexSummary;
import dev.loom.index.IndexSummaryCodec;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs written and read: what is damaged is not there, and never something else. */
class RunFilesTest {
    private static final long STORE = 0x1234_5678_9abc_def0L;
    private static final long FAN_OUT = RunShape.fanOut();

    @TempDir
    Path folder;

    private RunFiles files = new RunFiles(Storage.DISK, Path.of("unused"));
    private final Random random = new Random();

    @BeforeEach
    void prepare() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("RunFilesTest: -Dloom.test.seed=" + seed);
        random.setSeed(seed);
        files = new RunFiles(Storage.DISK, folder.resolve(RunFiles.FOLDER));
    }

    /** Writes a random run, and returns what a reader should say of it. */
    private String write(int level, long number) {
        StringJoiner said = new StringJoiner("\n");
        int[] ids =
                random.ints(random.nextInt(6), 0, 60_000).sorted().distinct().toArray();
        int[] indexes = random.ints(ids.length, 0, 4).toArray();
        long start = RunShape.begin(level, number);
        long end = start + (random.nextInt(5) << 16);
        List<IndexSummary> summaries = new ArrayList<>();
        List<byte[]> bins = new ArrayList<>();
        try (RunWriter writer = new RunWriter(files, STORE)) {
            writer.begin(level, number);
            for (int i = 0; i < ids.length; i++) {
                for (int j = 0; j < indexes[i]; j++) {
                    IndexSummary summary = summary(1 + 10 * i + j);
                    byte[] bytes = new byte[random.nextInt(3) == 0 ? 0 : random.nextInt(5_000)];
                    random.nextBytes(bytes);
                    boolean some = random.nextInt(4) > 0;
                    summary.binsAddress(
                            some ? writer.addBins(new UnsafeBuffer(bytes), bytes.length) : IndexSummary.NO_BINS);
                    summaries.add(summary);
                    bins.add(some ? bytes : null);
                }
            }
            writer.beginDirectory(start, end, 4711, 5, ids.length);
            said.add("run " + start + " " + end + " 4711 5 " + ids.length);
            int next = 0;
            for (int i = 0; i < ids.length; i++) {
                long records = random.nextInt(1_000_000);
                long[] others = {8 * records, -i, 7L * i, 77L + i, 88L + i};
                if (random.nextBoolean()) { // anything else can be told as well
                    Arrays.setAll(others, field -> random.nextLong() >> random.nextInt(64));
                }
                writer.addSource(ids[i], records, others[0], others[1], others[2], others[3], others[4], 3 + i);
                said.add("source " + ids[i] + " " + records + " "
                        + Arrays.stream(others).mapToObj(Long::toString).collect(Collectors.joining(" ")) + " "
                        + (3 + i) + " " + indexes[i]);
                for (int j = 0; j < indexes[i]; j++, next++) {
                    writer.addSummary(summaries.get(next), ValueType.I64);
                    said.add(text(summaries.get(next), bins.get(next)));
                }
            }
            assertTrue(writer.fits());
            assertTrue(writer.finish(bytes -> true));
        }
        return said.toString();
    }

    private IndexSummary summary(int id) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[64]);
        IndexSummary summary = new IndexSummary();
        summary.clear(id);
        if (random.nextInt(4) > 0) {
            // the codec is the only way to make one with contents from here
            int lengths = 1 << 2 | 1 << 5 | 2 << 9 | 1 << 13;
            buffer.putInt(0, lengths);
            buffer.putByte(3, (byte) id);
            buffer.putByte(4, (byte) 9);
            buffer.putByte(5, (byte) 4);
            buffer.putShort(6, (short) (300 + random.nextInt(1000)));
            buffer.putByte(8, (byte) 100);
            IndexSummaryCodec.read(buffer, 0, 64, IndexSummaryCodec.lengths(buffer, 0, 64), ValueType.I64, 0, summary);
        }
        return summary;
    }

    private static String text(IndexSummary summary, byte[] bins) {
        return "index " + summary.indexId() + " " + summary.count() + " "
                + (summary.count() == 0 ? "" : summary.minKey() + " " + summary.maxKey()) + " "
                + (bins == null ? "none" : new String(bins, java.nio.charset.StandardCharsets.ISO_8859_1));
    }

    private String read(RunReader reader) {
        StringJoiner said = new StringJoiner("\n");
        said.add("run " + reader.start() + " " + reader.end() + " " + reader.lastEntry() + " " + reader.chunks() + " "
                + reader.sources());
        for (int i = 0; i < reader.sources(); i++) {
            assertTrue(reader.find(reader.sourceId(i)));
            said.add("source " + reader.sourceId(i) + " " + reader.records() + " " + reader.bytes() + " "
                    + reader.firstTimeNs() + " " + reader.lastTimeNs() + " " + reader.previousDirectoryAddress() + " "
                    + reader.previousChunkAddress() + " " + reader.sourceChunks() + " " + reader.indexes());
            reader.forEachSummary(id -> ValueType.I64, new IndexSummary(), (type, summary) -> {
                IndexSummary again = new IndexSummary();
                assertTrue(reader.summary(summary.indexId(), ValueType.I64, again));
                assertEquals(summary.count(), again.count());
                assertEquals(summary.binsAddress(), again.binsAddress());
                byte[] bins = null;
                if (reader.readBins(summary)) {
                    bins = new byte[reader.binsLength()];
                    reader.bins().getBytes(0, bins);
                } else {
                    assertEquals(IndexSummary.NO_BINS, summary.binsAddress(), "bins can't be read");
                }
                said.add(text(summary, bins));
            });
        }
        return said.toString();
    }

    @Test
    void shouldReadWhatWasWritten() {
        for (int round = 0; round < 50; round++) {
            int level = 1 + random.nextInt(RunShape.LEVELS);
            long number = random.nextInt(1000) * FAN_OUT + random.nextInt((int) FAN_OUT);
            String expected = write(level, number);
            try (RunReader reader = new RunReader(files, STORE)) {
                assertTrue(reader.read(level, number));
                assertEquals(expected, read(reader));
                assertFalse(reader.find(60_001));
                assertFalse(reader.read(level, number + FAN_OUT * 5_000));
            }
        }
        assertEquals(
                files.all().stream().mapToLong(files::length).sum()
                        + files.all().size() * Storage.FILE_EXCESS_LENGTH,
                files.bytes());
    }

    @Test
    void shouldReadTheLaterOfTwo() {
        write(1, 0);
        String second = write(1, 1);
        String again = write(1, 0);
        try (RunReader reader = new RunReader(files, STORE)) {
            assertTrue(reader.read(1, 0));
            assertEquals(again, read(reader));
            assertTrue(reader.read(1, 1));
            assertEquals(second, read(reader));
        }
    }

    @Test
    void shouldNotSeeRunsOfAnotherStoreOrPlace() throws IOException {
        write(1, 0);
        try (RunReader reader = new RunReader(files, STORE + 1)) {
            assertFalse(reader.read(1, 0));
        }
        Path file = files.path(1, 0);
        for (int level = 1; level <= RunShape.LEVELS; level++) {
            Files.copy(file, files.path(level, FAN_OUT * 3));
            try (RunReader reader = new RunReader(files, STORE)) {
                assertFalse(reader.read(level, FAN_OUT * 3));
            }
        }
    }

    @Test
    void shouldNeverReadSomethingElseFromADamagedFile() throws IOException {
        String first = write(1, 0);
        String second = write(1, 1);
        Path file = files.path(1, 0);
        byte[] whole = Files.readAllBytes(file);
        int lost = 0;
        for (int i = 0; i < 2_000; i++) {
            byte[] damaged = whole.clone();
            if (random.nextInt(10) == 0) {
                damaged = Arrays.copyOf(damaged, random.nextInt(damaged.length));
            } else {
                int at = random.nextInt(random.nextBoolean() ? damaged.length : RunFileDescriptor.headLength());
                damaged[at] ^= (byte) (1 << random.nextInt(8));
            }
            Files.write(file, damaged);
            try (RunReader reader = new RunReader(files, STORE)) {
                for (int number = 0; number < 2; number++) {
                    if (reader.read(1, number)) {
                        String said = said(reader);
                        assertEquals(number == 0 ? first : second, said == null ? number == 0 ? first : second : said);
                        lost += said == null ? 1 : 0;
                    } else {
                        lost++;
                    }
                }
            }
        }
        assertTrue(lost > 0);
    }

    /** What a run says; null if some of its bins are damaged. */
    private String said(RunReader reader) {
        long before = reader.damaged();
        try {
            return read(reader);
        } catch (AssertionError e) {
            if (reader.damaged() > before) {
                return null;
            }
            throw e;
        }
    }

    @Test
    void shouldBeginADamagedFileAgain() throws IOException {
        write(1, 0);
        Path file = files.path(1, 0);
        byte[] damaged = Files.readAllBytes(file);
        damaged[RunFileDescriptor.LEVEL_OFFSET]++;
        Files.write(file, damaged);
        String expected = write(1, 1);
        try (RunReader reader = new RunReader(files, STORE)) {
            assertFalse(reader.read(1, 0));
            assertTrue(reader.read(1, 1));
            assertEquals(expected, read(reader));
        }
        assertEquals(Files.size(file) + Storage.FILE_EXCESS_LENGTH, files.bytes());
    }

    /** Under a checksum that is right. */
    @Test
    void shouldTakeBinsBeforeTheFileForDamaged() {
        IndexSummary totals = summary(3);
        totals.binsAddress(-3);
        try (RunWriter writer = new RunWriter(files, STORE)) {
            writer.begin(1, 0);
            writer.beginDirectory(0, 1 << 16, 0, 1, 1);
            writer.addSource(1, 1, 8, 0, 0, 0, 0, 1);
            writer.addSummary(totals, ValueType.I64);
            assertTrue(writer.finish(bytes -> true));
        }
        try (RunReader reader = new RunReader(files, STORE)) {
            assertTrue(reader.read(1, 0));
            assertTrue(reader.find(1));
            IndexSummary read = new IndexSummary();
            assertTrue(reader.summary(3, ValueType.I64, read));
            assertEquals(-3, read.binsAddress());
            assertFalse(reader.readBins(read));
            assertEquals(1, reader.damaged());
        }
    }

    /** What all files take of the disk, by their lengths. */
    private long taken() {
        return files.all().stream().mapToLong(files::length).sum() + files.all().size() * Storage.FILE_EXCESS_LENGTH;
    }

    private static void begin(RunWriter writer) {
        writer.begin(1, 0);
        writer.addBins(new UnsafeBuffer(new byte[50_000]), 50_000);
        writer.beginDirectory(0, 1 << 16, 0, 1, 0);
    }

    @Test
    void shouldCountOnlyWhatFailedWritesHaveLeft() {
        int[] writesUntilFailure = {-1}; // -1: no file can be opened
        Storage failing = new HookedStorage() {
            @Override
            public LoomFile openToWrite(Path file, boolean direct) {
                if (writesUntilFailure[0] < 0) {
                    throw new StoreIoException("injected: file=" + file);
                }
                return super.openToWrite(file, direct);
            }

            @Override
            protected void onWrite(Path file, long position, boolean direct) {
                if (writesUntilFailure[0]-- == 0) {
                    throw new StoreIoException("injected: file=" + file);
                }
            }
        };
        files = new RunFiles(failing, folder.resolve(RunFiles.FOLDER));
        int failed = 0;
        try (RunWriter writer = new RunWriter(files, STORE)) {
            // a head if the file is new, bins and directory, slot
            for (int failsAt : new int[] {-1, -1, 0, 0, 1, 1, 2, 2, 1, 0, -1}) {
                for (int attempt = 0; attempt < 3; attempt++) {
                    writesUntilFailure[0] = Integer.MAX_VALUE;
                    begin(writer);
                    writesUntilFailure[0] = failsAt;
                    try {
                        assertTrue(writer.finish(bytes -> true));
                    } catch (StoreIoException e) {
                        failed++;
                    }
                    assertEquals(taken(), files.bytes(), "fails at write " + failsAt);
                }
            }
        }
        assertTrue(failed > 20, "failed=" + failed);
    }

    @Test
    void shouldKeepADamagedFileUntilThereIsRoomForANewOne() throws IOException {
        write(1, 0);
        Path file = files.path(1, 0);
        for (int length : new int[] {0, RunFileDescriptor.headLength() - 1}) {
            Files.write(file, new byte[length]);
            files.prepare(0, Long.MAX_VALUE);
            try (RunWriter writer = new RunWriter(files, STORE)) {
                for (int attempt = 0; attempt < 3; attempt++) {
                    begin(writer);
                    assertFalse(writer.finish(bytes -> false));
                    assertEquals(length, Files.size(file));
                    assertEquals(taken(), files.bytes());
                }
            }
        }
        write(1, 1);
        assertEquals(taken(), files.bytes());
    }

    /** Of which no number is as expected. */
    private void checkTheMostSources(RunWriter writer, int sources) {
        long start = RunShape.begin(2, 7);
        writer.begin(2, 7);
        writer.beginDirectory(start, 1L << 62, 99, 1, sources);
        for (int i = 0; i < sources; i++) {
            long first = i % 2 == 0 ? Long.MIN_VALUE : 0;
            writer.addSource((i + 1) * 1_000_000, 1L << 62, -1, first, first - 1, 100, start + 1, 2);
        }
        assertTrue(writer.fits());
        assertTrue(writer.finish(bytes -> true));
        try (RunReader reader = new RunReader(files, STORE)) {
            assertTrue(reader.read(2, 7));
            assertTrue(reader.find(sources * 1_000_000));
            assertEquals(2, reader.sourceChunks());
            assertEquals(100, reader.previousDirectoryAddress());
        }
        assertTrue(files.path(2, 7).toFile().delete());
        files.prepare(0, Long.MAX_VALUE);
    }

    /** Bytes whose checksum fits, but which no writer wrote, as of a later version with the same number. */
    @Test
    void shouldRefuseDirectoriesThatCannotBe() {
        RunDirectoryCodec codec = new RunDirectoryCodec();
        BitReader bits = new BitReader();
        int refused = 0;
        for (int round = 0; round < 20_000; round++) {
            UnsafeBuffer packed = new UnsafeBuffer(new byte[400]);
            int level = 1 + random.nextInt(RunShape.LEVELS);
            codec.begin(packed, 0, level, 3, RunShape.begin(level, 3), 1L << 40, 99, 0, 64, 3);
            for (int id = 1; id <= 3; id++) {
                codec.addSource(id, 1_000, 48_000, 5, 1_000_000_000L, 90, 80, 64);
                codec.totals().putLong(0, random.nextLong());
                codec.addedTotals(Long.BYTES);
            }
            int length = codec.finish();
            for (int i = random.nextInt(3); i >= 0; i--) {
                int at = random.nextInt(length);
                packed.putByte(at, (byte) (packed.getByte(at) ^ (1 << random.nextInt(Byte.SIZE))));
            }
            bits.wrap(packed, 0, random.nextInt(3) == 0 ? random.nextInt(length) : length);
            try {
                ExpandableArrayBuffer directory = new ExpandableArrayBuffer();
                int end = codec.read(bits, level, 3, 1_000, directory);
                assertTrue(end <= RunFileDescriptor.LENGTH_MAX, "end=" + end);
                int sources = directory.getInt(RunFileDescriptor.SOURCES_OFFSET);
                assertTrue(RunFileDescriptor.TABLE_OFFSET + sources * RunFileDescriptor.TABLE_ENTRY_LENGTH <= end);
            } catch (CorruptStoreException e) {
                refused++;
            }
        }
        assertTrue(refused > 1_000, "refused=" + refused);
    }

    @Test
    void shouldLeaveOutBinsAndDirectoriesThatAreTooLong() {
        try (RunWriter writer = new RunWriter(files, STORE)) {
            writer.begin(1, 0);
            byte[] most = new byte[RunFileDescriptor.LENGTH_MAX + 1];
            assertTrue(writer.addBins(new UnsafeBuffer(most), most.length - 1) > 0);
            assertEquals(IndexSummary.NO_BINS, writer.addBins(new UnsafeBuffer(most), most.length));
            int sources = (RunFileDescriptor.LENGTH_MAX - RunFileDescriptor.TABLE_OFFSET)
                    / (RunFileDescriptor.TABLE_ENTRY_LENGTH + RunFileDescriptor.SUMMARIES_OFFSET);
            for (int count = sources; count <= sources + 1; count++) {
                writer.begin(1, 0);
                writer.beginDirectory(0, 1 << 16, 0, 1, count);
                for (int id = 0; id < count; id++) {
                    writer.addSource(id, 1, 1, 1, 1, -1, -1, 1);
                }
                assertEquals(count == sources, writer.fits());
            }
            checkTheMostSources(writer, sources);
            writer.begin(1, 0);
            writer.beginDirectory(0, 1 << 16, 0, 1, 0);
            assertFalse(writer.finish(bytes -> false));
        }
        assertEquals(List.of(), files.all());
        assertEquals(0, files.bytes());
    }

    @Test
    void shouldDeleteWhatLiesOutside() {
        for (long number = 0; number < 8 * FAN_OUT; number += FAN_OUT) {
            write(1, number);
        }
        long span = RunShape.begin(2, 1);
        files.deleteBelow(2 * span - 1); // the second ends behind
        assertEquals(7, files.all().size());
        files.prepare(2 * span, 6 * span - 1);
        assertEquals(
                List.of(2 * span, 3 * span, 4 * span),
                files.all().stream().map(RunFiles.RunFile::begin).toList());
        files.deleteAll();
        assertEquals(0, files.bytes());
    }

    @Test
    void shouldRefuseOnlyRunsOfLostRecordsThatItCanNotDelete() {
        for (long number = 0; number < 3 * FAN_OUT; number += FAN_OUT) {
            write(1, number);
        }
        files = new RunFiles(
                new HookedStorage() {
                    @Override
                    public void delete(Path file) {
                        throw new StoreIoException("injected failure: file=" + file);
                    }
                },
                folder.resolve(RunFiles.FOLDER));
        long span = RunShape.begin(2, 1);
        files.prepare(span, 3 * span);
        assertThrows(StoreIoException.class, () -> files.prepare(span, 3 * span - 1));
    }

    @Test
    void shouldDeleteAllOthersWhereOneCanNotBeDeleted() {
        for (long number = 0; number < 3 * FAN_OUT; number += FAN_OUT) {
            write(1, number);
        }
        Path first = files.all().get(0).path();
        files = new RunFiles(
                new HookedStorage() {
                    @Override
                    public void delete(Path file) {
                        if (file.equals(first)) {
                            throw new StoreIoException("injected failure: file=" + file);
                        }
                        super.delete(file);
                    }
                },
                folder.resolve(RunFiles.FOLDER));
        long span = RunShape.begin(2, 1);
        assertThrows(StoreIoException.class, () -> files.deleteBelow(2 * span));
        assertEquals(2, files.all().size());
        files.deleteAll(span); // of deleted records, so that it does no harm
        assertEquals(
                List.of(first), files.all().stream().map(RunFiles.RunFile::path).toList());
        assertThrows(StoreIoException.class, () -> files.deleteAll());
    }
}
