package dev.loom.bench.lsm;

import java.util.ArrayList;
import java.util.List;

/** What lookups of some keys do: the files that they visit, level by level, and the blocks that they read. */
final class LookupTrace {
    private final int[][] files;
    private final List<BlockFetch.Read> reads = new ArrayList<>();
    private final double visited;

    /** Looks all keys up. */
    LookupTrace(Lookup lookup, LookupKeys keys, int ofLevels) {
        files = new int[keys.count()][ofLevels];
        long sum = 0;
        for (int i = 0; i < files.length; i++) {
            lookup.trace(keys.key(i), files[i], reads);
            for (final int file : files[i]) {
                sum += file == SstLevel.NO_FILE ? 0 : 1;
            }
        }
        visited = (double) sum / files.length;
    }

    int[] files(int lookup) {
        return files[lookup];
    }

    List<BlockFetch.Read> reads() {
        return reads;
    }

    /** How many files a lookup visits, in the mean. */
    double visited() {
        return visited;
    }
}
