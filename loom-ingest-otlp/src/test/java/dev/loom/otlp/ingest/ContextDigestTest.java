package dev.loom.otlp.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.ByteOrder;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The digest against values that SipHash's authors published, and against itself. */
class ContextDigestTest {
    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void shouldBeSipHash() {
        UnsafeBuffer counting = new UnsafeBuffer(new byte[16]);
        for (int i = 0; i < counting.capacity(); i++) {
            counting.putByte(i, (byte) i);
        }
        ContextDigest digest = new ContextDigest(
                counting.getLong(0, ByteOrder.LITTLE_ENDIAN), counting.getLong(8, ByteOrder.LITTLE_ENDIAN));
        digest.prefix(counting, 0);
        digest.digest(counting, 0);
        assertEquals("e6a825ba047f81a3 930255c71472f66d", text(digest));
        digest.digest(counting, 1);
        assertEquals("44af996bd8c187da 45fc229b11597634", text(digest));
    }

    @Test
    void shouldNotDependOnWhatWasReadAsCommonPrefix() {
        ContextDigest whole = new ContextDigest();
        ContextDigest parted = new ContextDigest();
        for (int round = 0; round < 2_000; round++) {
            byte[] bytes = new byte[1 + random.nextInt(100)];
            random.nextBytes(bytes);
            UnsafeBuffer buffer = new UnsafeBuffer(bytes);
            whole.prefix(buffer, 0);
            whole.digest(buffer, bytes.length);
            parted.prefix(buffer, random.nextInt(bytes.length + 1));
            parted.digest(buffer, bytes.length);
            assertEquals(text(whole), text(parted), () -> "seed=" + seed);
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            whole.prefix(buffer, 0);
            whole.digest(buffer, bytes.length);
            assertNotEquals(whole.low(), parted.low(), () -> "seed=" + seed);
            assertNotEquals(whole.high(), parted.high(), () -> "seed=" + seed);
        }
    }

    private static String text(ContextDigest digest) {
        return Long.toHexString(digest.low()) + ' ' + Long.toHexString(digest.high());
    }
}
