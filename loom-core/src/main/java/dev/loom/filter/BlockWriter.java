package dev.loom.filter;

import dev.loom.io.LoomFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;

/**
 * Writes a file of checksummed blocks, from its beginning to its end. A block of 4 KiB has 4,092 bytes of contents and, behind
 * them, their CRC-32C, over the file's key and the block's number too; so blocks of elsewhere are no valid ones. Readers count
 * contents alone. For one thread.
 */
final class BlockWriter {
    static final int BLOCK_LENGTH = 4 << 10;
    static final int CONTENTS_LENGTH = BLOCK_LENGTH - Integer.BYTES;

    private static final int BLOCKS_AT_ONCE = 16;

    private final LoomFile file;
    private final BlockChecksum checksum;
    private final ByteBuffer blocks =
            ByteBuffer.allocate(BLOCKS_AT_ONCE * BLOCK_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    private long written;
    private long position;

    /** @param key the same for the file's reader, and another for other files */
    BlockWriter(LoomFile file, long key) {
        this.file = file;
        this.checksum = new BlockChecksum(key);
    }

    /** The checksum of blocks. */
    static final class BlockChecksum {
        private final CRC32C crc = new CRC32C();
        private final ByteBuffer seed = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);

        BlockChecksum(long key) {
            seed.putLong(0, key);
        }

        /** Of the contents that lie at an offset of a buffer, whose position and limit it moves. */
        int of(ByteBuffer blocks, int offset, long number) {
            crc.reset();
            seed.putLong(Long.BYTES, number);
            seed.rewind();
            crc.update(seed);
            blocks.limit(offset + CONTENTS_LENGTH).position(offset);
            crc.update(blocks);
            blocks.clear();
            return (int) crc.getValue();
        }
    }

    /** The bytes of contents so far. */
    long position() {
        return position;
    }

    void put(DirectBuffer source, int offset, int length) {
        int at = offset;
        int end = offset + length;
        while (at < end) {
            int inBlock = (int) (position % CONTENTS_LENGTH);
            int block = (int) (position / CONTENTS_LENGTH % BLOCKS_AT_ONCE) * BLOCK_LENGTH;
            int next = Math.min(end - at, CONTENTS_LENGTH - inBlock);
            source.getBytes(at, blocks, block + inBlock, next);
            at += next;
            position += next;
            if (inBlock + next == CONTENTS_LENGTH) {
                endBlock(block);
            }
        }
    }

    private void endBlock(int block) {
        long number = position / CONTENTS_LENGTH - 1;
        blocks.putInt(block + CONTENTS_LENGTH, checksum.of(blocks, block, number));
        if (block + BLOCK_LENGTH == blocks.capacity()) {
            write(blocks.capacity());
        }
    }

    private void write(int length) {
        blocks.limit(length).position(0);
        file.write(blocks, written);
        written += length;
        blocks.clear();
    }

    /** Fills the last block with zeros, and makes the file durable. */
    void finish() {
        int inBlock = (int) (position % CONTENTS_LENGTH);
        int block = (int) (position / CONTENTS_LENGTH % BLOCKS_AT_ONCE) * BLOCK_LENGTH;
        if (inBlock > 0) {
            for (int i = inBlock; i < CONTENTS_LENGTH; i++) {
                blocks.put(block + i, (byte) 0);
            }
            position += CONTENTS_LENGTH - inBlock;
            endBlock(block);
            block += BLOCK_LENGTH;
        }
        if (block > 0 && block < blocks.capacity()) {
            write(block);
        }
        file.truncate(written); // of what may have been there before
        file.force();
    }
}
