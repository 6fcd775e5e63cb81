package dev.loom.bench.lsm;

/** Bits, chosen by digests. */
final class BitArray {
    private final long[] words;
    private final long count;

    /** @param count 1 to 2^31 - 1 */
    BitArray(int count) {
        this.count = count;
        words = new long[(count + Long.SIZE - 1) / Long.SIZE];
    }

    /** The upper half of a digest, scaled to the number of bits: cheaper than a remainder. */
    private int index(long digest) {
        return (int) (((digest >>> Integer.SIZE) * count) >>> Integer.SIZE);
    }

    void set(long digest) {
        final int index = index(digest);
        words[index / Long.SIZE] |= 1L << index;
    }

    boolean get(long digest) {
        final int index = index(digest);
        return (words[index / Long.SIZE] & 1L << index) != 0;
    }

    long count() {
        return count;
    }
}
