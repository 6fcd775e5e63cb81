package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.StoreVerifier;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Truncates compressed segments and flips their bits: records that are still served are right and in order, a flipped bit
 * takes those of one page at most, and what is missing is said, by queries and by a verification. {@code -Dloom.stride=1}
 * takes every length and every bit; the default a sample, denser at the beginning.
 */
@Timeout(value = 6, unit = TimeUnit.HOURS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CompressedDamageTest {
    private static final long SEED = 12;
    private static final int CHECKED = 40;
    private static final int PAGE = 1 << 16;
    private static final int SEGMENT = 2 * PAGE;
    private static final int STRIDE = Integer.getInteger("loom.stride", 1_009);
    /** Headers and directory of a segment of two pages. */
    private static final int BEGIN = 64 + 2 * 8 + 64;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    /** The first page of each record, none of which is longer than what is left of it. */
    private final List<Long> pages = new ArrayList<>();

    @TempDir
    Path temp;

    private Path store = Path.of("");
    private Path segment = Path.of("");
    private byte[] whole = {};
    private int damages;
    private long compared;

    @BeforeEach
    void makeStore() throws IOException {
        System.out.println("CompressedDamageTest -Dloom.test.seed=" + seed + " -Dloom.stride=" + STRIDE);
        store = temp.resolve("store");
        segment = store.resolve("record").resolve("00000000000000000000.seg");
        try (Loom loom = Loom.open(
                config().compressAfter(Duration.ZERO).compressionShare(1).build())) {
            int id = loom.defineSource(
                    "source", Formats.struct("seed:i64,source:u32,length:u32,sequence:i64,rest:bytes"));
            while (loom.info().records().tail() < 2 * SEGMENT) {
                // what follows the checked part can be compressed
                byte[] payload = Arrays.copyOf(
                        CheckedPayload.make(SEED, 0, pages.size(), CHECKED), CHECKED + random.nextInt(1_000));
                pages.add(loom.push(id, payload) / PAGE * PAGE);
            }
            loom.force();
            while (Files.size(segment) == SEGMENT) {
                LockSupport.parkNanos(1_000_000);
            }
        }
        whole = Files.readAllBytes(segment);
        assertEquals(0, missing());
        assertEquals(List.of(), problems());
    }

    private LoomConfig.Builder config() {
        return LoomConfig.at(store)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .segmentBytes(SEGMENT);
    }

    private List<String> problems() {
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(
                store, (file, offset, message) -> problems.add(file.getFileName() + "@" + offset + " " + message));
        return problems;
    }

    /** How many pages' records are missing: all of a page's or none, in either order, and never without a word. */
    private int missing() {
        long[] lost = {};
        for (Order order : Order.values()) {
            List<Long> found = new ArrayList<>();
            boolean complete;
            try (LoomReader reader = LoomReader.attach(store);
                    Snapshot snapshot = reader.snapshot();
                    QueryCursor cursor = RawScan.of(snapshot, 1).order(order).open()) {
                while (cursor.next()) {
                    found.add(sequence(cursor));
                    compared++;
                }
                complete = cursor.completeness().complete();
            }
            if (order == Order.NEWEST_FIRST) {
                Collections.reverse(found);
            }
            lost = pages.stream().mapToLong(Long::longValue).distinct().toArray();
            List<Long> left = new ArrayList<>();
            for (long page : lost) {
                long of = pages.stream().filter(each -> each == page).count();
                long there = found.stream()
                        .filter(each -> pages.get(each.intValue()) == page)
                        .count();
                assertTrue(there == 0 || there == of, "page=" + page + ", records=" + there + ", of=" + of);
                if (there == 0) {
                    left.add(page);
                }
            }
            assertEquals(found.stream().sorted().distinct().toList(), found, "order");
            assertEquals(left.isEmpty(), complete, "complete, except for pages " + left);
            lost = left.stream().mapToLong(Long::longValue).toArray();
        }
        return lost.length;
    }

    private static long sequence(QueryCursor cursor) {
        for (int i = CHECKED; i < cursor.length(); i++) {
            assertEquals(0, cursor.buffer().getByte(cursor.offset() + i), "a byte of a payload");
        }
        return CheckedPayload.check(SEED, 0, cursor.buffer(), cursor.offset(), CHECKED);
    }

    private void check(String how, boolean mayLoseAll) {
        damages++;
        try {
            int missing = missing();
            assertTrue(missing <= (mayLoseAll ? 2 : 1), "pages lost=" + missing);
            List<String> problems = problems();
            assertTrue(missing == 0 || !problems.isEmpty(), "no problem is found");
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(how + ", seed=" + seed, e);
        }
    }

    private boolean sampled(long number, int offset) {
        return STRIDE == 1 || number % STRIDE == 0 || (offset < BEGIN + 32 && random.nextInt(4) == 0);
    }

    private void tell(String row) {
        System.out.println("row=" + row + " faults=" + damages + " checked=" + compared + " seed=" + seed);
    }

    @Test
    void shouldNameOrBearAFlippedBit() throws IOException {
        try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            for (int offset = 0; offset < whole.length; offset++) {
                for (int bit = 0; bit < 8; bit++) {
                    if (sampled(offset * 8L + bit, offset)) {
                        channel.write(ByteBuffer.wrap(new byte[] {(byte) (whole[offset] ^ (1 << bit))}), offset);
                        check("flipped: offset=" + offset + ", bit=" + bit, false);
                        channel.write(ByteBuffer.wrap(whole, offset, 1), offset);
                    }
                }
            }
        }
        tell("R8");
        assertFalse(damages < 10);
    }

    @Test
    void shouldNameACut() throws IOException {
        try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            for (int length = whole.length - 1; length >= 0; length--) {
                if (sampled(length, length)) {
                    channel.truncate(length);
                    check("cut: length=" + length, true);
                    assertFalse(problems().isEmpty(), "length=" + length);
                    channel.write(ByteBuffer.wrap(whole, length, whole.length - length), length);
                }
            }
        }
        tell("R7");
        try (Stream<Path> files = Files.list(segment.getParent())) {
            assertTrue(files.count() > 1);
        }
    }
}
