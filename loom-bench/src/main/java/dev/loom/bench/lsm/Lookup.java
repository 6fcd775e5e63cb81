package dev.loom.bench.lsm;

import java.util.Arrays;
import java.util.List;

/** Finds keys in a tree's first levels: fence pointers, filter, block, from the first level to the last. */
public final class Lookup {
    /** The key is in no level. */
    public static final int NOWHERE = -1;

    private final SstLevel[] levels;
    private final SstFilter[][] filters;
    private final KeyDigests digests;
    private final BlockFetch fetch = new BlockFetch();

    /** @throws IllegalArgumentException if the filters were built from other digests than the use gives */
    public Lookup(SstTree tree, TreeFilters treeFilters, HashUse use, int ofLevels) {
        if (!treeFilters.serves(use)) {
            throw new IllegalArgumentException("filters were built from other digests: use=" + use);
        }
        levels = Arrays.copyOf(tree.levels(), ofLevels);
        filters = new SstFilter[ofLevels][];
        for (int level = 0; level < ofLevels; level++) {
            filters[level] = treeFilters.ofLevel(level);
        }
        digests = use.digests();
    }

    /** The level of a key, or {@link #NOWHERE}. */
    public int find(byte[] key) {
        digests.start(key);
        for (int level = 0; level < levels.length; level++) {
            final int file = levels[level].fileOf(key);
            if (file != SstLevel.NO_FILE
                    && filters[level][file].mayContain(digests, level)
                    && levels[level].file(file).contains(key, fetch)) {
                return level;
            }
        }
        return NOWHERE;
    }

    /**
     * Looks a key up, and notes what that takes.
     *
     * @param files gets the file of each level that covers the key, up to the level that has it; behind that,
     *     {@link SstLevel#NO_FILE}
     * @param reads gets the blocks that are read
     */
    void trace(byte[] key, int[] files, List<BlockFetch.Read> reads) {
        fetch.note(reads);
        final int found = find(key);
        fetch.note(null);
        final int last = found == NOWHERE ? levels.length - 1 : found;
        for (int level = 0; level < levels.length; level++) {
            files[level] = level <= last ? levels[level].fileOf(key) : SstLevel.NO_FILE;
        }
    }

    /** A lookup's hashing alone, for the files that it visits. */
    long hash(byte[] key, int[] files) {
        digests.start(key);
        long sum = 0;
        for (int level = 0; level < files.length; level++) {
            if (files[level] != SstLevel.NO_FILE) {
                sum += digests.of(level);
            }
        }
        return sum;
    }

    /** A lookup's hashing and probing alone. Returns how many filters did not say no. */
    int probe(byte[] key, int[] files) {
        digests.start(key);
        int passed = 0;
        for (int level = 0; level < files.length; level++) {
            if (files[level] != SstLevel.NO_FILE && filters[level][files[level]].mayContain(digests, level)) {
                passed++;
            }
        }
        return passed;
    }

    /** The reads of lookups alone. */
    void readAll(List<BlockFetch.Read> reads) {
        for (final BlockFetch.Read read : reads) {
            fetch.read(read.file(), read.number());
        }
    }
}
