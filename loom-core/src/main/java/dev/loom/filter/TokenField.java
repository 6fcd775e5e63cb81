package dev.loom.filter;

/**
 * Where a token's bits lie in a filter (ESTELLE, 3.2.1): four bits of one 8-byte field, so that a test reads one place. The first
 * {@code sizeBits} bits of the digest are the field's offset in bytes; the next nine choose two bits of its upper half, and the
 * nine after them two of its lower half.
 *
 * <p>The pairs of bits come from a table, as two numbers of five bits can be equal, which raises the rate of false positives by
 * half. Its 512 entries are the 496 pairs of 32 bits, in the order of their lower and then their upper bit, and 16 again: those
 * of bit i and bit i + 16, so that each bit comes up 32 times.
 */
final class TokenField {
    /** The bytes of a field. */
    static final int LENGTH = Long.BYTES;

    /** The least size of a filter: 8 bytes and a field. */
    static final int SIZE_BITS_MIN = 3;

    /** The greatest size of a filter: 1 GiB and a field. */
    static final int SIZE_BITS_MAX = 30;

    private static final int HALF = 32;
    private static final int PAIR_BITS = 9;
    private static final int PAIR_MASK = (1 << PAIR_BITS) - 1;
    private static final int[] PAIRS = pairs();

    private TokenField() {}

    private static int[] pairs() {
        int[] pairs = new int[1 << PAIR_BITS];
        int count = 0;
        for (int lower = 0; lower < HALF; lower++) {
            for (int upper = lower + 1; upper < HALF; upper++) {
                pairs[count++] = 1 << lower | 1 << upper;
            }
        }
        for (int lower = 0; lower < HALF / 2; lower++) {
            pairs[count++] = 1 << lower | 1 << (lower + HALF / 2);
        }
        return pairs;
    }

    /** The field's offset in a filter, 0 to 2^sizeBits - 1. */
    static int offset(long digest, int sizeBits) {
        return (int) (digest >>> (Long.SIZE - sizeBits));
    }

    /** The four bits in the field, read as a little-endian number. */
    static long mask(long digest, int sizeBits) {
        int shift = Long.SIZE - sizeBits - PAIR_BITS;
        int upper = PAIRS[(int) (digest >>> shift) & PAIR_MASK];
        int lower = PAIRS[(int) (digest >>> (shift - PAIR_BITS)) & PAIR_MASK];
        return (long) upper << HALF | Integer.toUnsignedLong(lower);
    }
}
