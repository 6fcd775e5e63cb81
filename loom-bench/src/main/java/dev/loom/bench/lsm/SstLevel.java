package dev.loom.bench.lsm;

import java.util.Arrays;
import java.util.List;

/**
 * A level: a sorted run of files, and the first and last key of each. The search looks at the keys' first 8 bytes, which lie side by
 * side in an array of their own, and at whole keys where these are equal: a step among long keys is a miss of the cache.
 */
final class SstLevel {
    static final int NO_FILE = -1;

    private final SstFile[] files;
    private final long[] firstPrefixes;
    private final long[] lastPrefixes;
    private final byte[][] firstKeys;
    private final byte[][] lastKeys;

    /** @param files in the order of their keys, at least one */
    SstLevel(List<SstFile> files) {
        final int count = files.size();
        this.files = files.toArray(SstFile[]::new);
        firstPrefixes = new long[count];
        lastPrefixes = new long[count];
        firstKeys = new byte[count][];
        lastKeys = new byte[count][];
        for (int i = 0; i < count; i++) {
            firstKeys[i] = files.get(i).firstKey();
            lastKeys[i] = files.get(i).lastKey();
            firstPrefixes[i] = KeySpace.prefix(firstKeys[i]);
            lastPrefixes[i] = KeySpace.prefix(lastKeys[i]);
        }
    }

    /** The file that covers a key, or {@link #NO_FILE}. */
    int fileOf(byte[] key) {
        final long prefix = KeySpace.prefix(key);
        int low = 0;
        int high = files.length - 1;
        while (low < high) { // the last file whose first key is not above the key
            final int middle = (low + high + 1) >>> 1;
            if (compare(firstPrefixes[middle], firstKeys[middle], prefix, key) <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        final boolean covers = compare(firstPrefixes[low], firstKeys[low], prefix, key) <= 0
                && compare(lastPrefixes[low], lastKeys[low], prefix, key) >= 0;
        return covers ? low : NO_FILE;
    }

    private static int compare(long onePrefix, byte[] one, long otherPrefix, byte[] other) {
        final int prefixes = Long.compareUnsigned(onePrefix, otherPrefix);
        return prefixes == 0 ? Arrays.compareUnsigned(one, other) : prefixes;
    }

    SstFile file(int index) {
        return files[index];
    }
}
