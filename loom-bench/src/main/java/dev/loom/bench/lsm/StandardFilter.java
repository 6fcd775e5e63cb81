package dev.loom.bench.lsm;

/** A Bloom filter whose indexes all come from one digest: i times the rotated digest is added to it. */
final class StandardFilter implements SstFilter {
    private final BitArray bits;
    private final int indexes;

    StandardFilter(int bits, int indexes) {
        this.bits = new BitArray(bits);
        this.indexes = indexes;
    }

    @Override
    public void add(KeyDigests digests, int level) {
        long digest = digests.of(level);
        final long step = Long.rotateLeft(digest, ROTATION);
        for (int i = 0; i < indexes; i++) {
            bits.set(digest);
            digest += step;
        }
    }

    @Override
    public boolean mayContain(KeyDigests digests, int level) {
        long digest = digests.of(level);
        final long step = Long.rotateLeft(digest, ROTATION);
        for (int i = 0; i < indexes; i++) {
            if (!bits.get(digest)) {
                return false;
            }
            digest += step;
        }
        return true;
    }

    @Override
    public long bits() {
        return bits.count();
    }
}
