package dev.loom.bench.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trees against a map of all their keys. {@code -Dloom.test.seed=S} gives the seed. */
final class SstTreeTest {
    private static final TreeShape[] SHAPES = {
        new TreeShape(3, 10, 8 << 10, 64 << 10, 512, 1024),
        new TreeShape(
                6, 2, 10 << 10, 16 << 10, 24, 1024), // last files of levels are not full, nor are their last blocks
        new TreeShape(3, 3, 6 << 10, 8 << 10, 1024, 2048),
        new TreeShape(1, 2, 64, 4 << 10, 8, 64) // one entry
    };

    private static final List<FilterKind> KINDS = List.of(FilterKind.values());

    @TempDir
    private Path directory;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());

    @Test
    void shouldFindEachKeyAtItsLevelAndNoOther() throws IOException {
        System.out.println("SstTreeTest: -Dloom.test.seed=" + seed);
        final SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < SHAPES.length; i++) {
            final TreeShape shape = SHAPES[i];
            final Path files = Files.createDirectory(directory.resolve("tree" + i));
            BulkLoad.into(files, shape);
            final Map<byte[], Integer> levels = levels(shape);
            assertEquals(shape.dataBytes(shape.levels()) / shape.entryLength(), levels.size(), "keys differ");
            final List<byte[]> absent = new ArrayList<>();
            for (int j = 0; j < 2_000; j++) {
                absent.add(key(shape, KeySpace.absent(random.nextLong())));
            }
            final FilterKind kind = KINDS.get(random.nextInt(KINDS.size()));
            for (final BlockAccess access : accesses(files)) {
                try (SstTree tree = SstTree.open(files, shape, access)) {
                    for (final HashUse use : HashUse.values()) {
                        final TreeFilters filters = new TreeFilters(shape, kind, 4, use);
                        final Lookup lookup = new Lookup(tree, filters, use, shape.levels());
                        levels.forEach((key, level) -> assertEquals(level, lookup.find(key)));
                        absent.forEach(key -> assertEquals(Lookup.NOWHERE, lookup.find(key)));
                    }
                }
            }
        }
    }

    /** Direct reads where the file system of the temporary directory has them. */
    private static List<BlockAccess> accesses(Path files) throws IOException {
        final List<BlockAccess> accesses = new ArrayList<>(List.of(BlockAccess.BUFFERED, BlockAccess.MAPPED));
        try (BlockAccess.OpenedBlocks blocks = BlockAccess.DIRECT.open(SstTree.path(files, 0, 0))) {
            assertTrue(blocks != null);
            accesses.add(BlockAccess.DIRECT);
        } catch (final IOException | UnsupportedOperationException e) {
            System.out.println("SstTreeTest: no direct reads here: " + e.getMessage());
        }
        return accesses;
    }

    private static Map<byte[], Integer> levels(TreeShape shape) {
        final KeySpace keys = new KeySpace(shape);
        final Map<byte[], Integer> levels = new TreeMap<>(Arrays::compareUnsigned);
        for (int level = 0; level < shape.levels(); level++) {
            for (long i = 0; i < shape.entries(level); i++) {
                levels.put(key(shape, keys.number(level, i)), level);
            }
        }
        return levels;
    }

    private static byte[] key(TreeShape shape, long number) {
        final byte[] key = new byte[shape.keyLength()];
        KeySpace.write(number, key);
        return key;
    }

    /** Keys at the edges of files and blocks, and beside them, asked of the files without a filter. */
    @Test
    void shouldFindTheFileAndTheBlockAtTheirEdges() throws IOException {
        final TreeShape shape = SHAPES[1];
        BulkLoad.into(directory, shape);
        final KeySpace keys = new KeySpace(shape);
        final BlockFetch fetch = new BlockFetch();
        try (SstTree tree = SstTree.open(directory, shape, BlockAccess.BUFFERED)) {
            for (int level = 0; level < shape.levels(); level++) {
                final TreeMap<Long, Integer> files = new TreeMap<>(); // of each key's number, its file
                for (long i = 0; i < shape.entries(level); i++) {
                    files.put(keys.number(level, i), (int) (i / shape.entriesPerFile()));
                }
                final List<Long> asked = new ArrayList<>(List.of(0L, Long.MAX_VALUE));
                for (final long number : files.keySet()) {
                    asked.addAll(List.of(number - 1, number, number + 1));
                }
                for (final long number : asked) {
                    final byte[] key = key(shape, number);
                    final int file = tree.level(level).fileOf(key);
                    final Map.Entry<Long, Integer> floor = files.floorEntry(number);
                    final Map.Entry<Long, Integer> ceiling = files.ceilingEntry(number);
                    final boolean covered =
                            floor != null && ceiling != null && floor.getValue().equals(ceiling.getValue());
                    assertEquals(covered ? floor.getValue() : SstLevel.NO_FILE, file, "number=" + number);
                    if (covered) {
                        assertEquals(
                                files.containsKey(number),
                                tree.level(level).file(file).contains(key, fetch),
                                "number=" + number);
                    }
                }
            }
        }
    }

    @Test
    void shouldWriteKeysAndValuesInOrder() throws IOException {
        final TreeShape shape = SHAPES[0];
        BulkLoad.into(directory, shape);
        final KeySpace keys = new KeySpace(shape);
        final byte[] file = Files.readAllBytes(SstTree.path(directory, 2, 1));
        byte[] before = {};
        for (int i = 0; i < shape.entriesOfFile(2, 1); i++) {
            final int offset = i / 4 * 4096 + i % 4 * 1024;
            final byte[] key = Arrays.copyOfRange(file, offset, offset + 512);
            assertTrue(Arrays.compareUnsigned(before, key) < 0, "index=" + i);
            final byte[] value = new byte[512];
            KeySpace.write(~keys.number(2, i + shape.entriesPerFile()), value);
            assertEquals(ByteBuffer.wrap(value), ByteBuffer.wrap(file, offset + 512, 512), "index=" + i);
            before = key;
        }
    }

    @Test
    void shouldRefuseWhatIsNoFileOfTheTree() throws IOException {
        final TreeShape shape = SHAPES[2];
        BulkLoad.into(directory, shape);
        try (RandomAccessFile file =
                new RandomAccessFile(SstTree.path(directory, 1, 0).toFile(), "rw")) {
            file.setLength(file.length() - TreeShape.BLOCK_LENGTH);
        }
        assertThrows(UncheckedIOException.class, () -> SstTree.open(directory, shape, BlockAccess.BUFFERED));
        assertThrows(IllegalArgumentException.class, () -> new TreeShape(3, 10, 4096, 4096, 512, 1000));
        assertThrows(IllegalArgumentException.class, () -> new TreeShape(3, 10, 4096, 4096, 12, 1024));
    }

    @Test
    void shouldRefuseFiltersOfOtherDigests() {
        final TreeShape shape = SHAPES[3];
        BulkLoad.into(directory, shape);
        try (SstTree tree = SstTree.open(directory, shape, BlockAccess.BUFFERED)) {
            final TreeFilters filters = new TreeFilters(shape, FilterKind.STANDARD, 10, HashUse.SEEDED);
            assertThrows(IllegalArgumentException.class, () -> new Lookup(tree, filters, HashUse.SHARED, 1));
        }
    }
}
