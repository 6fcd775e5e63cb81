package dev.loom.filter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.error.CorruptStoreException;
import dev.loom.error.UnsupportedStoreException;
import dev.loom.format.IndexedText;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of units against the units in memory: each answer is the same, whether they were written together or put together. */
final class UnitGroupTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final long STORE = 0x1234_5678_9ABC_DEF0L;
    private static final int SOURCE = 7;
    private static final long PAGE = 64 << 10;

    @TempDir
    Path temp;

    private final Random random = new Random(SEED);
    private final UnitContents contents = new UnitContents(
            IndexedText.parse("body:words,größe.*:value"),
            new FrequentWords(
                    random.longs(random.nextInt(600)).sorted().distinct().toArray()));
    private final List<Long> words = new ArrayList<>();
    private final List<UnitBuilder> built = new ArrayList<>();
    private final List<TokenUnit> units = new ArrayList<>();
    private long end = PAGE * random.nextInt(1_000);

    private UnitShape shape() {
        int frequentBits = 3 + random.nextInt(6);
        int rareBits = 3 + random.nextInt(9);
        return new UnitShape(
                frequentBits,
                rareBits,
                1 + random.nextInt(1 << frequentBits),
                1 + random.nextInt(1 << Math.min(rareBits, 5)),
                random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(UnitShape.LIST_ROWS_MAX),
                random.nextInt(3) == 0 ? 0 : 3 + random.nextInt(8),
                1 + random.nextInt(10));
    }

    private void build(UnitShape shape, int count) {
        words.clear();
        built.clear();
        units.clear();
        for (int i = 0; i < 300; i++) {
            words.add(random.nextLong());
        }
        for (int i = 0; i < count; i++) {
            UnitBuilder unit = new UnitBuilder(shape);
            int rows = 1 + random.nextInt(300);
            for (int row = 0; row < rows; row++) {
                unit.nextRow();
                for (int j = random.nextInt(5); j > 0; j--) {
                    // few words come in all units
                    int word = random.nextInt(20) + (i + j) * 37 % 280;
                    unit.addRare(words.get(word));
                    unit.addFrequent(words.get(word));
                    unit.addPrefix(words.get(word));
                }
            }
            built.add(unit);
            units.add(unit.unit(extent(rows)));
        }
    }

    private UnitExtent extent(int rows) {
        long start = end + PAGE * random.nextInt(3);
        List<Integer> firsts = new ArrayList<>(List.of(0));
        for (int row = 1; row < rows; row++) {
            if (random.nextInt(20) == 0) {
                firsts.add(row);
            }
        }
        long[] chunks = new long[firsts.size()];
        long at = start;
        for (int i = 0; i < chunks.length; i++) {
            at += PAGE * random.nextInt(3);
            chunks[i] = at;
            at += PAGE;
        }
        end = at;
        return new UnitExtent(
                start,
                end,
                rows,
                random.nextInt(Integer.MAX_VALUE),
                chunks,
                firsts.stream().mapToInt(Integer::intValue).toArray());
    }

    private Path write(String name, List<TokenUnit> written) {
        Path path = temp.resolve(name);
        try (LoomFile file = Storage.DISK.openToWrite(path, false)) {
            UnitGroupWriter.write(file, STORE, SOURCE, contents, written);
        }
        return path;
    }

    private static UnitGroup open(Path path, TokenUnit first) {
        return UnitGroup.open(
                Storage.DISK.openToRead(path), STORE, SOURCE, first.extent().start(), BlockReader.newBlocks());
    }

    private void compare(UnitGroup group) {
        assertEquals(units.size(), group.units());
        assertEquals(contents, group.contents());
        RowSet found = new RowSet();
        RowSet expected = new RowSet();
        for (int i = 0; i < 600; i++) {
            long word = i < words.size() ? words.get(i) : random.nextLong();
            group.seekRare(word);
            for (int unit = 0; unit < units.size(); unit++) {
                group.rows(unit, found);
                built.get(unit).rowsOfRare(word, expected);
                assertEquals(expected.toString(), found.toString(), "seed=" + SEED + ", shape=" + group.shape());
            }
            group.seekFrequent(word);
            for (int unit = 0; unit < units.size(); unit++) {
                assertEquals(built.get(unit).countFrequent(word), group.count(unit), "seed=" + SEED);
            }
            group.seekPrefix(word);
            for (int unit = 0; unit < units.size(); unit++) {
                assertEquals(built.get(unit).mayContainPrefix(word), group.mayContain(unit), "seed=" + SEED);
            }
        }
        for (int unit = 0; unit < units.size(); unit++) {
            assertEquals(units.get(unit).extent(), group.extent(unit));
        }
    }

    @Test
    void shouldAnswerAsTheUnitsDo() throws IOException {
        System.out.println("UnitGroupTest: -Dloom.test.seed=" + SEED);
        for (int round = 0; round < 30; round++) {
            build(shape(), 1 + random.nextInt(12));
            Path together = write("together" + round, units);
            long apart = 0;
            for (TokenUnit unit : units) {
                Path alone = write("alone" + round, List.of(unit));
                assertEquals(SourceUnits.length(unit, contents), Files.size(alone), "seed=" + SEED);
                apart += Files.size(alone);
            }
            assertTrue(Files.size(together) <= apart, "seed=" + SEED);
            try (UnitGroup group = open(together, units.get(0))) {
                compare(group);
            }
            List<UnitGroup> parts = new ArrayList<>();
            List<TokenUnit> copied = new ArrayList<>();
            for (int from = 0; from < units.size(); from = copied.size()) {
                int to = Math.min(units.size(), from + 1 + random.nextInt(3));
                UnitGroup part = open(write("part" + round + "-" + from, units.subList(from, to)), units.get(from));
                parts.add(part);
                for (int i = 0; i < part.units(); i++) {
                    copied.add(part.unit(i));
                }
            }
            assertArrayEquals(
                    Files.readAllBytes(together), Files.readAllBytes(write("merged" + round, copied)), "seed=" + SEED);
            parts.forEach(UnitGroup::close);
        }
    }

    @Test
    void shouldReadOneRunOfFieldsForAWordThatNoUnitHas() {
        build(new UnitShape(13, 18, 2, 18, 18, 16, 8), 16);
        try (UnitGroup group = open(write("group", units), units.get(0))) {
            long before = group.bytesRead();
            int reads = 200;
            RowSet rows = new RowSet();
            for (int i = 0; i < reads; i++) {
                group.seekRare(random.nextLong());
                for (int unit = 0; unit < group.units(); unit++) {
                    group.rows(unit, rows);
                }
            }
            long each = (group.bytesRead() - before) / reads;
            // 256 bytes, which lie in one block or two
            assertTrue(each <= 2L * BlockWriter.BLOCK_LENGTH, "bytes=" + each);
        }
    }

    @Test
    void shouldAnswerRightOrNotAtAllWhenAByteIsWrong() throws IOException {
        build(new UnitShape(5, 7, 2, 3, 4, 5, 3), 3);
        Path path = write("group", units);
        byte[] whole = Files.readAllBytes(path);
        for (int i = 0; i < 400; i++) {
            byte[] changed = whole.clone();
            changed[random.nextInt(whole.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(path, changed);
            assertThrows(CorruptStoreException.class, () -> {
                try (UnitGroup group = open(path, units.get(0))) {
                    compare(group);
                    for (UnitPart part : UnitPart.values()) {
                        int pieces = part.pieces(group.shape());
                        UnsafeBuffer into = new UnsafeBuffer(new byte[pieces * part.pieceLength(group.shape())]);
                        group.unit(0).copy(part, 0, pieces, into, 0);
                    }
                    group.check();
                    // what is wrong lies behind all contents
                    throw new CorruptStoreException("not read");
                }
            });
        }
    }

    /** Checksums are right here: whoever lies writes them. */
    @Test
    void shouldTakeListsThatLieForDamaged() throws IOException {
        UnitShape shape = new UnitShape(5, 7, 2, 3, 4, 5, 3);
        build(shape, 3);
        Path path = write("group", units);
        long start = units.get(0).extent().start();
        long table;
        try (UnitGroup group = open(path, units.get(0))) {
            table = group.endOfParts();
        }
        // the lists take at least that: where each one is, and its length in each unit
        int least = (shape.lists() + 1) * Long.BYTES + shape.lists() * units.size();
        int refused = 0;
        for (int i = 0; i < 200; i++) {
            int at = (int) table + (i % 4 == 0 ? random.nextInt(shape.lists()) * Long.BYTES : random.nextInt(least));
            byte[] lie = new byte[1 + random.nextInt(Long.BYTES)];
            random.nextBytes(lie);
            if (i % 4 == 0) {
                // neighbours in the table that agree with each other, and lie where no file does
                lie = new byte[3 * Long.BYTES];
                long far = Long.MAX_VALUE - 100;
                for (int j = 0; j < 3; j++) {
                    new UnsafeBuffer(lie).putLong(j * Long.BYTES, far + (long) j * units.size());
                }
            }
            byte[] written = lie;
            Path other = rewrite(path, start, contents -> {
                contents.putBytes(at, written);
            });
            try (UnitGroup group = open(other, units.get(0))) {
                RowSet rows = new RowSet();
                for (int j = 0; j < 40; j++) {
                    group.seekRare(words.get(j));
                    for (int unit = 0; unit < group.units(); unit++) {
                        group.rows(unit, rows);
                        assertTrue(rows.most(group.extents().rows(unit))
                                <= group.extents().rows(unit));
                    }
                }
                group.check();
            } catch (CorruptStoreException e) {
                refused++;
            }
        }
        assertTrue(refused > 50, "seed=" + SEED + ", refused=" + refused);
    }

    @Test
    void shouldRefuseFilesOfElsewhereAndOfOtherVersions() throws IOException {
        build(new UnitShape(5, 7, 2, 3, 4, 5, 3), 2);
        Path path = write("group", units);
        long start = units.get(0).extent().start();
        assertThrows(
                CorruptStoreException.class,
                () -> UnitGroup.open(Storage.DISK.openToRead(path), STORE + 1, SOURCE, start, BlockReader.newBlocks()));
        assertThrows(
                CorruptStoreException.class,
                () -> UnitGroup.open(Storage.DISK.openToRead(path), STORE, SOURCE + 1, start, BlockReader.newBlocks()));
        assertThrows(
                CorruptStoreException.class,
                () -> UnitGroup.open(
                        Storage.DISK.openToRead(path), STORE, SOURCE, start + PAGE, BlockReader.newBlocks()));
        for (int offset : new int[] {
            UnitGroupDescriptor.VERSION_OFFSET, UnitGroupDescriptor.TOKENS_OFFSET, UnitGroupDescriptor.DIGESTS_OFFSET
        }) {
            Path newer = rewrite(path, start, contents -> contents.putInt(offset, contents.getInt(offset) + 1));
            UnsupportedStoreException e =
                    assertThrows(UnsupportedStoreException.class, () -> open(newer, units.get(0)));
            assertTrue(e.getMessage().startsWith("filters are of another version: file=" + newer), e::getMessage);
        }
    }

    /** The same contents with a change, and right checksums. */
    private Path rewrite(Path path, long start, Consumer<UnsafeBuffer> change) {
        Path other = temp.resolve("other");
        try (LoomFile in = Storage.DISK.openToRead(path);
                LoomFile out = Storage.DISK.openToWrite(other, false)) {
            long key = UnitGroupDescriptor.key(STORE, SOURCE, start);
            int length = (int) (in.size() / BlockWriter.BLOCK_LENGTH * BlockWriter.CONTENTS_LENGTH);
            UnsafeBuffer contents = new UnsafeBuffer(new byte[length]);
            new BlockReader(in, key, BlockReader.newBlocks()).read(0, contents, 0, length);
            change.accept(contents);
            BlockWriter writer = new BlockWriter(out, key);
            writer.put(contents, 0, length);
            writer.finish();
        }
        return other;
    }

    @Test
    void shouldSayNothingAboutAWordThatCouldNotBeSought() throws IOException {
        build(new UnitShape(5, 7, 2, 3, 4, 5, 3), 3);
        Path path = write("group", units);
        try (UnitGroup group = open(path, units.get(0))) {
            assertThrows(IllegalStateException.class, () -> group.mayContain(0), "nothing was sought");
            group.seekRare(words.get(0));
            group.mayContain(0);
            Files.write(path, new byte[(int) Files.size(path)]);
            assertThrows(CorruptStoreException.class, () -> group.seekRare(words.get(1)));
            assertThrows(IllegalStateException.class, () -> group.mayContain(0));
            assertThrows(IllegalStateException.class, () -> group.rows(0, new RowSet()));
        }
    }

    @Test
    void shouldCloseAFileThatItCannotOpen() throws IOException {
        Path path = temp.resolve("zeros");
        Files.write(path, new byte[BlockWriter.BLOCK_LENGTH]);
        LoomFile file = Storage.DISK.openToRead(path);
        assertThrows(
                CorruptStoreException.class, () -> UnitGroup.open(file, STORE, SOURCE, 0, BlockReader.newBlocks()));
        assertThrows(RuntimeException.class, file::size, "closed");
    }

    @Test
    void shouldTakeAnImpossibleListForNone() {
        RowSet rows = new RowSet();
        UnsafeBuffer list = new UnsafeBuffer(new byte[6]);
        for (int[] wrong : new int[][] {{3, 3, 4}, {3, 2, 4}, {1, 2, 10}}) {
            for (int i = 0; i < 3; i++) {
                list.putShort(2 * i, (short) wrong[i]);
            }
            RowLists.read(list, 0, 3, 3, 10, rows);
            assertTrue(rows.contains(0), rows::toString);
        }
        assertThrows(IllegalStateException.class, () -> new UnitBuilder(new UnitShape(5, 7, 2, 3, 4, 5, 3)).addRare(1));
    }

    @Test
    void shouldRefuseUnitsThatDoNotGoTogether() {
        UnitShape shape = new UnitShape(5, 7, 2, 3, 4, 5, 3);
        build(shape, 2);
        List<TokenUnit> backwards = List.of(units.get(1), units.get(0));
        assertThrows(IllegalArgumentException.class, () -> write("backwards", backwards));
        assertThrows(IllegalArgumentException.class, () -> write("none", List.of()));
        TokenUnit first = units.get(0);
        build(new UnitShape(5, 7, 2, 3, 5, 5, 3), 1);
        assertThrows(IllegalArgumentException.class, () -> write("mixed", List.of(first, units.get(0))));
    }

    @Test
    void shouldRefuseExtentsThatNoUnitHas() {
        long[] chunks = {0, PAGE};
        int[] rows = {0, 3};
        assertTrue(new UnitExtent(0, 2 * PAGE, 4, 9, chunks, rows).meets(new RowSet().setAll(), 1));
        assertThrows(IllegalArgumentException.class, () -> new UnitExtent(0, 2 * PAGE, 3, 9, chunks, rows));
        assertThrows(IllegalArgumentException.class, () -> new UnitExtent(0, PAGE, 4, 9, chunks, rows));
        assertThrows(IllegalArgumentException.class, () -> new UnitExtent(1, 2 * PAGE, 4, 9, chunks, rows));
        assertThrows(IllegalArgumentException.class, () -> new UnitExtent(0, 2 * PAGE, 4, 9, chunks, new int[] {1, 3}));
        assertThrows(IllegalArgumentException.class, () -> new UnitExtent(0, 2 * PAGE, 4, 9, chunks, new int[] {0, 0}));
        assertThrows(IllegalArgumentException.class, () -> new UnitExtent(0, 2 * PAGE, 4, 9, chunks, new int[] {0}));
        assertThrows(IllegalArgumentException.class, () -> new UnitExtent(0, 2 * PAGE, 65_536, 9, chunks, rows));
        assertThrows(IllegalArgumentException.class, () -> new UnitExtent(0, 2 * PAGE, 1, 9, new long[0], new int[0]));
        assertThrows(IllegalArgumentException.class, () -> new UnitExtent(0, 2 * PAGE, 4, -1, chunks, rows));
    }

    @Test
    void shouldFindTheChunksThatRowsLieIn() {
        UnitExtent extent =
                new UnitExtent(0, 10 * PAGE, 10, 9, new long[] {0, 3 * PAGE, 7 * PAGE}, new int[] {0, 4, 8});
        RowSet set = new RowSet();
        set.add(3);
        set.openAt(9);
        assertTrue(extent.meets(set, 0));
        assertTrue(!extent.meets(set, 1));
        assertTrue(extent.meets(set, 2));
        assertEquals(1, extent.rowsIn(set, 0));
        assertEquals(0, extent.rowsIn(set, 1));
        assertEquals(1, extent.rowsIn(set, 2));
    }

    @Test
    void shouldFindAChunkFromWhereverTheSearchStood() {
        long[] chunks = {PAGE, 3 * PAGE, 4 * PAGE, 8 * PAGE};
        UnitExtent extent = new UnitExtent(PAGE, 10 * PAGE, 10, 9, chunks, new int[] {0, 4, 8, 9});
        for (int near = -5; near <= 5; near++) {
            for (int page = 0; page < 12; page++) {
                int found = extent.find(page * PAGE, near);
                int expected = List.of(1, 3, 4, 8).indexOf(page);
                assertEquals(expected, Math.max(found, -1), "near=" + near + ", page=" + page);
                assertEquals(page >= 1 && page < 10, extent.spans(page * PAGE));
            }
        }
    }
}
