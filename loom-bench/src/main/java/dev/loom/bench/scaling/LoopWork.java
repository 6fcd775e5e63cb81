package dev.loom.bench.scaling;

/**
 * Changes words of an array of 64 MiB, each at a place that the one before determines. Threads share the array without agreement: the
 * values don't matter.
 */
final class LoopWork implements NeighbourWork {
    private static final int WORDS = 1 << 23;
    private static final long MULTIPLIER = 6_364_136_223_846_793_005L;
    private static final long INCREMENT = 1_442_695_040_888_963_407L;

    private final long[] words = new long[WORDS];

    @Override
    public long step(long state) {
        long next = state;
        for (int i = 0; i < STEP; i++) {
            next = next * MULTIPLIER + INCREMENT;
            final int place = (int) (next >>> 41);
            words[place] ^= next;
            next += words[place] & 1;
        }
        return next;
    }

    @Override
    public void close() {}
}
