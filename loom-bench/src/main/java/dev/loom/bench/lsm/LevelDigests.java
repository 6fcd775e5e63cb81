package dev.loom.bench.lsm;

/** Computes a key's digest again at each level, as trees do whose filters hash for themselves. */
final class LevelDigests extends KeyDigests {
    private final long[] seeds = new long[TreeShape.LEVELS_MAX];
    private byte[] key = {};

    /** @param seeded whether each level has a hash function of its own; otherwise all compute the same digest */
    LevelDigests(boolean seeded) {
        for (int level = 0; seeded && level < seeds.length; level++) {
            seeds[level] = KeySpace.mix(level + 1);
        }
    }

    @Override
    void start(byte[] next) {
        key = next;
    }

    @Override
    long of(int level) {
        return Murmur.hash64(key, seeds[level]);
    }

    @Override
    long second(int level) {
        return XxHash.hash64(key, seeds[level]);
    }

    @Override
    long ofUnit(int level, int unit) {
        return Murmur.hash64(key, seeds[level] + unit);
    }
}
