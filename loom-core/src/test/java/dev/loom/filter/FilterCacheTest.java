package dev.loom.filter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.api.TextIndexParameters;
import dev.loom.error.StoreIoException;
import dev.loom.filter.UnitFiles.UnitFile;
import dev.loom.format.IndexedText;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.text.TokenCondition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Searches that share what they have read, against searches that read all of it again. */
final class FilterCacheTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final long STORE = 0x1234_5678_9ABC_DEF0L;
    private static final int SOURCE = 7;
    private static final long PAGE = 64 << 10;
    private static final int UNITS = 40;
    private static final int CHUNKS = 5;
    private static final int ROWS = 300;
    private static final int WORDS = 30_000;
    private static final long ROOM = 64 << 20;
    /** With these a beginning of a file takes about as much as a block. */
    private static final String MANY_FIELDS = IntStream.range(0, 120)
            .mapToObj(i -> ",field" + i + ":value")
            .collect(Collectors.joining("", "id:value", ""));
    /** A beginning of a file has a fourth of it, and some 70 blocks the rest. */
    private static final long TIGHT = 400 << 10;

    @TempDir
    Path temp;

    private final Random random = new Random(SEED);
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private final AtomicInteger reads = new AtomicInteger();
    private final List<Long> chunks = new ArrayList<>();
    private long address = PAGE;
    private String fields = "id:value";

    /** Called before a file is opened. */
    private Runnable onOpen = () -> {};

    /** Called before a file is read. */
    private Runnable onRead = () -> {};

    private final Storage storage = new HookedStorage() {
        @Override
        public LoomFile openToRead(Path file) {
            onOpen.run();
            opened.incrementAndGet();
            return super.openToRead(file);
        }

        @Override
        protected void onRead(Path file) {
            onRead.run();
            reads.incrementAndGet();
        }

        @Override
        protected void onClose(Path file) {
            closed.incrementAndGet();
        }
    };

    @BeforeEach
    void printSeed() {
        System.out.println("FilterCacheTest: -Dloom.test.seed=" + SEED);
    }

    private UnitFiles files(FilterCache cache) {
        return new UnitFiles(storage, temp.resolve("text"), cache);
    }

    private UnitFiles files(long bytes, IntFunction<byte[]> memory) {
        return files(new FilterCache(bytes, memory));
    }

    private UnitFiles files(long bytes) {
        return files(bytes, byte[]::new);
    }

    private UnitFiles uncached() {
        return new UnitFiles(Storage.DISK, temp.resolve("text"));
    }

    /** Writes units, whose rows follow from the addresses of their chunks, and puts them together now and then. */
    private void write(int units, boolean lists) {
        SourceUnits written = new SourceUnits(
                uncached(),
                STORE,
                SOURCE,
                IndexedText.parse(fields),
                new TextIndexLimits(lists, TextIndexParameters.DEFAULT.withUnitRows(65_535), Long.MAX_VALUE));
        for (int unit = 0; unit < units; unit++) {
            for (int chunk = 0; chunk < CHUNKS; chunk++) {
                written.assembler().beginChunk(address);
                chunks.add(address);
                wordsOf(address).forEach(word -> {
                    written.assembler().nextRow();
                    written.assembler().onValue(word(word));
                });
                address += PAGE;
                written.assembler().endChunk(address);
            }
            assertTrue(written.write(bytes -> true, () -> {}));
            written.putTogether(bytes -> true, () -> {});
        }
    }

    private void write(int units) {
        write(units, false);
    }

    private static List<Integer> wordsOf(long chunk) {
        return new Random(SEED + chunk).ints(ROWS, 0, WORDS).boxed().toList();
    }

    private static long word(int number) {
        return (number + 1) * 0x9E37_79B9_7F4A_7C15L;
    }

    /** The chunks that may have a word. */
    private Set<Long> search(GroupCursor groups, int word) {
        TokenSearch search = new TokenSearch(groups, new TokenCondition.Value("id", word(word)));
        Set<Long> found = new HashSet<>();
        for (long chunk : List.copyOf(chunks)) { // more may come
            if (search.mayMeet(chunk)) {
                found.add(chunk);
            }
        }
        return found;
    }

    private GroupCursor cursor(UnitFiles files) {
        return new GroupCursor(files, STORE, SOURCE);
    }

    private Set<Long> search(UnitFiles files, int word) {
        try (GroupCursor groups = cursor(files)) {
            Set<Long> found = search(groups, word);
            assertEquals(0, groups.unusable());
            return found;
        }
    }

    /** What searches find that read everything. */
    private Map<Integer, Set<Long>> expected(int words) {
        Map<Integer, Set<Long>> expected = new HashMap<>();
        for (int i = 0; i < words; i++) {
            int word = random.nextInt(WORDS);
            expected.put(word, search(uncached(), word));
        }
        return expected;
    }

    private void check(UnitFiles files, Map<Integer, Set<Long>> expected) {
        expected.forEach((word, found) -> assertEquals(found, search(files, word), () -> "word=" + word));
    }

    @Test
    void shouldOpenNoFileTwiceForTheSameWords() {
        write(UNITS);
        Map<Integer, Set<Long>> expected = expected(50);
        UnitFiles files = files(ROOM);
        check(files, expected);
        assertTrue(files.cache().bytes() > 0);
        opened.set(0);
        for (int word : expected.keySet()) {
            try (GroupCursor groups = cursor(files)) {
                assertEquals(expected.get(word), search(groups, word));
                assertEquals(0, groups.blocksRead());
                assertTrue(groups.blocksCached() >= 2L * files.ofSource(SOURCE).size());
            }
        }
        assertEquals(0, opened.get());
    }

    @Test
    void shouldAnswerTheSameHoweverLittleItMayTake() {
        write(UNITS);
        Map<Integer, Set<Long>> expected = expected(200);
        for (long bytes : new long[] {0, 1, 4_096, 200 << 10, TIGHT}) {
            UnitFiles files = files(bytes);
            for (int turn = 0; turn < 3; turn++) {
                check(files, expected);
                assertTrue(
                        files.cache().bytes() <= bytes,
                        () -> "bytes=" + files.cache().bytes() + ", most=" + bytes);
            }
        }
    }

    @Test
    void shouldLetAllGoAndReadWhenThereIsNoMemory() {
        write(UNITS);
        Map<Integer, Set<Long>> expected = expected(20);
        for (int blocks = 0; blocks < 20; blocks += 1 + random.nextInt(6)) {
            AtomicInteger left = new AtomicInteger(blocks);
            UnitFiles files = files(ROOM, length -> {
                assertTrue(left.get() >= 0, "it was asked for again");
                if (left.getAndDecrement() == 0) {
                    throw new OutOfMemoryError("none left");
                }
                return new byte[length];
            });
            try (GroupCursor groups = cursor(files)) {
                expected.forEach((word, found) -> assertEquals(found, search(groups, word)));
                assertEquals(0, groups.unusable());
            }
            assertEquals(-1, left.get(), "the memory was enough");
            assertEquals(0, files.cache().bytes());
            check(files, expected);
            assertEquals(0, files.cache().bytes());
        }
    }

    @Test
    void shouldFindMostOfTheFilesThatFitAgainWhenThereAreMore() {
        UnitFiles files = writeTwiceWhatFits();
        int word = random.nextInt(WORDS);
        Set<Long> expected = search(uncached(), word);
        assertEquals(expected, search(files, word));
        Set<UnitFile> known = known(files);
        assertTrue(known.size() >= 6 && known.size() <= 9, () -> "known=" + known.size());
        for (int turn = 0; turn < 10; turn++) {
            opened.set(0);
            Set<UnitFile> before = known(files);
            assertEquals(expected, search(files, word));
            Set<UnitFile> still = known(files);
            still.retainAll(before);
            assertTrue(still.size() >= before.size() - 2, () -> "known=" + before.size() + ", still=" + still.size());
            assertTrue(opened.get() <= 15 - before.size() + 2, () -> "opened=" + opened + ", known=" + before.size());
        }
    }

    /** Writes 15 files, with a cache for half of their beginnings. */
    private UnitFiles writeTwiceWhatFits() {
        fields = MANY_FIELDS;
        write(15);
        FilterCache all = filesOfBeginnings().cache();
        return files(4 * all.bytes() / 2);
    }

    @Test
    void shouldFindRoomForWhatIsSearchedOftenInTheEnd() {
        UnitFiles files = writeTwiceWhatFits();
        search(files, 0);
        Set<UnitFile> known = known(files);
        UnitFile file = files.ofSource(SOURCE).stream()
                .filter(there -> !known.contains(there))
                .findFirst()
                .orElseThrow();
        chunks.removeIf(chunk -> chunk < file.start() || chunk >= file.end());
        for (int turn = 0; turn < 16; turn++) {
            search(files, turn);
        }
        assertTrue(known(files).contains(file));
    }

    /** The files whose beginnings the cache has. */
    private static Set<UnitFile> known(UnitFiles files) {
        Set<UnitFile> known = new HashSet<>(files.ofSource(SOURCE));
        known.removeIf(file -> files.cache().beginning(file) == null);
        return known;
    }

    @Test
    void shouldReadBlocksThatItLacksAtOnce() {
        write(UNITS);
        for (long bytes : new long[] {0, ROOM}) {
            UnitFiles files = files(bytes);
            try (UnitGroup group = UnitGroup.open(files, largest(files), STORE, BlockReader.newBlocks())) {
                int pieces = UnitPart.RARE_FIELDS.pieces(group.shape());
                byte[] read = new byte[pieces * TokenField.LENGTH];
                reads.set(0);
                long before = group.bytesRead();
                group.unit(0).copy(UnitPart.RARE_FIELDS, 0, pieces, new UnsafeBuffer(read), 0);
                long blocks = (group.bytesRead() - before) / BlockWriter.BLOCK_LENGTH;
                assertTrue(blocks > 2 * BlockReader.BLOCKS_AT_ONCE, () -> "blocks=" + blocks);
                assertEquals((blocks - 1) / BlockReader.BLOCKS_AT_ONCE + 1, reads.get());
            }
        }
    }

    private static UnitFile largest(UnitFiles files) {
        return files.ofSource(SOURCE).stream()
                .max(Comparator.comparingLong(files::length))
                .orElseThrow();
    }

    @Test
    void shouldReadOnlyBlocksThatItLacks() {
        write(UNITS);
        UnitFiles files = files(ROOM);
        check(files, expected(3));
        UnitFile file = largest(files);
        try (UnitGroup group = UnitGroup.open(files, file, STORE, BlockReader.newBlocks());
                UnitGroup other = uncached().open(file, STORE, BlockReader.newBlocks())) {
            long otherBefore = other.bytesRead();
            int pieces = UnitPart.RARE_FIELDS.pieces(group.shape());
            byte[] read = new byte[pieces * TokenField.LENGTH];
            byte[] expected = new byte[read.length];
            other.unit(0).copy(UnitPart.RARE_FIELDS, 0, pieces, new UnsafeBuffer(expected), 0);
            group.unit(0).copy(UnitPart.RARE_FIELDS, 0, pieces, new UnsafeBuffer(read), 0);
            assertArrayEquals(expected, read);
            long blocks = (other.bytesRead() - otherBefore) / BlockWriter.BLOCK_LENGTH;
            long beginning = files.cache().beginning(file).blocks();
            assertTrue(group.blocksCached() > 0);
            assertEquals(blocks + beginning, group.blocksCached() + group.bytesRead() / BlockWriter.BLOCK_LENGTH);
        }
    }

    @Test
    void shouldCountABeginningOnceWhenABlockIsMissing() {
        write(15);
        UnitFiles files = filesOfBeginnings();
        try (GroupCursor groups = cursor(files)) {
            UnitGroup group = groups.groupAt(PAGE);
            assertTrue(group.blocksCached() > 0);
            group.seekRare(word(0));
            assertEquals(0, group.blocksCached());
        }
    }

    /** With a cache that has all beginnings, and no block. */
    private UnitFiles filesOfBeginnings() {
        UnitFiles files = files(ROOM);
        try (GroupCursor groups = cursor(files)) {
            chunks.forEach(groups::groupAt);
            assertEquals(0, groups.unusable());
        }
        return files;
    }

    @Test
    void shouldCloseFilesWhateverFails() {
        write(3);
        for (UnitFiles files : List.of(files(0), files(ROOM), filesOfBeginnings())) {
            opened.set(0);
            closed.set(0);
            onRead = () -> {
                throw new OutOfMemoryError("none left");
            };
            assertThrows(OutOfMemoryError.class, () -> search(files, 0));
            onRead = () -> {};
            assertEquals(1, opened.get());
            assertEquals(1, closed.get());
        }
    }

    @Test
    void shouldKeepBeginningsOfFilesThatCannotBeOpenedNow() {
        write(3);
        UnitFiles files = filesOfBeginnings();
        Set<UnitFile> known = known(files);
        onOpen = () -> {
            throw new StoreIoException("can't open", new IOException("too many open files"));
        };
        try (GroupCursor groups = cursor(files)) {
            assertEquals(new HashSet<>(chunks), search(groups, 0));
            assertTrue(groups.unusable() > 0);
        }
        assertEquals(known, known(files));
        onOpen = () -> {};
        check(files, expected(20));
    }

    @Test
    void shouldForgetBeginningsOfFilesThatAreGone() throws IOException {
        write(1);
        UnitFiles files = filesOfBeginnings();
        List<UnitFile> there = files.ofSource(SOURCE);
        try (GroupCursor groups = cursor(files)) {
            for (UnitFile file : there) {
                Files.delete(file.path()); // as another process does
            }
            search(groups, 0);
        }
        there.forEach(file -> assertEquals(null, files.cache().beginning(file)));
    }

    /** As when a session deletes a file that it can't read, and builds it again in another way. */
    @Test
    void shouldNotMixFilesOfOneName() throws IOException {
        write(1, false);
        UnitFiles files = files(ROOM);
        UnitFile file = files.ofSource(SOURCE).get(0);
        search(files, 0);
        Files.delete(file.path());
        chunks.clear();
        address = PAGE;
        write(1, true);
        assertEquals(file, uncached().ofSource(SOURCE).get(0));
        int abandoned = 0;
        for (long chunk : List.copyOf(chunks)) {
            for (int word : wordsOf(chunk)) {
                try (GroupCursor groups = cursor(files)) {
                    assertTrue(search(groups, word).contains(chunk), () -> "lost: word=" + word + ", chunk=" + chunk);
                    abandoned += groups.unusable();
                }
            }
        }
        assertEquals(1, abandoned, "after that the other file is known");
    }

    @Test
    void shouldFindTheLargerFileWhenThoseThatItKnowsAreGone() {
        write(15);
        UnitFiles files = filesOfBeginnings();
        int word = random.nextInt(WORDS);
        Set<Long> expected = search(uncached(), word);
        List<Long> known = List.copyOf(chunks);
        AtomicInteger calls = new AtomicInteger();
        onOpen = () -> {
            if (calls.getAndIncrement() == 0) {
                write(1); // and as many as may be are put together
            }
        };
        try (GroupCursor groups = cursor(files)) {
            Set<Long> found = search(groups, word);
            found.retainAll(known);
            assertTrue(found.containsAll(expected));
            assertTrue(found.size() <= expected.size() + 1, "one chunk was asked about when its file was gone");
            assertEquals(0, groups.unusable());
        }
        assertTrue(uncached().ofSource(SOURCE).size() < 5, "none were put together");
    }

    @Test
    void shouldAnswerAllThreadsAtOnce() throws InterruptedException {
        write(UNITS);
        Map<Integer, Set<Long>> expected = expected(300);
        UnitFiles files = files(TIGHT);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = Stream.generate(() -> new Thread(() -> check(files, expected)))
                .limit(4)
                .peek(thread -> thread.setUncaughtExceptionHandler((which, e) -> failure.set(e)))
                .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(null, failure.get());
    }

    @Test
    void shouldForgetFilesThatAreDeleted() {
        write(3);
        UnitFiles files = files(ROOM);
        search(files, 1);
        for (UnitFile file : files.ofSource(SOURCE)) {
            assertTrue(files.cache().beginning(file) != null);
            files.delete(file);
            assertEquals(null, files.cache().beginning(file));
        }
        assertEquals(new HashSet<>(chunks), search(files, 1), "nothing tells of them");
    }
}
