package dev.loom.bench.lsm;

import static dev.loom.bench.lsm.TreeShape.BLOCK_LENGTH;

/**
 * The layout of a sorted file, all of it in blocks of 4 KiB.
 *
 * <pre>
 *   data blocks     entries in the order of their keys, as many as fit; key, then value
 *   fences          the first key of each data block, then the file's last key
 *   footer          magic (8), key length (4), entry length (4), entries (4)
 * </pre>
 *
 * <p>Filters are not in the file: a run builds several for the same files.
 */
final class SstDescriptor {
    static final long MAGIC = 0x4C6F6F6D53535430L; // LoomSST0
    static final int MAGIC_OFFSET = 0;
    static final int KEY_LENGTH_OFFSET = MAGIC_OFFSET + Long.BYTES;
    static final int ENTRY_LENGTH_OFFSET = KEY_LENGTH_OFFSET + Integer.BYTES;
    static final int ENTRIES_OFFSET = ENTRY_LENGTH_OFFSET + Integer.BYTES;

    private SstDescriptor() {}

    static int dataBlocks(int entries, int entryLength) {
        final int inBlock = BLOCK_LENGTH / entryLength;
        return (entries + inBlock - 1) / inBlock;
    }

    static int entryOffset(int entry, int entryLength) {
        final int inBlock = BLOCK_LENGTH / entryLength;
        return entry / inBlock * BLOCK_LENGTH + entry % inBlock * entryLength;
    }

    static int fencesLength(int dataBlocks, int keyLength) {
        return (dataBlocks + 1) * keyLength;
    }

    static int footerOffset(int dataBlocks, int keyLength) {
        final int fenceBlocks = (fencesLength(dataBlocks, keyLength) + BLOCK_LENGTH - 1) / BLOCK_LENGTH;
        return (dataBlocks + fenceBlocks) * BLOCK_LENGTH;
    }
}
