package dev.loom.filter;

import dev.loom.error.CorruptStoreException;
import dev.loom.error.StoreIoException;
import dev.loom.filter.UnitFiles.UnitFile;
import java.nio.ByteBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/** A file of units whose beginning the cache has; opened for the first block that is not there. For one thread. */
final class CachedBlocks implements BlockContents {
    private static final int CONTENTS_LENGTH = BlockWriter.CONTENTS_LENGTH;

    private final UnitFiles files;
    private final UnitFile file;
    private final long key;
    private final ByteBuffer memory;
    private final UnitGroupHead head;
    private @Nullable BlockReader open;
    private long cached;

    /** @param memory of {@link BlockReader#newBlocks()} */
    CachedBlocks(UnitFiles files, UnitFile file, long key, ByteBuffer memory, UnitGroupHead head) {
        this.files = files;
        this.file = file;
        this.key = key;
        this.memory = memory;
        this.head = head;
        this.cached = head.blocks();
    }

    /** Of a file whose beginning was just read. */
    CachedBlocks(UnitFiles files, UnitFile file, long key, ByteBuffer memory, UnitGroupHead head, BlockReader open) {
        this(files, file, key, memory, head);
        this.open = open;
        this.cached = 0;
    }

    @Override
    public void read(long position, MutableDirectBuffer into, int offset, int length) {
        long end = position + length;
        long at = position;
        while (at < end) {
            long block = at / CONTENTS_LENGTH;
            int from = (int) (at - block * CONTENTS_LENGTH);
            byte[] known = files.cache().block(head, block);
            int missing = known == null ? missing(block, (end - 1) / CONTENTS_LENGTH) : 0;
            int next = (int) Math.min(end - at, Math.max(1, missing) * CONTENTS_LENGTH - from);
            int to = offset + (int) (at - position);
            if (known != null) {
                into.putBytes(to, known, from, next);
                cached++;
            } else {
                opened().read(at, into, to, next);
                keep(block, missing);
            }
            at += next;
        }
    }

    /** How many blocks the cache lacks from one that it lacks on, as far as they are read at once. */
    private int missing(long block, long last) {
        int most = (int) Math.min(BlockReader.BLOCKS_AT_ONCE, last - block + 1);
        int missing = 1;
        while (missing < most && files.cache().block(head, block + missing) == null) {
            missing++;
        }
        return missing;
    }

    /** Gives the cache the blocks that were read last. */
    private void keep(long block, int count) {
        for (int i = 0; i < count; i++) {
            files.cache().put(head, block + i, memory, i * BlockWriter.BLOCK_LENGTH);
        }
    }

    private BlockReader opened() {
        BlockReader reader = open;
        if (reader == null) {
            reader = open();
            open = reader; // which is closed with this, whatever the file turns out to be
            cached -= head.blocks(); // they are read after all
            check(reader);
        }
        return reader;
    }

    private BlockReader open() {
        try {
            return BlockReader.open(files.storage(), file.path(), key, memory);
        } catch (StoreIoException e) {
            if (files.isGone(file.path())) {
                files.cache().forget(file);
            }
            throw e;
        }
    }

    private void check(BlockReader reader) {
        try {
            head.check(reader, file.path());
        } catch (CorruptStoreException e) {
            files.cache().forget(file);
            throw e;
        }
    }

    @Override
    public long length() {
        return opened().length();
    }

    @Override
    public long bytesRead() {
        BlockReader reader = open;
        return reader == null ? 0 : reader.bytesRead();
    }

    @Override
    public long blocksCached() {
        return cached;
    }

    @Override
    public void close() {
        BlockReader reader = open;
        if (reader != null) {
            reader.close();
        }
    }
}
