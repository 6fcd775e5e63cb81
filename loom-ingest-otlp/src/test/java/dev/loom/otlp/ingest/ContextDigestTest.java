package dev.loom.otlp.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The digest against another SipHash, and that one against values that the authors published. */
class ContextDigestTest {
    /** The bytes from 0 to 15, as in the authors' examples. */
    private static final long KEY_LOW = 0x0706050403020100L;

    private static final long KEY_HIGH = 0x0f0e0d0c0b0a0908L;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    /** By words of four registers each, written after the paper, for any bytes. */
    private static String sipHash(long keyLow, long keyHigh, byte[] bytes) {
        long[] v = {
            keyLow ^ 0x736f6d6570736575L,
            keyHigh ^ 0x646f72616e646f6dL ^ 0xee,
            keyLow ^ 0x6c7967656e657261L,
            keyHigh ^ 0x7465646279746573L
        };
        ByteBuffer padded = ByteBuffer.allocate(bytes.length / Long.BYTES * Long.BYTES + Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        padded.put(bytes).put(padded.capacity() - 1, (byte) bytes.length).clear();
        while (padded.hasRemaining()) {
            long word = padded.getLong();
            v[3] ^= word;
            rounds(v, 2);
            v[0] ^= word;
        }
        v[2] ^= 0xee;
        rounds(v, 4);
        long low = v[0] ^ v[1] ^ v[2] ^ v[3];
        v[1] ^= 0xdd;
        rounds(v, 4);
        return text(low, v[0] ^ v[1] ^ v[2] ^ v[3]);
    }

    private static void rounds(long[] v, int count) {
        for (int i = 0; i < count; i++) {
            halfRound(v, 0, 1, 2, 3, 13, 16);
            halfRound(v, 2, 1, 0, 3, 17, 21);
        }
    }

    private static void halfRound(long[] v, int a, int b, int c, int d, int left, int right) {
        v[a] += v[b];
        v[c] += v[d];
        v[b] = Long.rotateLeft(v[b], left) ^ v[a];
        v[d] = Long.rotateLeft(v[d], right) ^ v[c];
        v[a] = Long.rotateLeft(v[a], 32);
    }

    @Test
    void shouldBeSipHashOfItsParts() {
        assertEquals("e6a825ba047f81a3 930255c71472f66d", sipHash(KEY_LOW, KEY_HIGH, new byte[0]));
        assertEquals("44af996bd8c187da 45fc229b11597634", sipHash(KEY_LOW, KEY_HIGH, new byte[1]));
        ContextDigest digest = new ContextDigest(KEY_LOW, KEY_HIGH);
        digest.finish(0);
        assertEquals("e6a825ba047f81a3 930255c71472f66d", text(digest));
        for (int round = 0; round < 2_000; round++) {
            int parts = 1 + random.nextInt(ContextDigest.PARTS_MAX);
            ByteBuffer whole = ByteBuffer.allocate(1_000).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < parts; i++) {
                byte[] part = bytes();
                int tag = random.nextInt(100);
                digest.part(i, tag, new UnsafeBuffer(part), part.length);
                whole.putInt(part.length).putInt(tag).put(part);
                whole.position(BitUtil.align(whole.position(), Long.BYTES));
            }
            digest.finish(parts);
            assertEquals(
                    sipHash(KEY_LOW, KEY_HIGH, Arrays.copyOf(whole.array(), whole.position())),
                    text(digest),
                    () -> "seed=" + seed);
        }
    }

    @Test
    void shouldGoOnBehindThePartsThatContextsHaveInCommon() {
        ContextDigest whole = new ContextDigest(KEY_LOW, KEY_HIGH);
        ContextDigest goingOn = new ContextDigest(KEY_LOW, KEY_HIGH);
        byte[][] parts = {bytes(), bytes(), bytes(), bytes()};
        for (int i = 0; i < parts.length; i++) {
            goingOn.part(i, i, new UnsafeBuffer(parts[i]), parts[i].length);
        }
        for (int round = 0; round < 2_000; round++) {
            int from = random.nextInt(parts.length);
            for (int i = 0; i < parts.length; i++) {
                if (i >= from) {
                    parts[i] = bytes();
                    goingOn.part(i, i, new UnsafeBuffer(parts[i]), parts[i].length);
                }
                whole.part(i, i, new UnsafeBuffer(parts[i]), parts[i].length);
            }
            int count = 1 + random.nextInt(parts.length);
            goingOn.finish(count);
            whole.finish(count);
            assertEquals(text(whole), text(goingOn), () -> "seed=" + seed);
        }
    }

    /** Bytes that move from one part to the next, other tags, and zeros at the end. */
    @Test
    void shouldTellPartsApart() {
        Set<String> digests = new HashSet<>();
        int contexts = 0;
        UnsafeBuffer zeros = new UnsafeBuffer(new byte[20]);
        for (int tag = 0; tag < 2; tag++) {
            for (int length = 0; length <= zeros.capacity(); length++) {
                ContextDigest digest = new ContextDigest();
                digest.part(0, 0, zeros, length);
                digest.part(1, tag, zeros, zeros.capacity() - length);
                digest.finish(2);
                digests.add(text(digest));
                contexts++;
            }
        }
        assertEquals(contexts, digests.size());
    }

    private byte[] bytes() {
        byte[] bytes = new byte[random.nextInt(100)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static String text(ContextDigest digest) {
        return text(digest.low(), digest.high());
    }

    private static String text(long low, long high) {
        return Long.toHexString(low) + ' ' + Long.toHexString(high);
    }
}
