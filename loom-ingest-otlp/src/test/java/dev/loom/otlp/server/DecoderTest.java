package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.otlp.server.Refusal.Reason;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DecoderTest {
    private static final int MIB = 1 << 20;
    private static final DecodeLimits LIMITS = new DecodeLimits(4 * MIB, 50);
    private static final int MUTATIONS = Integer.getInteger("loom.otlp.mutations", 4_000);

    @TempDir
    private Path folder;

    private final GzipDecoder gzip = new GzipDecoder();
    private final ZstdDecoder zstd = new ZstdDecoder();
    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private InFlightBudget budget;

    private interface Decoder {
        void decode(ByteBuffer in, Region out, DecodeLimits limits) throws RefusalException;
    }

    @BeforeEach
    void open() throws IOException {
        System.out.println("DecoderTest: -Dloom.test.seed=" + seed);
        budget = InFlightBudget.open(folder, 16 * MIB);
    }

    @AfterEach
    void close() {
        assertEquals(0, budget.used());
        budget.close();
        gzip.close();
    }

    @Test
    void shouldDecodeWhatOthersEncode() throws Exception {
        for (int length : new int[] {0, 1, 4095, 4096, 4097, 100_000, 4 * MIB}) {
            byte[] bytes = text(length);
            assertArrayEquals(bytes, decode(gzip::decode, TestRequests.gzip(bytes)));
            assertArrayEquals(bytes, decode(zstd::decode, TestRequests.zstd(bytes)));
            byte[] noise = new byte[length];
            random.nextBytes(noise);
            assertArrayEquals(noise, decode(gzip::decode, TestRequests.gzip(noise)));
            assertArrayEquals(noise, decode(zstd::decode, TestRequests.zstd(noise)));
        }
    }

    @Test
    void shouldDecodeSeveralMembersAndFrames() throws Exception {
        byte[] first = text(70_000);
        byte[] second = text(5);
        byte[] both = join(first, second);
        assertArrayEquals(both, decode(gzip::decode, join(TestRequests.gzip(first), TestRequests.gzip(second))));
        assertArrayEquals(both, decode(zstd::decode, join(TestRequests.zstd(first), TestRequests.zstd(second))));
        byte[] skippable = {0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3};
        byte[] between = join(TestRequests.zstd(first), join(skippable, TestRequests.zstd(second)));
        assertArrayEquals(both, decode(zstd::decode, between));
        assertArrayEquals(first, decode(zstd::decode, join(skippable, TestRequests.zstd(first))));
    }

    @Test
    void shouldSkipOptionalHeadersOfGzip() throws Exception {
        byte[] bytes = text(1000);
        byte[] plain = TestRequests.gzip(bytes);
        for (int flags = 0; flags < 32; flags++) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.write(plain, 0, 3);
            out.write(flags);
            out.write(plain, 4, 6);
            out.writeBytes((flags & 4) != 0 ? new byte[] {3, 0, 9, 9, 9} : new byte[0]);
            out.writeBytes((flags & 8) != 0 ? new byte[] {'n', 0} : new byte[0]);
            out.writeBytes((flags & 16) != 0 ? new byte[] {0} : new byte[0]);
            out.writeBytes((flags & 2) != 0 ? new byte[] {1, 2} : new byte[0]);
            int headerLength = out.size();
            out.write(plain, 10, plain.length - 10);
            assertArrayEquals(bytes, decode(gzip::decode, out.toByteArray()), "flags=" + flags);
            for (int length = 0; length < headerLength; length++) {
                byte[] cut = Arrays.copyOf(out.toByteArray(), length);
                assertRefused(Reason.MALFORMED, gzip::decode, cut);
            }
        }
    }

    @Test
    void shouldRefuseEveryTruncation() {
        byte[] bytes = text(3000);
        byte[] asGzip = TestRequests.gzip(bytes);
        for (int length = 0; length < asGzip.length; length++) {
            assertRefused(Reason.MALFORMED, gzip::decode, Arrays.copyOf(asGzip, length));
        }
        byte[] asZstd = TestRequests.zstd(bytes);
        for (int length = 0; length < asZstd.length; length++) {
            assertRefused(Reason.MALFORMED, zstd::decode, Arrays.copyOf(asZstd, length));
        }
    }

    @Test
    void shouldRefuseEveryChangedBitOfGzipThatTheJdkRefuses() throws Exception {
        byte[] bytes = text(500);
        byte[] encoded = TestRequests.gzip(bytes);
        for (int bit = 0; bit < 8 * encoded.length; bit++) {
            byte[] changed = encoded.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            boolean reserved = bit / 8 == 3 && bit % 8 >= 5;
            byte[] expected = null;
            try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(changed))) {
                expected = in.readAllBytes();
            } catch (IOException e) {
                // refused
            }
            // The JDK ignores reserved flags, and checks the header's sum, which then is one by chance.
            if (expected == null || reserved) {
                assertRefused(Reason.MALFORMED, gzip::decode, changed);
            } else {
                assertArrayEquals(expected, decode(gzip::decode, changed), "bit=" + bit);
            }
        }
    }

    @Test
    void shouldRefuseOtherChecksums() throws Exception {
        byte[] bytes = text(1000);
        byte[] asZstd = TestRequests.zstd(bytes);
        byte[] asGzip = TestRequests.gzip(bytes);
        for (int fromEnd = 1; fromEnd <= 4; fromEnd++) {
            asZstd[asZstd.length - fromEnd] ^= 1;
            assertRefused(Reason.MALFORMED, zstd::decode, asZstd);
            asZstd[asZstd.length - fromEnd] ^= 1;
            asGzip[asGzip.length - 4 - fromEnd] ^= 1;
            assertRefused(Reason.MALFORMED, gzip::decode, asGzip);
            asGzip[asGzip.length - 4 - fromEnd] ^= 1;
        }
        assertArrayEquals(bytes, decode(zstd::decode, asZstd));
        assertArrayEquals(bytes, decode(gzip::decode, asGzip));
    }

    @Test
    void shouldRefuseBombs() throws Exception {
        DecodeLimits large = new DecodeLimits(8 * MIB, 100_000);
        byte[] zeroes = new byte[9 * MIB];
        assertRefused(Reason.TOO_LARGE, gzip::decode, TestRequests.gzip(zeroes), large);
        assertRefused(Reason.TOO_LARGE, zstd::decode, TestRequests.zstd(zeroes), large);
        // By ratio: 50 here
        byte[] some = new byte[2 * MIB];
        assertRefused(Reason.TOO_LARGE, gzip::decode, TestRequests.gzip(some));
        assertRefused(Reason.TOO_LARGE, zstd::decode, TestRequests.zstd(some));
        assertArrayEquals(some, decode(gzip::decode, TestRequests.gzip(some), large));
        assertArrayEquals(some, decode(zstd::decode, TestRequests.zstd(some), large));
        // By the ratio so far, whatever comes later
        byte[] noise = new byte[100_000];
        random.nextBytes(noise);
        assertRefused(Reason.TOO_LARGE, gzip::decode, TestRequests.gzip(join(some, noise)));
        assertArrayEquals(join(noise, some), decode(gzip::decode, TestRequests.gzip(join(noise, some))));
        byte[] free = new byte[DecodeLimits.RATIO_FREE];
        assertArrayEquals(free, decode(gzip::decode, TestRequests.gzip(free)));
        assertArrayEquals(free, decode(zstd::decode, TestRequests.zstd(free)));
        // 4 bytes a block of 128 KiB of zeroes: 1 GiB in 32 KiB, by hand
        ByteBuffer runs = ByteBuffer.allocate(6 + 4 * 8192).order(ByteOrder.LITTLE_ENDIAN);
        runs.putInt(0xFD2FB528).put((byte) 0).put((byte) 0x58);
        for (int i = 0; i < 8192; i++) {
            int header = (128 << 10) << 3 | 1 << 1 | (i == 8191 ? 1 : 0);
            runs.put((byte) header)
                    .put((byte) (header >>> 8))
                    .put((byte) (header >>> 16))
                    .put((byte) 0);
        }
        assertRefused(Reason.TOO_LARGE, zstd::decode, runs.array());
    }

    @Test
    void shouldRefuseLyingLengths() {
        byte[] encoded = TestRequests.zstd(text(1000));
        // Single segment, length in two bytes: says 256 + 65,535, or 256
        assertEquals(0x60, encoded[4] & 0xE0);
        byte[] shorter = encoded.clone();
        shorter[5] = 0;
        shorter[6] = 0;
        assertRefused(Reason.MALFORMED, zstd::decode, shorter);
        byte[] gigantic = {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD, (byte) 0xE0, -1, -1, -1, -1, -1, -1, -1, 0x7F, 1, 0, 0
        };
        assertRefused(Reason.MALFORMED, zstd::decode, gigantic);
    }

    /** Within the least budget for a largest message of this length: content that can't be compressed, that can, and both orders. */
    @Test
    void shouldDecodeUpToTheLargestMessageInItsMemory() throws Exception {
        for (int max : new int[] {MIB, 2 * MIB + 4097}) {
            DecodeLimits limits = new DecodeLimits(max, 300);
            byte[] mixed = join(text(max / 2), noise(max - max / 2));
            byte[] swapped = join(noise(max / 3), text(max - max / 3));
            try (InFlightBudget exact = InFlightBudget.open(folder, 4 * max)) {
                for (byte[] bytes : List.of(text(max), noise(max), mixed, swapped)) {
                    for (byte[] encoded : List.of(TestRequests.gzip(bytes), members(bytes))) {
                        assertArrayEquals(bytes, decode(exact, gzip::decode, encoded, limits));
                    }
                    for (byte[] encoded : List.of(TestRequests.zstd(bytes), frames(bytes))) {
                        assertArrayEquals(bytes, decode(exact, zstd::decode, encoded, limits));
                    }
                    assertTrue(TestRequests.gzip(bytes).length <= DecodeLimits.encodedMax(max));
                    assertTrue(TestRequests.zstd(bytes).length <= DecodeLimits.encodedMax(max));
                    byte[] more = join(bytes, new byte[1]);
                    for (byte[] encoded : List.of(TestRequests.gzip(more), members(more))) {
                        assertTooLarge(exact, gzip::decode, encoded, limits);
                    }
                    for (byte[] encoded : List.of(TestRequests.zstd(more), frames(more))) {
                        assertTooLarge(exact, zstd::decode, encoded, limits);
                    }
                }
                assertEquals(0, exact.used());
            }
        }
    }

    @Test
    void shouldSayThatThereIsNoRoom() {
        byte[] bytes = text(3 * MIB);
        try (Region most = budget.reserve(14 * MIB)) {
            assertRefused(Reason.UNAVAILABLE, gzip::decode, TestRequests.gzip(bytes));
            assertRefused(Reason.UNAVAILABLE, zstd::decode, TestRequests.zstd(bytes));
            assertEquals(14 * MIB, most.capacity());
        }
    }

    @Test
    void shouldSurviveMutations() throws Exception {
        long seed = random.nextLong();
        Random mutations = new Random(seed);
        byte[][] originals = new byte[8][];
        for (int i = 0; i < originals.length; i++) {
            byte[] bytes = text(1 << (4 + 3 * i / 2));
            originals[i] = i % 2 == 0 ? TestRequests.zstd(bytes) : TestRequests.zstd(join(bytes, noise(300)));
        }
        int accepted = 0;
        try (Region before = budget.reserve(4096)) {
            before.append(ByteBuffer.wrap(new byte[4096]));
            for (int i = 0; i < MUTATIONS; i++) {
                byte[] mutated = originals[mutations.nextInt(originals.length)].clone();
                for (int change = mutations.nextInt(4); change >= 0; change--) {
                    mutated[mutations.nextInt(mutated.length)] = (byte) mutations.nextInt();
                }
                try (Region encoded = budget.reserve(mutated.length);
                        Region decoded = budget.reserve(1);
                        Region after = budget.reserve(4096)) {
                    encoded.append(ByteBuffer.wrap(mutated));
                    after.append(ByteBuffer.wrap(new byte[4096]));
                    try {
                        zstd.decode(encoded.filled(), decoded, LIMITS);
                        accepted++;
                    } catch (RefusalException e) {
                        assertTrue(e.refusal().reason() != Reason.UNAVAILABLE, "seed=" + seed + ", i=" + i);
                    }
                    assertEquals(0xC71C0011L, sum(after), "seed=" + seed + ", i=" + i);
                }
            }
            assertEquals(0xC71C0011L, sum(before), "seed=" + seed);
        }
        assertTrue(accepted < MUTATIONS, "seed=" + seed);
    }

    private byte[] text(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) ('a' + (i % 1000 < 500 ? random.nextInt(16) : i % 7));
        }
        return bytes;
    }

    private byte[] noise(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private byte[] decode(Decoder decoder, byte[] encoded) throws RefusalException {
        return decode(decoder, encoded, LIMITS);
    }

    private byte[] decode(Decoder decoder, byte[] encoded, DecodeLimits limits) throws RefusalException {
        return decode(budget, decoder, encoded, limits);
    }

    private static byte[] decode(InFlightBudget budget, Decoder decoder, byte[] encoded, DecodeLimits limits)
            throws RefusalException {
        try (Region body = budget.reserve(encoded.length);
                Region decoded = budget.reserve(encoded.length)) {
            assertTrue(body.append(ByteBuffer.wrap(encoded)));
            decoder.decode(body.filled(), decoded, limits);
            byte[] bytes = new byte[decoded.length()];
            decoded.filled().get(bytes);
            return bytes;
        }
    }

    private static long sum(Region region) {
        CRC32 sum = new CRC32();
        sum.update(region.filled());
        return sum.getValue();
    }

    private static byte[] members(byte[] bytes) {
        int third = bytes.length / 3;
        return join(
                TestRequests.gzip(Arrays.copyOf(bytes, third)),
                TestRequests.gzip(Arrays.copyOfRange(bytes, third, bytes.length)));
    }

    private static byte[] frames(byte[] bytes) {
        int third = bytes.length / 3;
        return join(
                TestRequests.zstd(Arrays.copyOf(bytes, third)),
                TestRequests.zstd(Arrays.copyOfRange(bytes, third, bytes.length)));
    }

    private static void assertTooLarge(InFlightBudget budget, Decoder decoder, byte[] encoded, DecodeLimits limits) {
        RefusalException refused = assertThrows(RefusalException.class, () -> decode(budget, decoder, encoded, limits));
        assertEquals(Reason.TOO_LARGE, refused.refusal().reason(), refused.getMessage());
    }

    private void assertRefused(Reason reason, Decoder decoder, byte[] encoded) {
        assertRefused(reason, decoder, encoded, LIMITS);
    }

    private void assertRefused(Reason reason, Decoder decoder, byte[] encoded, DecodeLimits limits) {
        RefusalException refused = assertThrows(
                RefusalException.class, () -> decode(decoder, encoded, limits), "length=" + encoded.length);
        assertEquals(reason, refused.refusal().reason(), refused.getMessage());
    }
}
