package dev.loom;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.format.Formats;
import dev.loom.log.PageDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damage of a compressed segment is known as long as each byte of it is as it was set aside, and no longer. */
final class CompressedRepairTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int PAGES = 16;
    private static final int HEADER = 64;
    private static final int ENTRY = 8;
    private static final int SECOND_HEADER = HEADER + PAGES * ENTRY;

    @TempDir
    Path temp;

    private Path store = Path.of("");
    private Path segment = Path.of("");
    private byte[] whole = {};

    @BeforeEach
    void write() throws IOException {
        store = temp.resolve("store");
        segment = store.resolve("record").resolve("00000000000000000000.seg");
        Random random = new Random(1);
        try (Loom loom = Loom.open(StoreAccess.small(store)
                .segmentBytes(PAGES * PAGE)
                .minFreeBytes(0)
                .compressAfter(Duration.ZERO)
                .compressionShare(1)
                .build())) {
            int id = loom.defineSource("a", Formats.bytes());
            while (loom.info().records().tail() < 2 * PAGES * PAGE) {
                byte[] payload = new byte[1000];
                random.nextBytes(payload);
                Arrays.fill(payload, 0, random.nextInt(200, 800), (byte) 'x');
                assertTrue(loom.push(id, payload) > 0);
            }
            loom.force();
            while (loom.info().records().savedBytes() == 0) {
                LockSupport.parkNanos(1_000_000);
            }
        }
        whole = Files.readAllBytes(segment);
        assertTrue(whole.length < PAGES * PAGE, "bytes=" + whole.length);
        assertEquals(List.of(), problems());
    }

    private List<String> problems() {
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(store, (file, offset, message) -> problems.add(offset + " " + message.split(":", 2)[0]));
        return problems;
    }

    private long known() {
        return StoreVerifier.verify(store, (file, offset, message) -> {}).known();
    }

    /** The copies that a repair makes. */
    private List<byte[]> repair() {
        List<byte[]> copies = new ArrayList<>();
        StoreVerifier.repair(
                store,
                (file, offset, reason, copy) -> {
                    try {
                        copies.add(Files.readAllBytes(copy));
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                },
                (done, total) -> true);
        return copies;
    }

    private static byte[] flipped(byte[] bytes, int... offsets) {
        byte[] flipped = bytes.clone();
        for (int offset : offsets) {
            flipped[offset] ^= 1;
        }
        return flipped;
    }

    /** Writes the segment; returns how many problems of it are new. */
    private int news(byte[] bytes) throws IOException {
        Files.write(segment, bytes);
        return problems().size();
    }

    private long entry(int page) {
        return ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN).getLong(HEADER + page * ENTRY);
    }

    private int offset(int page) {
        return (int) (entry(page) & 0xff_ffff_ffffL);
    }

    private int length(int page) {
        return (int) (entry(page) >>> 40 & 0xf_ffff);
    }

    /** A page whose stored form lies on both sides of a multiple of a page's length in the file. */
    private int straddling() {
        int page = 1;
        while (offset(page) / PAGE == (offset(page) + length(page) - 1) / PAGE) {
            page++;
        }
        return page;
    }

    @Test
    void shouldSetAsideTheStoredFormAndEntryOfADamagedPage() throws IOException {
        int page = straddling();
        int from = offset(page);
        int to = from + length(page);
        int entry = HEADER + page * ENTRY;
        byte[] damaged = flipped(whole, from + 100);
        assertEquals(1, news(damaged));
        List<byte[]> copies = repair();
        assertEquals(2, copies.size());
        assertArrayEquals(Arrays.copyOfRange(damaged, entry, entry + ENTRY), copies.get(0));
        assertArrayEquals(Arrays.copyOfRange(damaged, from, to), copies.get(1));
        assertEquals(List.of(), problems());
        assertEquals(1, known());
        assertEquals(List.of(), repair());
        for (int at : new int[] {from, from + 99, to / PAGE * PAGE - 1, to / PAGE * PAGE, to - 1}) {
            assertEquals(1, news(flipped(damaged, at)), "byte=" + at);
            assertEquals(0, known(), "byte=" + at);
        }
        byte[] otherForm = damaged.clone();
        otherForm[entry + ENTRY - 1] ^= 0x30; // columns as one block
        assertEquals(1, news(otherForm));
        for (int at : new int[] {from - 1, to}) { // of the pages beside it
            assertEquals(1, news(flipped(damaged, at)), "byte=" + at);
            assertEquals(1, known(), "byte=" + at);
        }
        assertEquals(0, news(damaged));
    }

    @Test
    void shouldKnowOfAHeaderNoMoreThanTheHeader() throws IOException {
        byte[] damaged = flipped(whole, SECOND_HEADER + 20);
        assertEquals(1, news(damaged));
        assertArrayEquals(Arrays.copyOfRange(damaged, SECOND_HEADER, SECOND_HEADER + HEADER), repair().get(0));
        assertEquals(0, news(damaged));
        assertEquals(1, news(flipped(damaged, SECOND_HEADER + 40)));
        assertEquals(1, news(flipped(damaged, offset(0) + 50)), "the first page");
        assertEquals(1, known());
    }

    @Test
    void shouldKnowOfAWrongEntryNoMoreThanTheEntry() throws IOException {
        int entry = HEADER + 3 * ENTRY;
        byte[] damaged = flipped(whole, entry);
        assertTrue(news(damaged) >= 2);
        repair();
        assertEquals(0, news(damaged));
        long known = known();
        assertEquals(1, news(flipped(damaged, offset(0) + 50)), "another page");
        assertEquals(known, known());
        assertTrue(news(flipped(damaged, entry + 1)) > 0);
        assertTrue(news(flipped(damaged, entry + 5)) > 0);
    }

    @Test
    void shouldKnowBytesAfterTheEndToTheLast() throws IOException {
        byte[] damaged = Arrays.copyOf(whole, whole.length + 2 * PAGE + 10);
        assertEquals(1, news(damaged));
        assertArrayEquals(new byte[2 * PAGE + 10], repair().get(0));
        assertEquals(0, news(damaged));
        assertEquals(1, news(flipped(damaged, damaged.length - 1)));
        assertEquals(1, news(Arrays.copyOf(damaged, damaged.length + 1)));
        assertEquals(1, news(Arrays.copyOf(damaged, damaged.length - 1)));
        assertEquals(0, news(damaged));
    }
}
