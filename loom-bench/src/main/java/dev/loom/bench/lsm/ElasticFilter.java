package dev.loom.bench.lsm;

/** An ElasticBF filter with all its units in memory: small filters of one index each, asked in turn until one says no. */
final class ElasticFilter implements SstFilter {
    /** Where the digests of units come from. */
    enum Source {
        /** Each unit hashes for itself. */
        OWN,
        /** From one digest, by rotation. */
        ROTATED,
        /** From two digests of different functions. */
        DOUBLE
    }

    private final BitArray[] units = new BitArray[KeyDigests.UNITS];
    private final Source source;

    ElasticFilter(int bits, Source source) {
        this.source = source;
        for (int i = 0; i < units.length; i++) {
            units[i] = new BitArray(Math.max(1, bits / units.length));
        }
    }

    @Override
    public void add(KeyDigests digests, int level) {
        if (source == Source.OWN) {
            for (int i = 0; i < units.length; i++) {
                units[i].set(digests.ofUnit(level, i));
            }
            return;
        }
        long digest = digests.of(level);
        final long step = step(digest, digests, level);
        for (final BitArray unit : units) {
            unit.set(digest);
            digest += step;
        }
    }

    @Override
    public boolean mayContain(KeyDigests digests, int level) {
        if (source == Source.OWN) {
            for (int i = 0; i < units.length; i++) {
                if (!units[i].get(digests.ofUnit(level, i))) {
                    return false;
                }
            }
            return true;
        }
        long digest = digests.of(level);
        final long step = step(digest, digests, level);
        for (final BitArray unit : units) {
            if (!unit.get(digest)) {
                return false;
            }
            digest += step;
        }
        return true;
    }

    private long step(long digest, KeyDigests digests, int level) {
        return source == Source.ROTATED ? Long.rotateLeft(digest, ROTATION) : digests.second(level);
    }

    @Override
    public long bits() {
        return units.length * units[0].count();
    }
}
