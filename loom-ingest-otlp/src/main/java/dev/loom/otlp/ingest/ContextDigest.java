package dev.loom.otlp.ingest;

import java.nio.ByteOrder;
import java.security.SecureRandom;
import org.agrona.DirectBuffer;

/**
 * The digest of a context: SipHash-2-4 of 128 bits over its parts, under a key that each process draws at random. So no client
 * can make two contexts of one digest, and chance does not. A part that successive contexts begin with is read once. Each is
 * a word of its tag and length, then its bytes, filled up with zeros to whole words. Reused; for one thread.
 */
final class ContextDigest {
    /** The most parts. */
    static final int PARTS_MAX = 4;

    private static final long KEY_LOW = new SecureRandom().nextLong();
    private static final long KEY_HIGH = new SecureRandom().nextLong();
    private static final int ROUNDS = 2;
    private static final int LAST_ROUNDS = 4;

    /** Four words of SipHash, and the length of what was read. */
    private static final int STATE_WORDS = 5;

    /** The state before the first part, and behind each. */
    private final long[] states = new long[(PARTS_MAX + 1) * STATE_WORDS];

    private long length;
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
        v0 = keyLow ^ 0x736f6d6570736575L;
        v1 = keyHigh ^ 0x646f72616e646f6dL ^ 0xee;
        v2 = keyLow ^ 0x6c7967656e657261L;
        v3 = keyHigh ^ 0x7465646279746573L;
        keep(0);
    }

    /**
     * Reads a part, which follows those before it. Parts behind it must be read again.
     *
     * @param index from 0
     * @param tag distinguishes it from other parts that may stand there
     */
    void part(int index, int tag, DirectBuffer buffer, int partLength) {
        restore(index);
        word((long) tag << Integer.SIZE | partLength);
        int end = partLength - partLength % Long.BYTES;
        for (int at = 0; at < end; at += Long.BYTES) {
            word(buffer.getLong(at, ByteOrder.LITTLE_ENDIAN));
        }
        if (end < partLength) {
            long rest = 0;
            for (int at = end; at < partLength; at++) {
                rest |= (buffer.getByte(at) & 0xFFL) << ((at - end) * Byte.SIZE);
            }
            word(rest);
        }
        keep(index + 1);
    }

    /** Computes the digest of the first parts. */
    void finish(int parts) {
        restore(parts);
        word(length << 56);
        v2 ^= 0xee;
        rounds(LAST_ROUNDS);
        low = v0 ^ v1 ^ v2 ^ v3;
        v1 ^= 0xdd;
        rounds(LAST_ROUNDS);
        high = v0 ^ v1 ^ v2 ^ v3;
    }

    private void keep(int part) {
        int at = part * STATE_WORDS;
        states[at] = v0;
        states[at + 1] = v1;
        states[at + 2] = v2;
        states[at + 3] = v3;
        states[at + 4] = length;
    }

    private void restore(int part) {
        int at = part * STATE_WORDS;
        v0 = states[at];
        v1 = states[at + 1];
        v2 = states[at + 2];
        v3 = states[at + 3];
        length = states[at + 4];
    }

    private void word(long word) {
        v3 ^= word;
        rounds(ROUNDS);
        v0 ^= word;
        length += Long.BYTES;
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
