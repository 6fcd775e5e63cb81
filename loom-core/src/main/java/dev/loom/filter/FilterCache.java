package dev.loom.filter;

import dev.loom.filter.UnitFiles.UnitFile;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What searches of one store have read of its files of units: the beginnings of files, and blocks. Whoever finds all blocks that it needs opens
 * no file. On the heap; where that has no room, all is let go, and searches read files. Usable from any thread; the lock is never held for
 * a read of a file.
 *
 * <p>The least recently used go first. But where more beginnings are read than have room, few of them get any: a search asks for all files of
 * a source in the same order, and would find each one gone just before.
 *
 * <p>Blocks belong to the beginning of their file, not to its name, which another file may get. So what is found of a file is always of one
 * and the same, and stays true after that is deleted, as a unit's records never change.
 */
public final class FilterCache {
    /** The bytes of a cache unless others are asked for; {@code docs/text-index.md} tells why. */
    public static final long BYTES_DEFAULT = 32 << 20;

    /** A cache takes no more of the heap's size than one part of this number. */
    private static final int HEAP_PARTS = 8;

    /** Beginnings of files take no more of a cache than one part of this number. */
    private static final int BEGINNINGS_PARTS = 4;

    /** Of beginnings that have no room, one of this number takes that of others: what is searched may change. */
    private static final int REFUSALS = 16;

    /** The bytes that a block takes, with its place and its entry in the map. */
    private static final int BLOCK_BYTES = BlockWriter.BLOCK_LENGTH + 128;

    private final IntFunction<byte[]> memory;
    private final Map<UnitFile, UnitGroupHead> beginnings = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Place, byte[]> blocks = new LinkedHashMap<>(16, 0.75f, true);
    private long beginningsBytesMax;
    private long beginningsBytes;
    private long blocksMax;
    private int refused;

    /** A block of the file whose beginning has a number. */
    private record Place(long file, long block) {}

    /** @param bytesMax 0 for a cache of nothing; never more than an eighth of the heap's size is used */
    public FilterCache(long bytesMax) {
        this(Math.min(bytesMax, Runtime.getRuntime().maxMemory() / HEAP_PARTS), byte[]::new);
    }

    /** @param memory allocates what a block takes */
    FilterCache(long bytesMax, IntFunction<byte[]> memory) {
        this.beginningsBytesMax = bytesMax / BEGINNINGS_PARTS;
        this.blocksMax = (bytesMax - beginningsBytesMax) / BLOCK_BYTES;
        this.memory = memory;
    }

    /** The bytes that it takes now. */
    public synchronized long bytes() {
        return beginningsBytes + (long) blocks.size() * BLOCK_BYTES;
    }

    /** The beginning of a file; null if it is not known. */
    synchronized @Nullable UnitGroupHead beginning(UnitFile file) {
        return beginnings.get(file);
    }

    /** Keeps the beginning of a file, in place of another one of that name; false if it has no room. */
    synchronized boolean put(UnitFile file, UnitGroupHead beginning) {
        forget(file);
        long bytes = beginning.memoryBytes();
        if (!admits(bytes)) {
            return false;
        }
        try {
            beginnings.put(file, beginning);
        } catch (OutOfMemoryError e) {
            letGo();
            return false;
        }
        beginningsBytes += bytes;
        Iterator<UnitGroupHead> eldest = beginnings.values().iterator();
        while (beginningsBytes > beginningsBytesMax) {
            beginningsBytes -= eldest.next().memoryBytes();
            eldest.remove();
        }
        return true;
    }

    private boolean admits(long bytes) {
        return bytes <= beginningsBytesMax
                && (beginningsBytes + bytes <= beginningsBytesMax || ++refused % REFUSALS == 0);
    }

    /** Forgets the beginning of a file, so that nobody finds its blocks any more. */
    synchronized void forget(UnitFile file) {
        UnitGroupHead known = beginnings.remove(file);
        beginningsBytes -= known == null ? 0 : known.memoryBytes();
    }

    /** A block's contents, which nobody changes; null if they are not known. */
    synchronized byte @Nullable [] block(UnitGroupHead file, long block) {
        return blocks.get(new Place(file.number(), block));
    }

    /** Keeps a block's contents, which lie at an offset of a buffer. */
    synchronized void put(UnitGroupHead file, long block, ByteBuffer from, int offset) {
        if (blocksMax == 0) {
            return;
        }
        try {
            byte[] contents = memory.apply(BlockWriter.CONTENTS_LENGTH);
            from.get(offset, contents);
            blocks.put(new Place(file.number(), block), contents);
        } catch (OutOfMemoryError e) {
            letGo();
        }
        if (blocks.size() > blocksMax) {
            Iterator<byte[]> eldest = blocks.values().iterator();
            eldest.next();
            eldest.remove();
        }
    }

    /** Gives others the memory that they may lack as well, and takes none again. */
    private void letGo() {
        beginningsBytesMax = 0;
        beginningsBytes = 0;
        blocksMax = 0;
        beginnings.clear();
        blocks.clear();
    }
}
