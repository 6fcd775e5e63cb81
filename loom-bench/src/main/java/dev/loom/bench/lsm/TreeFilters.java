package dev.loom.bench.lsm;

/** The filters of a tree's files, one each, built from the keys that the files have. */
public final class TreeFilters {
    private final SstFilter[][] filters;
    private final HashUse use;
    private final double bitsPerKey;

    /** Builds filters for lookups of a use, and of those whose filters have the same bits. */
    public TreeFilters(TreeShape shape, FilterKind kind, double bitsPerKey, HashUse use) {
        this.use = use;
        filters = new SstFilter[shape.levels()][];
        final KeySpace keys = new KeySpace(shape);
        final KeyDigests digests = use.digests();
        final byte[] key = new byte[shape.keyLength()];
        long bits = 0;
        long entries = 0;
        for (int level = 0; level < shape.levels(); level++) {
            filters[level] = new SstFilter[shape.files(level)];
            long index = 0;
            for (int file = 0; file < filters[level].length; file++) {
                final int inFile = shape.entriesOfFile(level, file);
                final SstFilter filter = kind.create(inFile, bitsPerKey);
                for (int i = 0; i < inFile; i++) {
                    KeySpace.write(keys.number(level, index++), key);
                    digests.start(key);
                    filter.add(digests, level);
                }
                filters[level][file] = filter;
                bits += filter.bits();
                entries += inFile;
            }
        }
        this.bitsPerKey = (double) bits / entries;
    }

    SstFilter[] ofLevel(int level) {
        return filters[level];
    }

    /** The bits that they take, for each key. */
    public double bitsPerKey() {
        return bitsPerKey;
    }

    boolean serves(HashUse other) {
        return use.sameBitsAs(other);
    }
}
