package dev.loom.bench.lsm;

import static dev.loom.bench.lsm.TreeShape.BLOCK_LENGTH;

import dev.loom.bench.lsm.BlockAccess.OpenedBlocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/** A sorted file, with its fence pointers in memory. A lookup reads at most one block. */
final class SstFile implements AutoCloseable {
    private final OpenedBlocks blocks;
    private final int dataBlocks;
    private final int entries;
    private final int keyLength;
    private final int entryLength;
    private final byte[] fences;
    private final byte[] candidate;

    private SstFile(OpenedBlocks blocks, ByteBuffer footer, byte[] fences) {
        this.blocks = blocks;
        this.fences = fences;
        keyLength = footer.getInt(SstDescriptor.KEY_LENGTH_OFFSET);
        entryLength = footer.getInt(SstDescriptor.ENTRY_LENGTH_OFFSET);
        entries = footer.getInt(SstDescriptor.ENTRIES_OFFSET);
        dataBlocks = SstDescriptor.dataBlocks(entries, entryLength);
        candidate = new byte[keyLength];
    }

    static SstFile open(Path path, BlockAccess access) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            final ByteBuffer footer = ByteBuffer.allocate(BLOCK_LENGTH);
            readFully(channel, footer, channel.size() - BLOCK_LENGTH, path);
            if (footer.getLong(SstDescriptor.MAGIC_OFFSET) != SstDescriptor.MAGIC) {
                throw new IOException("file is not one of sorted entries: file=" + path);
            }
            final int keyLength = footer.getInt(SstDescriptor.KEY_LENGTH_OFFSET);
            final int dataBlocks = SstDescriptor.dataBlocks(
                    footer.getInt(SstDescriptor.ENTRIES_OFFSET), footer.getInt(SstDescriptor.ENTRY_LENGTH_OFFSET));
            final byte[] fences = new byte[SstDescriptor.fencesLength(dataBlocks, keyLength)];
            readFully(channel, ByteBuffer.wrap(fences), (long) dataBlocks * BLOCK_LENGTH, path);
            return new SstFile(access.open(path), footer, fences);
        }
    }

    private static void readFully(FileChannel channel, ByteBuffer into, long from, Path path) throws IOException {
        while (into.hasRemaining()) {
            if (channel.read(into, from + into.position()) < 0) {
                throw new IOException("file is cut off: file=" + path);
            }
        }
    }

    private int compareFence(int fence, byte[] key) {
        return Arrays.compareUnsigned(fences, fence * keyLength, (fence + 1) * keyLength, key, 0, keyLength);
    }

    byte[] firstKey() {
        return Arrays.copyOf(fences, keyLength);
    }

    byte[] lastKey() {
        return Arrays.copyOfRange(fences, dataBlocks * keyLength, (dataBlocks + 1) * keyLength);
    }

    int dataBlocks() {
        return dataBlocks;
    }

    /** A data block, until the next one is read. */
    ByteBuffer read(int block, BlockFetch fetch) {
        return fetch.read(blocks, block);
    }

    /** Whether the file has a key that lies within its first and last. */
    boolean contains(byte[] key, BlockFetch fetch) {
        int low = 0;
        int high = dataBlocks - 1;
        while (low < high) { // the last block whose first key is not above the key
            final int middle = (low + high + 1) >>> 1;
            if (compareFence(middle, key) <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        final ByteBuffer block = read(low, fetch);
        final int inBlock = BLOCK_LENGTH / entryLength;
        final int count = Math.min(inBlock, entries - low * inBlock);
        for (int i = 0; i < count; i++) {
            block.get(i * entryLength, candidate);
            if (Arrays.equals(candidate, key)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() throws IOException {
        blocks.close();
    }
}
