package dev.loom.bench.lsm;

import dev.loom.filter.TokenFilter;

/** ESTELLE's Log Bloom filter, that of the text index: four bits of one field. Its size is a power of two, and a field. */
final class LogFilter implements SstFilter {
    /** The text index has no smaller filters. */
    private static final int SIZE_BITS_MIN = 3;

    private final TokenFilter filter;
    private final int sizeBits;

    /** Takes the size that is nearest to this number of bits, by their ratio. */
    LogFilter(double bits) {
        sizeBits = Math.max(SIZE_BITS_MIN, (int) Math.round(Math.log(bits / Byte.SIZE) / Math.log(2)));
        filter = new TokenFilter(sizeBits);
    }

    @Override
    public void add(KeyDigests digests, int level) {
        filter.add(digests.of(level));
    }

    @Override
    public boolean mayContain(KeyDigests digests, int level) {
        return filter.mayContain(digests.of(level));
    }

    @Override
    public long bits() {
        return (long) TokenFilter.length(sizeBits) * Byte.SIZE;
    }
}
