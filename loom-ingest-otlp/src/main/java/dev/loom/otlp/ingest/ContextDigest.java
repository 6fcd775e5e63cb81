package dev.loom.otlp.ingest;

import java.nio.ByteOrder;
import java.security.SecureRandom;
import org.agrona.DirectBuffer;

/**
 * The digest of a context: SipHash-2-4 of 128 bits, under a key that each process draws at random. So no client can make two
 * contexts of one digest, and chance does not. Bytes that successive contexts begin with are read once. Reused; for one thread.
 */
final class ContextDigest {
    private static final long KEY_LOW = new SecureRandom().nextLong();
    private static final long KEY_HIGH = new SecureRandom().nextLong();
    private static final int ROUNDS = 2;
    private static final int LAST_ROUNDS = 4;

    private final long keyLow;
    private final long keyHigh;
    private int prefixLength;
    private long prefix0;
    private long prefix1;
    private long prefix2;
    private long prefix3;
    private long v0;
    private long v1;
    private long v2;
    private long v3;
    private long low;
    private long high;

    ContextDigest() {
        this(KEY_LOW, KEY_HIGH);
    }

    /** With a key of the caller's. */
    ContextDigest(long keyLow, long keyHigh) {
        this.keyLow = keyLow;
        this.keyHigh = keyHigh;
    }

    /** Reads the first bytes of a buffer, with which those of the digests to come begin too. */
    void prefix(DirectBuffer buffer, int length) {
        v0 = keyLow ^ 0x736f6d6570736575L;
        v1 = keyHigh ^ 0x646f72616e646f6dL ^ 0xee;
        v2 = keyLow ^ 0x6c7967656e657261L;
        v3 = keyHigh ^ 0x7465646279746573L;
        prefixLength = length - length % Long.BYTES;
        words(buffer, 0, prefixLength);
        prefix0 = v0;
        prefix1 = v1;
        prefix2 = v2;
        prefix3 = v3;
    }

    /** Computes the digest of the first bytes of a buffer; the earliest of them are those of {@link #prefix}. */
    void digest(DirectBuffer buffer, int length) {
        v0 = prefix0;
        v1 = prefix1;
        v2 = prefix2;
        v3 = prefix3;
        int end = length - length % Long.BYTES;
        words(buffer, prefixLength, end);
        long last = (long) length << 56;
        for (int i = end; i < length; i++) {
            last |= (buffer.getByte(i) & 0xFFL) << ((i - end) * Byte.SIZE);
        }
        v3 ^= last;
        rounds(ROUNDS);
        v0 ^= last;
        v2 ^= 0xee;
        rounds(LAST_ROUNDS);
        low = v0 ^ v1 ^ v2 ^ v3;
        v1 ^= 0xdd;
        rounds(LAST_ROUNDS);
        high = v0 ^ v1 ^ v2 ^ v3;
    }

    private void words(DirectBuffer buffer, int from, int to) {
        for (int at = from; at < to; at += Long.BYTES) {
            long word = buffer.getLong(at, ByteOrder.LITTLE_ENDIAN);
            v3 ^= word;
            rounds(ROUNDS);
            v0 ^= word;
        }
    }

    private void rounds(int count) {
        long a = v0;
        long b = v1;
        long c = v2;
        long d = v3;
        for (int i = 0; i < count; i++) {
            a += b;
            c += d;
            b = Long.rotateLeft(b, 13) ^ a;
            d = Long.rotateLeft(d, 16) ^ c;
            a = Long.rotateLeft(a, 32) + d;
            c += b;
            d = Long.rotateLeft(d, 21) ^ a;
            b = Long.rotateLeft(b, 17) ^ c;
            c = Long.rotateLeft(c, 32);
        }
        v0 = a;
        v1 = b;
        v2 = c;
        v3 = d;
    }

    /** The first half of the last digest. */
    long low() {
        return low;
    }

    /** The other half. */
    long high() {
        return high;
    }
}
