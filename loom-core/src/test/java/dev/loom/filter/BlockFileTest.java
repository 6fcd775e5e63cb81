package dev.loom.filter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.error.CorruptStoreException;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of checksummed blocks: what was written is read anywhere, and no changed byte is ever read. */
final class BlockFileTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final int BLOCK = BlockWriter.BLOCK_LENGTH;
    private static final int CONTENTS = BlockWriter.CONTENTS_LENGTH;
    private static final long KEY = 77;

    @TempDir
    Path temp;

    private final Random random = new Random(SEED);

    private byte[] write(Path path, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        try (LoomFile file = Storage.DISK.openToWrite(path, false)) {
            BlockWriter writer = new BlockWriter(file, KEY);
            int at = 0;
            while (at < length) {
                int next = Math.min(length - at, 1 + random.nextInt(3 * BLOCK));
                writer.put(buffer, at, next);
                at += next;
                assertEquals(at, writer.position());
            }
            writer.finish();
            assertEquals((length + CONTENTS - 1L) / CONTENTS * BLOCK, file.size());
        }
        return bytes;
    }

    private static byte[] read(Path path, long key, long position, int length) {
        UnsafeBuffer into = new UnsafeBuffer(new byte[length + 2]);
        try (LoomFile file = Storage.DISK.openToRead(path)) {
            BlockReader reader = new BlockReader(file, key, BlockReader.newBlocks());
            reader.read(position, into, 1, length);
            assertEquals(0, reader.bytesRead() % BLOCK);
            assertEquals(0, into.getByte(0) | into.getByte(length + 1), "nothing is written beside");
            return Arrays.copyOfRange(into.byteArray(), 1, length + 1);
        }
    }

    @Test
    void shouldReadWhatWasWritten() {
        for (int length :
                new int[] {0, 1, CONTENTS - 1, CONTENTS, CONTENTS + 1, 16 * CONTENTS, 16 * CONTENTS + 1, 100_000}) {
            Path path = temp.resolve("file-" + length);
            byte[] bytes = write(path, length);
            for (int i = 0; i < 50; i++) {
                int from = random.nextInt(length + 1);
                int to = from + random.nextInt(Math.min(length - from, 30_000) + 1);
                assertArrayEquals(
                        Arrays.copyOfRange(bytes, from, to),
                        read(path, KEY, from, to - from),
                        "seed=" + SEED + ", length=" + length + ", from=" + from + ", to=" + to);
            }
        }
    }

    @Test
    void shouldRefuseWhateverIsNotAsItWasWritten() throws IOException {
        Path path = temp.resolve("file");
        write(path, 3 * CONTENTS);
        byte[] whole = Files.readAllBytes(path);
        for (int i = 0; i < 300; i++) {
            byte[] changed = whole.clone();
            int at = random.nextInt(whole.length);
            changed[at] ^= (byte) (1 << random.nextInt(8));
            Files.write(path, changed);
            int block = at / BLOCK;
            CorruptStoreException e =
                    assertThrows(CorruptStoreException.class, () -> read(path, KEY, (long) block * CONTENTS, CONTENTS));
            assertEquals("block of filters is damaged: file=" + path + ", offset=" + block * BLOCK, e.getMessage());
            read(path, KEY, (block + 1L) % 3 * CONTENTS, CONTENTS);
        }
        for (int length = whole.length - 1; length >= 0; length -= 1 + random.nextInt(200)) {
            Files.write(path, Arrays.copyOf(whole, length));
            CorruptStoreException e = assertThrows(CorruptStoreException.class, () -> read(path, KEY, 0, 3 * CONTENTS));
            assertEquals(
                    "file of filters ends early: file=" + path + ", offset=" + length + ", expected block="
                            + length / BLOCK,
                    e.getMessage());
        }
    }

    @Test
    void shouldRefuseBlocksOfElsewhere() throws IOException {
        Path path = temp.resolve("file");
        write(path, 3 * CONTENTS);
        assertThrows(CorruptStoreException.class, () -> read(path, KEY + 1, 0, 1));
        byte[] copied = Files.readAllBytes(path);
        System.arraycopy(copied, BLOCK, copied, 0, BLOCK);
        Files.write(path, copied);
        assertThrows(CorruptStoreException.class, () -> read(path, KEY, 0, 1));
        read(path, KEY, CONTENTS, 1);
    }

    @Test
    void shouldLeaveNothingOfALongerFile() throws IOException {
        Path path = temp.resolve("file");
        Files.write(path, new byte[100_000]);
        write(path, 10);
        assertEquals(BLOCK, Files.size(path));
    }

    @Test
    void shouldReadNoMoreThanIsAsked() {
        Path path = temp.resolve("file");
        write(path, 20 * CONTENTS);
        try (LoomFile file = Storage.DISK.openToRead(path)) {
            BlockReader reader = new BlockReader(file, KEY, BlockReader.newBlocks());
            reader.read(5 * CONTENTS - 1, new UnsafeBuffer(new byte[2]), 0, 2);
            assertEquals(2 * BLOCK, reader.bytesRead());
            reader.read(5 * CONTENTS, new UnsafeBuffer(new byte[1]), 0, 0);
            assertTrue(reader.bytesRead() == 2 * BLOCK, "nothing is read for nothing");
        }
    }
}
