package dev.loom.bench.lsm;

import static dev.loom.bench.lsm.TreeShape.BLOCK_LENGTH;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Writes sorted files, one after the other. A file is in memory until it is complete. */
final class SstWriter {
    private final TreeShape shape;
    private final ByteBuffer file;
    private final byte[] value;
    private int entries;

    SstWriter(TreeShape shape) {
        this.shape = shape;
        final int blocks = SstDescriptor.dataBlocks(shape.entriesPerFile(), shape.entryLength());
        file = ByteBuffer.allocateDirect(SstDescriptor.footerOffset(blocks, shape.keyLength()) + BLOCK_LENGTH);
        value = new byte[shape.entryLength() - shape.keyLength()];
    }

    /** Adds an entry, whose key is above those before it. Its value is a function of the key's number. */
    void add(byte[] key, long number) {
        final int offset = SstDescriptor.entryOffset(entries++, shape.entryLength());
        KeySpace.write(~number, value);
        file.put(offset, key);
        file.put(offset + key.length, value);
    }

    /** Writes what was added as a file, and makes it durable, so that no later write back disturbs a measurement. */
    void finish(Path path) {
        final int keyLength = shape.keyLength();
        final int blocks = SstDescriptor.dataBlocks(entries, shape.entryLength());
        final int fences = blocks * BLOCK_LENGTH;
        for (int block = 0; block < blocks; block++) {
            file.put(fences + block * keyLength, file, block * BLOCK_LENGTH, keyLength);
        }
        file.put(
                fences + blocks * keyLength,
                file,
                SstDescriptor.entryOffset(entries - 1, shape.entryLength()),
                keyLength);
        final int footer = SstDescriptor.footerOffset(blocks, keyLength);
        file.putLong(footer + SstDescriptor.MAGIC_OFFSET, SstDescriptor.MAGIC);
        file.putInt(footer + SstDescriptor.KEY_LENGTH_OFFSET, keyLength);
        file.putInt(footer + SstDescriptor.ENTRY_LENGTH_OFFSET, shape.entryLength());
        file.putInt(footer + SstDescriptor.ENTRIES_OFFSET, entries);
        file.limit(footer + BLOCK_LENGTH).position(0);
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            while (file.hasRemaining()) {
                channel.write(file);
            }
            channel.force(true);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        file.clear();
        entries = 0;
    }
}
