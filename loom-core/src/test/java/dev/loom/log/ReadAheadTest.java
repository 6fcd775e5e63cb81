package dev.loom.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.error.StoreIoException;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Walks over the pages of two compressed segments, each page of which is stored in as many bytes as its number asks for. */
final class ReadAheadTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int PAGES = 64;
    private static final int BLOCK = PageReader.BLOCK_PAGES;
    private static final long SEGMENT = (long) PAGES * PAGE;
    private static final int BEGIN = (int) CompressedSegment.begin(SEGMENT);

    @TempDir
    Path folder;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final ByteBuffer target = ByteBuffer.allocateDirect(BLOCK * PAGE);
    private final int[][] lengths = new int[2][PAGES];
    private final LoomFile[] files = new LoomFile[2];
    private int reads;
    /** A position that the disk does not deliver. */
    private long bad = -1;

    private CompressedPages pages;

    private final Storage storage = new HookedStorage() {
        @Override
        protected void onRead(Path file, long position, int length) {
            reads += position >= BEGIN ? 1 : 0;
            if (bad >= position && bad < position + length) {
                throw new StoreIoException("injected failure: file=" + file + ", position=" + position);
            }
        }
    };

    @BeforeEach
    void open() throws IOException {
        System.out.println("ReadAheadTest: -Dloom.test.seed=" + seed);
        PageDecoder decoder = (form, stored, page, offset) -> {
            byte first = stored.get(stored.position());
            boolean same = true;
            while (stored.hasRemaining()) {
                same &= stored.get() == first;
            }
            page.setMemory(offset, PAGE, first);
            return same;
        };
        Segments segments = new Segments(folder, SEGMENT, () -> decoder);
        pages = new CompressedPages(
                new LogView(LogKind.RECORD, 7, storage, segments, Watermarks.fixed(0, SEGMENT), null));
        for (int file = 0; file < 2; file++) {
            ByteBuffer bytes = ByteBuffer.allocate(BEGIN + (int) SEGMENT).order(ByteOrder.LITTLE_ENDIAN);
            int at = BEGIN;
            for (int page = 0; page < PAGES; page++) {
                boolean plain = random.nextInt(16) == 0;
                int length = plain ? PAGE : 15_000 + random.nextInt(10_000);
                lengths[file][page] = length;
                bytes.putLong(
                        (int) CompressedSegment.entryAt((long) page * PAGE),
                        CompressedSegment.entry(at, length, plain ? PageForm.PLAIN : PageForm.LZ4));
                Arrays.fill(bytes.array(), at, at + length, value(file, page));
                at += length;
            }
            Path path = folder.resolve("segment-" + file);
            Files.write(path, Arrays.copyOf(bytes.array(), at));
            files[file] = storage.openToRead(path);
        }
    }

    @AfterEach
    void close() {
        pages.close();
        for (LoomFile file : files) {
            file.close();
        }
    }

    private static byte value(int file, int page) {
        return (byte) (1 + file * PAGES + page);
    }

    private void read(int file, int page, int count) {
        target.clear().limit(count * PAGE);
        assertEquals(count * PAGE, pages.read(files[file], target, (long) page * PAGE));
        for (int i = 0; i < count; i++) {
            for (int at : new int[] {0, 1, PAGE / 2, PAGE - 1}) {
                assertEquals(
                        value(file, page + i),
                        target.get(i * PAGE + at),
                        "seed=" + seed + ", file=" + file + ", page=" + (page + i) + ", byte=" + at);
            }
        }
    }

    @Test
    void shouldReadAWalkNewestFirstInLargePieces() {
        for (int page = PAGES - BLOCK; page >= 0; page -= BLOCK) {
            read(0, page, BLOCK);
        }
        assertTrue(reads <= PAGES / 2, "reads=" + reads);
    }

    @Test
    void shouldReadAWalkOldestFirstInLargePieces() {
        for (int page = 0; page < PAGES; page += BLOCK) {
            read(0, page, BLOCK);
        }
        assertTrue(reads <= PAGES / 2, "reads=" + reads);
    }

    /** Single pages, which no walk asks for, are read by themselves. */
    @Test
    void shouldReadNothingAheadOfSinglePages() {
        for (int page : new int[] {40, 3, 41, 17}) {
            int before = reads;
            read(0, page, 1);
            assertEquals(before + 1, reads);
        }
    }

    /** A page that nobody asked for, but that would be read ahead; a reader asks again for its page alone. */
    @Test
    void shouldReadAPageByItselfWhereWhatIsAheadCannotBeRead() {
        read(0, 44, BLOCK);
        bad = BEGIN + Arrays.stream(lengths[0]).limit(40).asLongStream().sum() - 1; // the last byte of the page before
        assertThrows(StoreIoException.class, () -> read(0, 40, BLOCK));
        for (int page = 43; page >= 40; page--) {
            read(0, page, 1);
        }
        bad = -1;
        read(0, 36, BLOCK);
    }

    @Test
    void shouldReadTheRightPagesInAnyOrder() {
        int file = 0;
        int page = 0;
        for (int i = 0; i < 5_000; i++) {
            int count = random.nextBoolean() ? BLOCK : 1 + random.nextInt(BLOCK);
            switch (random.nextInt(8)) {
                case 0 -> page = random.nextInt(PAGES);
                case 1 -> file = random.nextInt(2);
                case 2, 3, 4 -> page += count;
                default -> page -= count;
            }
            page = Math.min(Math.max(page, 0), PAGES - count);
            read(file, page, count);
        }
    }
}
