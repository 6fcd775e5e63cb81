package dev.loom.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.loom.BadDisk;
import dev.loom.error.StoreIoException;
import dev.loom.io.LenientStorage.Unread;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reading around bad blocks. The oracle is an array of what is there, with the filler where nothing is delivered. */
final class LenientStorageTest {
    private static final int BLOCK = 4096;
    private static final int BLOCKS = 60;
    private static final int LENGTH = BLOCKS * BLOCK - 1000;

    @TempDir
    Path temp;

    private final BadDisk disk = new BadDisk();
    private final byte[] bytes = new byte[LENGTH];
    private Path file;
    private Path witness;
    private LenientStorage lenient;

    @BeforeEach
    void write() throws IOException {
        new Random(1).nextBytes(bytes);
        file = Files.write(temp.resolve("file"), bytes);
        witness = Files.write(temp.resolve("witness"), bytes);
        lenient = LenientStorage.of(disk, witness);
    }

    private byte[] read(long from, int length) {
        try (LoomFile open = lenient.openToRead(file)) {
            ByteBuffer target = ByteBuffer.allocate(length + 10).position(5).limit(length + 5);
            int read = open.read(target, from);
            assertEquals(5 + read, target.position());
            assertEquals(length + 5, target.limit());
            return Arrays.copyOfRange(target.array(), 5, 5 + read);
        }
    }

    private void spoil(int block, byte[] expected) {
        disk.spoil(file, (long) block * BLOCK, BLOCK);
        Arrays.fill(expected, block * BLOCK, Math.min((block + 1) * BLOCK, LENGTH), LenientStorage.FILLER);
    }

    @Test
    void shouldReadAllButTheBadBlocks() {
        for (long seed = 1; seed <= 100; seed++) {
            Random random = new Random(seed);
            disk.recover();
            lenient = LenientStorage.of(disk, witness);
            byte[] expected = bytes.clone();
            for (int i = random.nextInt(10); i > 0; i--) {
                spoil(random.nextInt(BLOCKS), expected);
            }
            for (int i = 0; i < 20; i++) {
                int from = random.nextInt(LENGTH + 100);
                int length = random.nextInt(20 * BLOCK);
                int to = Math.max(from, Math.min(LENGTH, from + length));
                byte[] part = from > LENGTH ? new byte[0] : Arrays.copyOfRange(expected, from, to);
                assertArrayEquals(part, read(from, length), "seed=" + seed + ", from=" + from + ", length=" + length);
            }
        }
    }

    @Test
    void shouldTellWhatItDidNotRead() {
        byte[] expected = bytes.clone();
        for (int block : new int[] {3, 4, 5, 20, BLOCKS - 1}) {
            spoil(block, expected);
        }
        assertEquals(List.of(), lenient.unread(file, 0, Long.MAX_VALUE), "nothing was asked for");
        assertArrayEquals(expected, read(0, LENGTH));
        List<Unread> all = List.of(
                new Unread(file, 3 * BLOCK, 3 * BLOCK),
                new Unread(file, 20 * BLOCK, BLOCK),
                new Unread(file, (BLOCKS - 1) * BLOCK, BLOCK));
        assertEquals(all, lenient.unread(file, 0, Long.MAX_VALUE));
        assertEquals(all.subList(1, 2), lenient.unread(file, 6 * BLOCK, 20 * BLOCK));
        assertEquals(
                List.of(new Unread(file, 3 * BLOCK + 10, BLOCK)),
                lenient.unread(file, 3 * BLOCK + 10, BLOCK),
                "a part");
        assertEquals(List.of(), lenient.unread(witness, 0, Long.MAX_VALUE));
        assertSame(lenient, LenientStorage.of(lenient, file));
    }

    /** What was given up stays so, so that two who read it decide alike; a moment's failure gives nothing up. */
    @Test
    void shouldGiveUpABlockAfterSeveralFailuresAndForGood() {
        byte[] expected = bytes.clone();
        spoil(7, expected);
        disk.failuresMax = 5; // one of all that was asked for at once, four of the block
        assertArrayEquals(bytes, read(0, LENGTH));
        disk.failuresMax = Integer.MAX_VALUE;
        assertArrayEquals(expected, read(0, LENGTH));
        assertEquals(5 + 7, disk.failed.get());
        disk.recover();
        assertArrayEquals(expected, read(0, LENGTH));
        try (LoomFile open = lenient.openToWrite(file, false)) {
            open.write(ByteBuffer.wrap(bytes, 7 * BLOCK, BLOCK), 7L * BLOCK);
        }
        assertArrayEquals(bytes, read(0, LENGTH), "written again");
        assertEquals(List.of(), lenient.unread(file, 0, Long.MAX_VALUE));
    }

    /** The last of the failures is that of another block: the one that was asked for is not known to be bad. */
    @Test
    void shouldGiveUpNothingForAMomentWithoutTheDisk() {
        for (int failures = 1; failures <= 12; failures++) {
            disk.recover();
            disk.failed.set(0);
            disk.failuresMax = failures;
            disk.spoil(file, 0, LENGTH);
            assertArrayEquals(bytes, read(0, LENGTH), "failures=" + failures);
            assertEquals(List.of(), lenient.unread(file, 0, Long.MAX_VALUE));
        }
    }

    @Test
    void shouldForgetWhatIsNotThereAnyMore() {
        List<Runnable> removals = new ArrayList<>(List.of(
                () -> lenient.rename(file, temp.resolve("other")), () -> lenient.delete(file), () -> {
                    try (LoomFile open = lenient.openToWrite(file, false)) {
                        open.truncate(7 * BLOCK - 5);
                    }
                }));
        for (Runnable removal : removals) {
            Storage.DISK.openToWrite(file, false).close();
            try (LoomFile open = Storage.DISK.openToWrite(file, false)) {
                open.write(ByteBuffer.wrap(bytes), 0);
            }
            spoil(7, bytes.clone());
            read(0, LENGTH);
            assertEquals(1, lenient.unread(file, 0, Long.MAX_VALUE).size());
            disk.recover();
            removal.run();
            assertEquals(List.of(), lenient.unread(file, 0, Long.MAX_VALUE));
        }
    }

    @Test
    void shouldFailWhereTheDiskDeliversNothing() {
        disk.spoil(file, 0, LENGTH);
        assertThrows(StoreIoException.class, () -> read(0, LENGTH));
        assertThrows(StoreIoException.class, () -> read(9 * BLOCK, BLOCK));
        assertEquals(List.of(), lenient.unread(file, 0, Long.MAX_VALUE));
        disk.recover();
        assertArrayEquals(bytes, read(0, LENGTH));
    }

    /** Which another file shows. */
    @Test
    void shouldGiveUpAllOfASmallFileWhereTheDiskWorks() throws IOException {
        Files.write(file, Arrays.copyOf(bytes, 2 * BLOCK));
        disk.spoil(file, 0, LENGTH);
        disk.spoil(witness, 0, LENGTH);
        assertThrows(StoreIoException.class, () -> read(0, 2 * BLOCK));
        disk.recover();
        disk.spoil(file, 0, LENGTH);
        byte[] filler = new byte[2 * BLOCK];
        Arrays.fill(filler, LenientStorage.FILLER);
        assertArrayEquals(filler, read(0, 2 * BLOCK));
    }
}
