package dev.loom.bench.lsm;

import java.util.Arrays;
import java.util.List;

/** A level: a sorted run of files, and the first key of each. */
final class SstLevel {
    static final int NO_FILE = -1;

    private final SstFile[] files;
    private final byte[] firstKeys;
    private final int keyLength;

    /** @param files in the order of their keys, at least one */
    SstLevel(List<SstFile> files, int keyLength) {
        this.files = files.toArray(SstFile[]::new);
        this.keyLength = keyLength;
        firstKeys = new byte[this.files.length * keyLength];
        for (int i = 0; i < this.files.length; i++) {
            System.arraycopy(this.files[i].firstKey(), 0, firstKeys, i * keyLength, keyLength);
        }
    }

    /** The file that covers a key, or {@link #NO_FILE}. */
    int fileOf(byte[] key) {
        int low = 0;
        int high = files.length - 1;
        while (low < high) { // the last file whose first key is not above the key
            final int middle = (low + high + 1) >>> 1;
            if (Arrays.compareUnsigned(firstKeys, middle * keyLength, (middle + 1) * keyLength, key, 0, keyLength)
                    <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return files[low].covers(key) ? low : NO_FILE;
    }

    SstFile file(int index) {
        return files[index];
    }
}
