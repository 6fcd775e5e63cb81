package dev.loom;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreLockedException;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.PageDescriptor;
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
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A repair rebuilds what can be rebuilt, keeps a copy of everything else that it touches, and may fail at any step. */
final class RepairTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final String FIRST = "00000000000000000000.seg";
    private static final PayloadFormat FORMAT = Formats.parse("struct:v:i64,rest:bytes");

    @TempDir
    Path temp;

    private Path store = Path.of("");

    @BeforeEach
    void write() {
        store = temp.resolve("store");
        try (Loom loom =
                Loom.open(StoreAccess.small(store).segmentBytes(4 * PAGE).build())) {
            loom.defineSource("a", FORMAT);
            loom.defineIndex(1, "v", IndexFunction.field(FORMAT, "v"), Bins.logLinear());
            for (int i = 0; i < 600; i++) {
                byte[] payload = new byte[1000];
                ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN).putLong(0, i);
                assertTrue(loom.push(1, payload) > 0);
            }
        }
        assertEquals(List.of(), problems());
    }

    private List<String> problems() {
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(
                store, (file, offset, message) -> problems.add(file.getFileName() + "@" + offset + " " + message));
        return problems;
    }

    private long known() {
        return StoreVerifier.verify(store, (file, offset, message) -> {}).known();
    }

    private StoreVerifier.Repaired repair(List<String> aside) {
        return repair(Storage.DISK, aside);
    }

    private StoreVerifier.Repaired repair(Storage storage, List<String> aside) {
        return StoreVerifier.repair(
                StoreAccess.small(store).storage(storage),
                (file, offset, reason, copy) ->
                        aside.add(file.getFileName() + "@" + offset + (copy == null ? " not there" : "")),
                (done, total) -> true);
    }

    private void flip(String folder, String file, int offset) {
        try {
            Path path = store.resolve(folder).resolve(file);
            byte[] bytes = Files.readAllBytes(path);
            bytes[offset] ^= 1;
            Files.write(path, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path aside(StoreVerifier.Repaired repaired) {
        Path directory = repaired.directory();
        assertNotNull(directory);
        assertEquals("set-aside", directory.getParent().getFileName().toString());
        return directory;
    }

    /** As of a copy on a disk that has little room. */
    @Test
    void shouldDeleteNothingForTheLimitsOfTheStore() {
        Loom.open(StoreAccess.small(store).minFreeBytes(1 << 20).build()).close();
        Storage full = new HookedStorage() {
            @Override
            public long usableSpace(Path directory) {
                return directory.endsWith("store") ? 0 : super.usableSpace(directory);
            }
        };
        repair(full, new ArrayList<>());
        assertEquals(0, begin());
        StoreAccess.open(store, full).close();
        assertTrue(begin() > 0, "another opening does");
    }

    private long begin() {
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            return snapshot.beginAddress();
        }
    }

    @Test
    void shouldLeaveASoundStoreAlone() {
        List<String> aside = new ArrayList<>();
        StoreVerifier.Repaired repaired = repair(aside);
        assertNull(repaired.directory());
        assertFalse(repaired.rebuilt());
        assertFalse(Files.exists(store.resolve("set-aside")));
        assertEquals(List.of(), problems());
    }

    @Test
    void shouldKeepDamagedRecordsInPlaceAndKnowThemFromThenOn() throws IOException {
        flip("record", FIRST, PAGE + 500);
        byte[] damaged = Files.readAllBytes(store.resolve("record").resolve(FIRST));
        assertEquals(1, problems().size());
        List<String> aside = new ArrayList<>();
        StoreVerifier.Repaired repaired = repair(aside);
        assertEquals(List.of(FIRST + "@" + PAGE), aside);
        assertFalse(repaired.rebuilt());
        assertArrayEquals(
                Arrays.copyOfRange(damaged, PAGE, 2 * PAGE),
                Files.readAllBytes(aside(repaired).resolve("record").resolve(FIRST + "." + PAGE)));
        assertArrayEquals(damaged, Files.readAllBytes(store.resolve("record").resolve(FIRST)));
        String list = Files.readString(aside(repaired).resolve("contents.txt"), StandardCharsets.UTF_8);
        assertTrue(list.contains("PAGE\trecord/" + FIRST + "\t" + PAGE + "\t" + PAGE + "\t" + PAGE + "\t"), list);
        assertTrue(list.contains("\tpage is damaged: address=" + PAGE + "\n"), list);
        assertEquals(List.of(), problems());
        assertEquals(1, known());
        // once is enough
        List<String> again = new ArrayList<>();
        assertNull(repair(again).directory());
        assertEquals(List.of(), again);
        // other damage is another matter
        flip("record", FIRST, PAGE + 600);
        assertEquals(1, problems().size());
        assertEquals(0, known());
    }

    @Test
    void shouldForgetWhatItKnewWhenTheCopiesAreDeleted() throws IOException {
        flip("record", FIRST, PAGE + 500);
        Path directory = aside(repair(new ArrayList<>()));
        assertEquals(List.of(), problems());
        Files.delete(directory.resolve("record").resolve(FIRST + "." + PAGE));
        assertEquals(1, problems().size());
    }

    @Test
    void shouldRebuildWrongIndexesAndKeepThem() throws IOException {
        byte[] before = Files.readAllBytes(store.resolve("time").resolve(FIRST));
        flip("time", FIRST, 200);
        StoreVerifier.Repaired repaired = repair(new ArrayList<>());
        assertTrue(repaired.rebuilt());
        before[200] ^= 1;
        assertArrayEquals(
                before, Files.readAllBytes(aside(repaired).resolve("time").resolve(FIRST)));
        assertEquals(List.of(), problems());
        assertEquals(0, known());
    }

    @Test
    void shouldMoveWhatIsOfNoLog() throws IOException {
        Path foreign = store.resolve("record").resolve("notes.txt");
        Files.writeString(foreign, "mine");
        Path last;
        try (Stream<Path> files = Files.list(store.resolve("record"))) {
            last = files.filter(file -> file.toString().endsWith(".seg"))
                    .sorted()
                    .reduce((a, b) -> b)
                    .orElseThrow();
        }
        byte[] before = Files.readAllBytes(last);
        byte[] longer = Arrays.copyOf(before, before.length + 10);
        longer[before.length] = 7;
        Files.write(last, longer);
        assertEquals(2, problems().size());
        List<String> aside = new ArrayList<>();
        StoreVerifier.Repaired repaired = repair(aside);
        assertEquals(2, aside.size());
        assertFalse(Files.exists(foreign));
        assertEquals("mine", Files.readString(aside(repaired).resolve("record").resolve("notes.txt")));
        assertArrayEquals(
                Arrays.copyOfRange(longer, before.length, longer.length),
                Files.readAllBytes(
                        aside(repaired).resolve("record").resolve(last.getFileName() + "." + before.length)));
        assertEquals(List.of(), problems());
        assertEquals(0, known());
    }

    /** Somebody's own: a repair passes it by, and goes on. */
    @ParameterizedTest
    @CsvSource({"record, mine", "time, mine", "chunk, mine", "record, 00000000000900000000.seg"})
    void shouldLeaveADirectoryAmongTheSegmentsAlone(String log, String name) throws IOException {
        Path mine = Files.createDirectory(store.resolve(log).resolve(name));
        Path file = Files.writeString(mine.resolve("notes.txt"), "mine");
        flip("record", FIRST, PAGE + 500);
        assertEquals(2, problems().size());
        List<String> aside = new ArrayList<>();
        repair(aside);
        assertEquals(Set.of(name + "@0 not there", FIRST + "@" + PAGE), Set.copyOf(aside));
        assertEquals("mine", Files.readString(file));
        assertEquals(List.of(name + "@0 not a segment of this log"), problems());
        assertEquals(1, known());
    }

    /** As where somebody mounted or made one: what is behind it is verified, and its own pages are missing. */
    @Test
    void shouldVerifyWhatFollowsADirectoryInPlaceOfASegment() throws IOException {
        String name = "00000000000000262144.seg";
        Path segment = store.resolve("record").resolve(name);
        Files.delete(segment);
        Path file = Files.writeString(Files.createDirectory(segment).resolve("notes.txt"), "mine");
        flip("record", "00000000000000524288.seg", 500);
        assertEquals(
                Set.of(
                        name + "@0 a directory that has the name of a segment",
                        name + "@0 segment is missing: address=262144, bytes up to the next=262144",
                        "00000000000000524288.seg@0 page is damaged: address=524288"),
                Set.copyOf(problems()));
        List<String> aside = new ArrayList<>();
        repair(aside);
        assertEquals("mine", Files.readString(file));
        assertEquals(List.of(name + "@0 a directory that has the name of a segment"), problems());
        assertEquals(2, known());
    }

    @Test
    void shouldNoteWhatIsMissing() throws IOException {
        Files.delete(store.resolve("record").resolve("00000000000000262144.seg"));
        assertEquals(1, problems().size());
        List<String> aside = new ArrayList<>();
        repair(aside);
        assertTrue(aside.contains("00000000000000262144.seg@0 not there"), aside::toString);
        assertEquals(List.of(), problems());
        assertEquals(1, known());
    }

    @Test
    void shouldRefuseWhileAWriterLives() {
        flip("record", FIRST, PAGE + 500);
        try (Loom loom = Loom.open(StoreAccess.small(store).build())) {
            assertThrows(StoreLockedException.class, () -> repair(new ArrayList<>()));
            assertFalse(Files.exists(store.resolve("set-aside")));
            assertTrue(loom.push(1, new byte[8]) > 0);
        }
    }

    @Test
    void shouldChangeNothingWhenCancelled() {
        flip("record", FIRST, PAGE + 500);
        assertThrows(
                CancellationException.class,
                () -> StoreVerifier.repair(store, (file, offset, reason, copy) -> {}, (done, total) -> false));
        assertFalse(Files.exists(store.resolve("set-aside")));
        assertEquals(1, problems().size());
    }

    @Test
    void shouldTellHowFarTheRebuildIsAndGoOnLaterWhenItIsCancelled() {
        flip("chunk", FIRST, 200);
        long[] last = {0};
        List<String> rebuild = new ArrayList<>();
        assertThrows(
                CancellationException.class,
                () -> StoreVerifier.repair(
                        StoreAccess.small(store), (file, offset, reason, copy) -> {}, (done, total) -> {
                            boolean begins = done < last[0];
                            last[0] = done;
                            if (begins || !rebuild.isEmpty()) {
                                rebuild.add(done / PAGE + " of " + total / PAGE);
                            }
                            return rebuild.size() < 3;
                        }));
        assertEquals(List.of("0 of 10", "1 of 10", "2 of 10"), rebuild);
        Loom.open(StoreAccess.small(store).build()).close();
        assertEquals(List.of(), problems());
    }

    /** Each call that changes the disk fails in turn, and all after it; then the repair is run again. */
    @Test
    void shouldLoseNothingWhenItFailsAtAnyStep() throws IOException {
        Files.writeString(store.resolve("record").resolve("notes.txt"), "mine");
        flip("record", FIRST, PAGE + 500);
        flip("chunk", FIRST, 200);
        Map<Path, byte[]> image = image();
        int failed = 0;
        int step = 0;
        boolean done = false;
        for (; !done; step++) {
            restore(image);
            FailingAfter storage = new FailingAfter(step);
            try {
                repair(storage, new ArrayList<>());
                done = true;
            } catch (StoreIoException e) {
                failed++;
                assertTrue(String.valueOf(e.getMessage()).contains("disk is full"), e::toString);
            }
            // what the user had is where it was, or set aside
            assertEquals("mine", Files.readString(kept("notes.txt")), "step=" + step);
            if (!done) {
                repair(new ArrayList<>());
            }
            assertEquals(List.of(), problems(), "step=" + step);
            assertEquals("mine", Files.readString(kept("notes.txt")), "step=" + step);
            byte[] bins = image.get(store.resolve("chunk").resolve(FIRST));
            assertNotNull(bins);
            assertArrayEquals(bins, Files.readAllBytes(kept("chunk")), "step=" + step);
            assertEquals(1, known(), "step=" + step);
        }
        assertTrue(failed > 10, "failed=" + failed);
    }

    /** The place of a file, or of the first copy of the chunk index: complete, since it is in a list. */
    private Path kept(String what) throws IOException {
        Path there = store.resolve("record").resolve(what);
        if (Files.exists(there)) {
            return there;
        }
        String name = what.equals("chunk") ? "chunk/" + FIRST : "record/" + what;
        try (Stream<Path> lists = Files.walk(store.resolve("set-aside"))) {
            for (Path list :
                    lists.filter(file -> file.endsWith("contents.txt")).sorted().toList()) {
                if (Files.readString(list).contains("\t" + name + "\t0\t0\t")) {
                    return list.resolveSibling(name);
                }
            }
        }
        throw new AssertionError("lost: " + what);
    }

    private Map<Path, byte[]> image() throws IOException {
        Map<Path, byte[]> image = new TreeMap<>();
        try (Stream<Path> files = Files.walk(store)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                image.put(file, Files.readAllBytes(file));
            }
        }
        return image;
    }

    private void restore(Map<Path, byte[]> image) throws IOException {
        try (Stream<Path> files = Files.walk(store)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                if (Files.isRegularFile(file)
                        ? !image.containsKey(file)
                        : file.startsWith(store.resolve("set-aside"))) {
                    Files.delete(file);
                }
            }
        }
        for (Map.Entry<Path, byte[]> each : image.entrySet()) {
            Files.write(each.getKey(), each.getValue());
        }
    }

    /** From some call on, nothing can be written to what a repair makes, nor taken from where it was. */
    private static final class FailingAfter extends HookedStorage {
        private int left;

        FailingAfter(int calls) {
            left = calls;
        }

        private void check(Path file) {
            boolean ours = file.toString().contains("set-aside") || file.endsWith("notes.txt");
            if (ours && left-- <= 0) {
                throw new StoreIoException("disk is full: file=" + file);
            }
        }

        @Override
        protected void onWrite(Path file, long position, boolean direct) {
            check(file);
        }

        @Override
        protected void force(LoomFile file) {
            check(file.path());
            super.force(file);
        }

        @Override
        public LoomFile openToWrite(Path file, boolean direct) {
            check(file);
            return super.openToWrite(file, direct);
        }

        @Override
        public void createDirectory(Path directory) {
            check(directory);
            super.createDirectory(directory);
        }

        @Override
        public void createDirectories(Path directory) {
            check(directory);
            super.createDirectories(directory);
        }

        @Override
        public void syncDirectory(Path directory) {
            check(directory);
            super.syncDirectory(directory);
        }

        @Override
        public void delete(Path file) {
            check(file);
            super.delete(file);
        }
    }
}
