package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.StoreVerifier;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.IndexedText;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import dev.loom.query.where.Where;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Truncates the files of the text index of a closed store, and flips their bits: searches find what was put in, in either order,
 * and say nothing of damage to records, as there is none; a verification names the file. {@code -Dloom.stride=1} takes every
 * length and every bit; the default a sample, denser at the beginning.
 */
@Timeout(value = 6, unit = TimeUnit.HOURS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TextDamageTest {
    private static final int STRIDE = Integer.getInteger("loom.stride", 1_009);
    private static final int DENSE = 100;
    private static final int RECORDS = 400;

    /** What is sought, and which records have it. */
    private record Search(int source, Where where, IntPredicate expected) {
        Search(int source, String where, IntPredicate expected) {
            this(source, Where.parse(where), expected);
        }
    }

    private static final List<Search> SEARCHES = List.of(
            new Search(1, "line matches 'rare'", TextDamageTest::isRare),
            new Search(1, "line matches 'often AND rare'", i -> isRare(i) && isOften(i)),
            new Search(1, "line matches 'unfr*'", i -> i == 222),
            new Search(1, "line matches 'absent'", i -> false),
            new Search(2, "id == 'id-70'", i -> i == 70),
            new Search(2, "id == 'id-7000'", i -> false));

    @TempDir
    Path temp;

    private Path store = Path.of("");
    private final List<List<Long>> addresses = List.of(List.of(), new ArrayList<>(), new ArrayList<>());
    private long damages;
    private long compared;

    private static boolean isRare(int i) {
        return i % 100 == 50;
    }

    private static boolean isOften(int i) {
        return i % 4 < 3;
    }

    private static String line(int i) {
        return "line " + i + (isRare(i) ? " rare" : "") + (isOften(i) ? " often" : "")
                + (i == 222 ? " unfrequent" : "");
    }

    @BeforeEach
    void makeStore() {
        store = temp.resolve("store");
        try (Loom loom = Loom.open(LoomConfig.at(store)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .textIndexShare(1)
                .build())) {
            assertEquals(1, loom.defineSource("lines", Formats.text()));
            assertEquals(2, loom.defineSource("ids", Formats.json(), Map.of(IndexedText.ATTRIBUTE, "id:value")));
            for (int i = 0; i < RECORDS; i++) {
                push(loom, 1, line(i));
                push(loom, 2, "{\"id\":\"id-" + i + "\"}");
            }
            assertTrue(loom.finishTextIndex((done, total) -> true));
        }
        check(false);
        damages = 0;
        compared = 0;
    }

    private void push(Loom loom, int source, String payload) {
        addresses.get(source).add(loom.push(source, payload.getBytes(StandardCharsets.UTF_8)));
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(store.resolve("text"))) {
            List<Path> sorted = files.sorted().toList();
            assertEquals(2, sorted.size(), sorted::toString);
            return sorted;
        }
    }

    private void check(boolean damaged) {
        damages++;
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            for (Search search : SEARCHES) {
                List<Long> expected = new ArrayList<>();
                for (int i = 0; i < RECORDS; i++) {
                    if (search.expected.test(i)) {
                        expected.add(addresses.get(search.source).get(i));
                    }
                }
                assertEquals(expected, found(snapshot, search, Order.OLDEST_FIRST), search::toString);
                Collections.reverse(expected);
                assertEquals(expected, found(snapshot, search, Order.NEWEST_FIRST), search::toString);
            }
        }
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(store, (file, offset, message) -> problems.add(file + ": " + message));
        assertEquals(damaged ? 1 : 0, problems.size(), problems::toString);
        assertTrue(!damaged || problems.get(0).contains(".units3"), problems::toString);
    }

    private List<Long> found(Snapshot snapshot, Search search, Order order) {
        List<Long> found = new ArrayList<>();
        try (QueryCursor cursor = RawScan.of(snapshot, search.source)
                .where(search.where)
                .order(order)
                .open()) {
            while (cursor.next()) {
                found.add(cursor.address());
                compared++;
            }
            assertTrue(
                    cursor.completeness().complete(),
                    () -> cursor.completeness().toString());
        }
        return found;
    }

    private static boolean sampled(long number, int offset) {
        return number % STRIDE == 0 || (offset < DENSE && number % 7 == 0);
    }

    private void tell(String row) {
        System.out.println("row=" + row + " faults=" + damages + " checked=" + compared + " seed=0");
        assertTrue(damages > 10);
    }

    @Test
    void shouldFindTheSameWhenABitIsFlipped() throws IOException {
        for (Path file : files()) {
            byte[] whole = Files.readAllBytes(file);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                for (int offset = 0; offset < whole.length; offset++) {
                    for (int bit = 0; bit < 8; bit++) {
                        if (sampled(offset * 8L + bit, offset)) {
                            channel.write(ByteBuffer.wrap(new byte[] {(byte) (whole[offset] ^ (1 << bit))}), offset);
                            checkDamaged(file, "flipped: offset=" + offset + ", bit=" + bit);
                            channel.write(ByteBuffer.wrap(whole, offset, 1), offset);
                        }
                    }
                }
            }
        }
        tell("R8");
    }

    @Test
    void shouldFindTheSameWhenAFileIsCut() throws IOException {
        for (Path file : files()) {
            byte[] whole = Files.readAllBytes(file);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                for (int length = whole.length - 1; length >= 0; length--) {
                    if (sampled(length, length)) {
                        channel.truncate(length);
                        checkDamaged(file, "cut: length=" + length);
                        channel.write(ByteBuffer.wrap(whole, length, whole.length - length), length);
                    }
                }
            }
        }
        tell("R7");
    }

    private void checkDamaged(Path file, String how) {
        try {
            check(true);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("file=" + file.getFileName() + ", " + how, e);
        }
    }
}
