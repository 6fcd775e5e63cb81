package dev.loom.bench.lsm;

/** Computes each digest of a key once, for all levels: the paper's hash sharing. */
final class SharedDigests extends KeyDigests {
    private final long[] unitDigests = new long[UNITS];
    private byte[] key = {};
    private long digest;
    private long secondDigest;
    private boolean hasSecond;
    private int unitsKnown;

    @Override
    void start(byte[] next) {
        key = next;
        digest = Murmur.hash64(next, 0);
        hasSecond = false;
        unitsKnown = 0;
    }

    @Override
    long of(int level) {
        return digest;
    }

    @Override
    long second(int level) {
        if (!hasSecond) {
            secondDigest = XxHash.hash64(key, 0);
            hasSecond = true;
        }
        return secondDigest;
    }

    @Override
    long ofUnit(int level, int unit) {
        if (unit == 0) {
            return digest;
        }
        while (unitsKnown < unit) { // units are asked in their order
            unitsKnown++;
            unitDigests[unitsKnown] = Murmur.hash64(key, unitsKnown);
        }
        return unitDigests[unit];
    }
}
