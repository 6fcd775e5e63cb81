package dev.loom.filter;

import dev.loom.error.CorruptStoreException;
import dev.loom.filter.BlockWriter.BlockChecksum;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.agrona.MutableDirectBuffer;

/** Reads contents of a {@link BlockWriter}'s file, which it closes. Reads whole blocks, and checks each. For one thread. */
final class BlockReader implements BlockContents {
    private static final int BLOCK_LENGTH = BlockWriter.BLOCK_LENGTH;
    private static final int CONTENTS_LENGTH = BlockWriter.CONTENTS_LENGTH;
    /** The blocks of one read, which lie in the memory behind it. */
    static final int BLOCKS_AT_ONCE = 4;

    private final LoomFile file;
    private final BlockChecksum checksum;
    private final ByteBuffer blocks;
    private long bytesRead;

    /** @param blocks memory of {@link #newBlocks()}, for one reader at a time */
    BlockReader(LoomFile file, long key, ByteBuffer blocks) {
        this.file = file;
        this.checksum = new BlockChecksum(key);
        this.blocks = blocks;
    }

    /** Opens a file; {@code blocks} as for a reader. */
    static BlockReader open(Storage storage, Path path, long key, ByteBuffer blocks) {
        LoomFile file = storage.openToRead(path);
        try {
            return new BlockReader(file, key, blocks);
        } catch (Error e) {
            try (file) {
                throw e;
            }
        }
    }

    /** Memory for a reader. */
    static ByteBuffer newBlocks() {
        return ByteBuffer.allocate(BLOCKS_AT_ONCE * BLOCK_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public long bytesRead() {
        return bytesRead;
    }

    @Override
    public long length() {
        return file.size();
    }

    @Override
    public void close() {
        file.close();
    }

    @Override
    public void read(long position, MutableDirectBuffer into, int offset, int length) {
        long at = position;
        long end = position + length;
        while (at < end) {
            long first = at / CONTENTS_LENGTH;
            int count = (int) Math.min(BLOCKS_AT_ONCE, (end - 1) / CONTENTS_LENGTH - first + 1);
            readBlocks(first, count);
            for (int i = 0; i < count; i++) {
                int from = (int) (at - (first + i) * CONTENTS_LENGTH);
                int next = (int) Math.min(end - at, CONTENTS_LENGTH - from);
                into.putBytes(offset + (int) (at - position), blocks, i * BLOCK_LENGTH + from, next);
                at += next;
            }
        }
    }

    private void readBlocks(long first, int count) {
        blocks.limit(count * BLOCK_LENGTH).position(0);
        int read = file.read(blocks, first * BLOCK_LENGTH);
        blocks.clear();
        bytesRead += read;
        for (int i = 0; i < count; i++) {
            long number = first + i;
            if ((i + 1) * BLOCK_LENGTH > read) {
                throw new CorruptStoreException("file of filters ends early: file=" + file.path() + ", offset="
                        + (first * BLOCK_LENGTH + read) + ", expected block=" + number);
            }
            int expected = blocks.getInt(i * BLOCK_LENGTH + CONTENTS_LENGTH);
            if (checksum.of(blocks, i * BLOCK_LENGTH, number) != expected) {
                throw new CorruptStoreException(
                        "block of filters is damaged: file=" + file.path() + ", offset=" + number * BLOCK_LENGTH);
            }
        }
    }
}
