package dev.loom.filter;

import dev.loom.filter.UnitFiles.UnitFile;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What searches of one store have read of its files of units: the beginnings of files, on the heap, and blocks, off it. The least recently
 * used go first. Whoever finds all blocks that it needs opens no file. Without memory it stays as large as it is. Usable from any thread;
 * the lock is held for copies of a block, never for a read of a file.
 *
 * <p>Blocks belong to the beginning of their file, not to its name, which another file may get. So what is found of a file is always of one
 * and the same, and stays true after that is deleted, as a unit's records never change.
 */
public final class FilterCache implements AutoCloseable {
    /** The bytes of a cache unless others are asked for; {@code docs/text-index.md} tells why. */
    public static final long BYTES_DEFAULT = 32 << 20;

    /** A cache takes no more of the heap's size than one part of this number. */
    private static final int HEAP_PARTS = 8;

    /** Beginnings of files take no more of a cache than one part of this number. */
    private static final int BEGINNINGS_PARTS = 4;

    /** The blocks that are allocated at once. */
    private static final int SLAB_BLOCKS = 64;

    private static final int SLAB_LENGTH = SLAB_BLOCKS * BlockWriter.BLOCK_LENGTH;

    private final long beginningsBytesMax;
    private final IntFunction<ByteBuffer> memory;
    private final Map<UnitFile, UnitGroupHead> beginnings = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Place, UnsafeBuffer> blocks = new LinkedHashMap<>(16, 0.75f, true);
    private final ArrayDeque<UnsafeBuffer> free = new ArrayDeque<>();
    private final List<ByteBuffer> slabs = new ArrayList<>();
    private long beginningsBytes;
    private long slabsMax;

    /** A block of the file whose beginning has a number. */
    private record Place(long file, long block) {}

    /** @param bytesMax 0 for a cache of nothing; never more than an eighth of the heap's size is used */
    public FilterCache(long bytesMax) {
        this(Math.min(bytesMax, Runtime.getRuntime().maxMemory() / HEAP_PARTS), ByteBuffer::allocateDirect);
    }

    /** @param memory allocates off the heap */
    FilterCache(long bytesMax, IntFunction<ByteBuffer> memory) {
        this.beginningsBytesMax = bytesMax / BEGINNINGS_PARTS;
        this.slabsMax = (bytesMax - beginningsBytesMax) / SLAB_LENGTH;
        this.memory = memory;
    }

    /** The bytes that it takes now. */
    public synchronized long bytes() {
        return beginningsBytes + (long) slabs.size() * SLAB_LENGTH;
    }

    /** The beginning of a file; null if it is not known. */
    synchronized @Nullable UnitGroupHead beginning(UnitFile file) {
        return beginnings.get(file);
    }

    /** Keeps the beginning of a file, in place of another one of that name. */
    synchronized void put(UnitFile file, UnitGroupHead beginning) {
        forget(file);
        if (beginning.memoryBytes() > beginningsBytesMax) {
            return;
        }
        try {
            beginnings.put(file, beginning);
            beginningsBytes += beginning.memoryBytes();
        } catch (OutOfMemoryError e) {
            return; // it is read again
        }
        Iterator<UnitGroupHead> eldest = beginnings.values().iterator();
        while (beginningsBytes > beginningsBytesMax) {
            beginningsBytes -= eldest.next().memoryBytes();
            eldest.remove();
        }
    }

    /** Forgets the beginning of a file, so that nobody finds its blocks any more. */
    synchronized void forget(UnitFile file) {
        UnitGroupHead known = beginnings.remove(file);
        beginningsBytes -= known == null ? 0 : known.memoryBytes();
    }

    /** Copies a part of a block's contents; false if the block is not known. */
    synchronized boolean get(
            UnitGroupHead file, long block, int from, MutableDirectBuffer into, int offset, int length) {
        UnsafeBuffer known = blocks.get(new Place(file.number(), block));
        if (known == null) {
            return false;
        }
        into.putBytes(offset, known, from, length);
        return true;
    }

    /** Keeps a block's contents. */
    synchronized void put(UnitGroupHead file, long block, DirectBuffer contents) {
        try {
            Place place = new Place(file.number(), block);
            UnsafeBuffer room = blocks.containsKey(place) ? null : room();
            if (room != null) {
                room.putBytes(0, contents, 0, BlockWriter.CONTENTS_LENGTH);
                blocks.put(place, room);
            }
        } catch (OutOfMemoryError e) {
            slabsMax = slabs.size(); // more would fail again
        }
    }

    /** Room for a block; null if there is none at all. */
    private @Nullable UnsafeBuffer room() {
        if (free.isEmpty() && slabs.size() < slabsMax) {
            allocate();
        }
        if (free.isEmpty() && !blocks.isEmpty()) {
            Iterator<UnsafeBuffer> eldest = blocks.values().iterator();
            free.add(eldest.next());
            eldest.remove();
        }
        return free.poll();
    }

    private void allocate() {
        ByteBuffer slab = memory.apply(SLAB_LENGTH);
        slabs.add(slab);
        for (int i = 0; i < SLAB_BLOCKS; i++) {
            free.add(new UnsafeBuffer(slab, i * BlockWriter.BLOCK_LENGTH, BlockWriter.BLOCK_LENGTH));
        }
    }

    /** Frees its memory. Searches that still run read files. */
    @Override
    public synchronized void close() {
        slabsMax = 0;
        blocks.clear();
        free.clear();
        slabs.forEach(BufferUtil::free);
        slabs.clear();
    }
}
