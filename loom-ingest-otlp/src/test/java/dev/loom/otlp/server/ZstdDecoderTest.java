package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.otlp.server.Refusal.Reason;
import io.airlift.compress.zstd.ZstdDecompressor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The decoder of Zstandard against other people's encoders and decoder. */
class ZstdDecoderTest {
    private static final int LENGTH_MAX = 4 << 20;
    private static final DecodeLimits LIMITS = new DecodeLimits(LENGTH_MAX, 1 << 20);
    private static final int MUTATIONS = Integer.getInteger("loom.otlp.mutations", 4_000);
    private static final int HEADER_LENGTH = 6; // has the window, which can be too large for the other decoder
    private static final String[] WORDS = {
        "checkout", "cart", "payment", "GET", "POST", "/api/v1/users", "timeout", "order"
    };

    @TempDir
    private Path folder;

    private final ZstdDecoder decoder = new ZstdDecoder();
    private InFlightBudget budget;

    @BeforeEach
    void open() throws IOException {
        budget = InFlightBudget.open(folder, 4 * LENGTH_MAX);
    }

    @AfterEach
    void close() {
        assertEquals(0, budget.used());
        budget.close();
    }

    /**
     * {@code levels.zst} is one file behind another, as {@code zstd} 1.5.4 makes them of {@code text(140_000)} with {@code --fast=5},
     * {@code -1}, {@code -3 --no-check}, {@code -9}, {@code -19}, {@code -19 --no-content-size} (from a pipe).
     */
    @Test
    void shouldDecodeWhatTheNativeLibraryEncodes() throws Exception {
        byte[] text = text(140_000);
        byte[] decoded = decode(resource("levels.zst"));
        assertEquals(6 * text.length, decoded.length);
        for (int i = 0; i < 6; i++) {
            assertArrayEquals(text, Arrays.copyOfRange(decoded, i * text.length, (i + 1) * text.length), "frame=" + i);
        }
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = ZstdDecoderTest.class.getResourceAsStream(name)) {
            return in.readAllBytes();
        }
    }

    /** Blocks that were ended early, of {@code zstd -3 --target-compressed-block-size=1340}. */
    @Test
    void shouldDecodeManySmallBlocks() throws Exception {
        assertArrayEquals(text(140_000), decode(resource("small-blocks.zst")));
    }

    /** The tree of a body before, perhaps another client's, is not for this one. */
    @Test
    void shouldRefuseABlockThatNeedsTheTreeOfAnEarlierBody() throws Exception {
        byte[] several = resource("small-blocks.zst");
        decode(several);
        ByteBuffer blocks = ByteBuffer.wrap(several).order(ByteOrder.LITTLE_ENDIAN);
        int tried = 0;
        for (int at = headerLength(several); at + 3 <= several.length; ) {
            int header = blocks.getInt(at) & 0xFFFFFF;
            int type = (header >>> 1) & 3;
            int length = type == 1 ? 1 : header >>> 3;
            if (type == 2 && (several[at + 3] & 3) == 3) {
                ByteBuffer alone = ByteBuffer.allocate(9 + length).order(ByteOrder.LITTLE_ENDIAN);
                alone.putInt(blocks.getInt(0)).put((byte) 0).put((byte) 0x50); // with a window of 1 MiB
                alone.put((byte) (header | 1)).put((byte) (header >>> 8)).put((byte) (header >>> 16));
                alone.put(several, at + 3, length);
                RefusalException refused = assertThrows(RefusalException.class, () -> decode(alone.array()));
                assertTrue(refused.getMessage().contains("no block before has a tree"), refused.getMessage());
                tried++;
            }
            at += 3 + length;
            if ((header & 1) != 0) {
                break;
            }
        }
        assertTrue(tried > 3, "tried=" + tried);
    }

    private static int headerLength(byte[] frame) {
        int lengthCode = (frame[4] & 0xFF) >>> 6;
        boolean singleSegment = (frame[4] & 32) != 0;
        int length = lengthCode == 0 ? (singleSegment ? 1 : 0) : 1 << lengthCode;
        return 5 + (singleSegment ? 0 : 1) + length;
    }

    @Test
    void shouldDecodeWhatAnotherLibraryEncodes() throws Exception {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < 300; i++) {
            byte[] bytes = random(random, random.nextInt(1 << random.nextInt(20)));
            assertArrayEquals(bytes, decode(TestRequests.zstd(bytes)), "seed=" + seed + ", i=" + i);
        }
    }

    @Test
    void shouldDecodeMutationsAsTheLibraryDoesOrRefuseThem() throws Exception {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        byte[][] originals = new byte[20][];
        for (int i = 0; i < originals.length; i++) {
            originals[i] = withoutChecksum(TestRequests.zstd(text(30 + (1 << (i * 17 / originals.length)))));
        }
        int taken = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] mutated = originals[random.nextInt(originals.length)].clone();
            for (int change = random.nextInt(2); change >= 0; change--) {
                int end = random.nextBoolean() ? mutated.length : Math.min(200, mutated.length);
                mutated[HEADER_LENGTH + random.nextInt(end - HEADER_LENGTH)] ^= (byte) (1 << random.nextInt(8));
            }
            byte[] decoded;
            try {
                decoded = decode(mutated);
            } catch (RefusalException e) {
                assertTrue(e.refusal().reason() != Reason.UNAVAILABLE, "seed=" + seed + ", i=" + i);
                continue;
            }
            taken++;
            byte[] expected = new byte[decoded.length];
            int length = new ZstdDecompressor().decompress(mutated, 0, mutated.length, expected, 0, expected.length);
            assertEquals(decoded.length, length, "seed=" + seed + ", i=" + i);
            assertArrayEquals(expected, decoded, "seed=" + seed + ", i=" + i);
        }
        assertTrue(taken > MUTATIONS / 10 && taken < MUTATIONS * 9 / 10, "seed=" + seed + ", taken=" + taken);
        System.out.println("row=R29 faults=" + MUTATIONS + " checked=" + taken + " seed=" + seed);
    }

    private byte[] decode(byte[] encoded) throws RefusalException {
        try (Region body = budget.reserve(encoded.length);
                Region decoded = budget.reserve(1)) {
            body.append(ByteBuffer.wrap(encoded));
            decoder.decode(body.filled(), decoded, LIMITS);
            byte[] bytes = new byte[decoded.length()];
            decoded.filled().get(bytes);
            return bytes;
        }
    }

    /** Else nearly every change would be found by it. */
    private static byte[] withoutChecksum(byte[] frame) {
        assertEquals(4, frame[4] & 4);
        byte[] without = Arrays.copyOf(frame, frame.length - 4);
        without[4] &= ~4;
        return without;
    }

    private static byte[] random(Random random, int length) {
        byte[] bytes = text(length);
        for (int i = random.nextInt(5); i > 0; i--) {
            int from = random.nextInt(length + 1);
            byte[] other = new byte[random.nextInt(length - from + 1)];
            if (random.nextBoolean()) {
                random.nextBytes(other);
            }
            System.arraycopy(other, 0, bytes, from, other.length);
        }
        return bytes;
    }

    private static byte[] text(int length) {
        Random random = new Random(5);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        while (out.size() < length) {
            String word = WORDS[random.nextInt(6) == 0 ? random.nextInt(WORDS.length) : 0];
            String number = random.nextInt(50) == 0 ? " " + random.nextLong() : "";
            String line = out.size() / 200 + " " + word + " is a line of a log" + number + "\n";
            out.writeBytes(line.getBytes(StandardCharsets.US_ASCII));
        }
        return Arrays.copyOf(out.toByteArray(), length);
    }
}
