package dev.loom.filter;

import dev.loom.filter.UnitFiles.UnitFile;
import java.nio.ByteBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A file of units whose beginning is known, as far as possible from the cache; opened for the first block that is not there. For one thread. */
final class CachedBlocks implements BlockContents {
    private static final int CONTENTS_LENGTH = BlockWriter.CONTENTS_LENGTH;

    private final UnitFiles files;
    private final UnitFile file;
    private final long key;
    private final ByteBuffer memory;
    private final UnitGroupHead head;
    private @Nullable BlockReader open;
    private @Nullable UnsafeBuffer missing;
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
        long at = position;
        long end = position + length;
        while (at < end) {
            long block = at / CONTENTS_LENGTH;
            int from = (int) (at - block * CONTENTS_LENGTH);
            int next = (int) Math.min(end - at, CONTENTS_LENGTH - from);
            int to = offset + (int) (at - position);
            if (files.cache().get(head, block, from, into, to, next)) {
                cached++;
            } else {
                into.putBytes(to, readBlock(block), from, next);
            }
            at += next;
        }
    }

    private UnsafeBuffer readBlock(long block) {
        UnsafeBuffer room = missing;
        if (room == null) {
            room = new UnsafeBuffer(new byte[CONTENTS_LENGTH]);
            missing = room;
        }
        opened().read(block * CONTENTS_LENGTH, room, 0, CONTENTS_LENGTH);
        files.cache().put(head, block, room);
        return room;
    }

    private BlockReader opened() {
        BlockReader reader = open;
        if (reader == null) {
            reader = new BlockReader(files.storage().openToRead(file.path()), key, memory);
            open = reader; // which is closed with this, whatever the file turns out to be
            head.check(reader, file.path());
        }
        return reader;
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
