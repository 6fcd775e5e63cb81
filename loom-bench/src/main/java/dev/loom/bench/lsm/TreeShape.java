package dev.loom.bench.lsm;

/**
 * The shape of a full tree.
 *
 * @param levels 1 to {@value #LEVELS_MAX}; level 0 here is the paper's level 1, the first on disk
 * @param ratio how many times the entries of a level the next one has
 * @param firstLevelBytes the bytes of level 0, which are those of the buffer in memory that was flushed to it
 * @param fileBytes the bytes of data in a file
 * @param keyLength bytes; a multiple of 8
 * @param entryLength bytes of key and value; a divisor of a block
 */
public record TreeShape(int levels, int ratio, long firstLevelBytes, int fileBytes, int keyLength, int entryLength) {
    static final int LEVELS_MAX = 15;

    /** The bytes of a data block, the unit of reading. */
    public static final int BLOCK_LENGTH = 4096;

    public TreeShape {
        final boolean right = levels > 0
                && levels <= LEVELS_MAX
                && ratio > 1
                && keyLength > 0
                && keyLength % Long.BYTES == 0
                && entryLength >= keyLength + Long.BYTES
                && BLOCK_LENGTH % entryLength == 0
                && fileBytes % BLOCK_LENGTH == 0
                && firstLevelBytes >= entryLength;
        if (!right) {
            throw new IllegalArgumentException("bad shape of a tree: levels=" + levels + ", ratio=" + ratio
                    + ", firstLevelBytes=" + firstLevelBytes + ", fileBytes=" + fileBytes + ", keyLength=" + keyLength
                    + ", entryLength=" + entryLength);
        }
    }

    long entries(int level) {
        long entries = firstLevelBytes / entryLength;
        for (int i = 0; i < level; i++) {
            entries *= ratio;
        }
        return entries;
    }

    int entriesPerFile() {
        return fileBytes / entryLength;
    }

    int entriesPerBlock() {
        return BLOCK_LENGTH / entryLength;
    }

    int files(int level) {
        return Math.toIntExact((entries(level) + entriesPerFile() - 1) / entriesPerFile());
    }

    /** The entries of a file; all but a level's last are full. */
    int entriesOfFile(int level, int file) {
        return (int) Math.min(entriesPerFile(), entries(level) - (long) file * entriesPerFile());
    }

    /** The bytes of the data of the first levels. */
    public long dataBytes(int ofLevels) {
        long entries = 0;
        for (int level = 0; level < ofLevels; level++) {
            entries += entries(level);
        }
        return entries * entryLength;
    }
}
