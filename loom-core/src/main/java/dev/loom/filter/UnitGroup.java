package dev.loom.filter;

import dev.loom.filter.UnitFiles.UnitFile;
import dev.loom.io.LoomFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.function.BiFunction;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file of units. A word is sought in all of them at once, by one read of its fields and, if a unit may have it, of its
 * counts or lists; then it answers unit by unit. Takes the extents that were asked for, and 16 bytes and a list for each unit. For one thread.
 */
final class UnitGroup implements AutoCloseable {
    private final BlockContents blocks;
    private final Path path;
    private final UnitGroupHead head;
    private final PackedLists lists;
    private final UnsafeBuffer fields;
    private final UnsafeBuffer counts;
    /** The pieces of all units that were read last, for copying. */
    private final UnsafeBuffer run = new UnsafeBuffer(new byte[0]);

    private @Nullable UnitPart runPart;
    private int runFirst;
    private int runCount;
    private long mask;
    /** By how many bits the sought field is beside a piece. */
    private int shift;
    /** The number of the sought word's counts or lists, which are read when first needed. */
    private int sought;

    private boolean countsRead;
    /** False after a search that failed: the fields are not of the sought word then. */
    private boolean ready;

    /** Opens a file, which is closed with the group, or here if that fails; {@link UnitGroupHead} tells why it may. */
    static UnitGroup open(LoomFile file, long storeId, int sourceId, long start, ByteBuffer memory) {
        return open(file, storeId, sourceId, start, memory, (head, blocks) -> blocks);
    }

    /**
     * The same by means of the cache: if that has all that is asked for, the file itself stays closed. It may be found to be gone, or to be
     * damaged, whenever something is asked for. A file whose beginning the cache has no room for is read as without a cache.
     *
     * @param memory of {@link BlockReader#newBlocks()}
     */
    static UnitGroup open(UnitFiles files, UnitFile file, long storeId, ByteBuffer memory) {
        long key = UnitGroupDescriptor.key(storeId, file.sourceId(), file.start());
        UnitGroupHead known = files.cache().beginning(file);
        if (known != null) {
            return new UnitGroup(new CachedBlocks(files, file, key, memory, known), file.path(), known);
        }
        BiFunction<UnitGroupHead, BlockReader, BlockContents> keep = (head, blocks) ->
                files.cache().put(file, head) ? new CachedBlocks(files, file, key, memory, head, blocks) : blocks;
        return open(files.storage().openToRead(file.path()), storeId, file.sourceId(), file.start(), memory, keep);
    }

    private static UnitGroup open(
            LoomFile file,
            long storeId,
            int sourceId,
            long start,
            ByteBuffer memory,
            BiFunction<UnitGroupHead, BlockReader, BlockContents> keep) {
        try {
            BlockReader blocks = new BlockReader(file, UnitGroupDescriptor.key(storeId, sourceId, start), memory);
            UnitGroupHead head = new UnitGroupHead(blocks, file.path(), storeId, sourceId, start);
            return new UnitGroup(keep.apply(head, blocks), file.path(), head);
        } catch (RuntimeException | Error e) {
            try (file) {
                throw e;
            }
        }
    }

    private UnitGroup(BlockContents blocks, Path path, UnitGroupHead head) {
        this.blocks = blocks;
        this.path = path;
        this.head = head;
        this.lists = new PackedLists(blocks, path, head.endOfParts(), head.shape(), units());
        this.fields = new UnsafeBuffer(new byte[2 * TokenField.LENGTH * units()]);
        this.counts = new UnsafeBuffer(new byte[Short.BYTES * units()]);
    }

    /**
     * Reads all structures.
     *
     * @throws CorruptStoreException if a block is damaged, or a unit's chunks or lists are impossible
     */
    void check() {
        for (int i = 0; i < units(); i++) {
            extent(i);
        }
        long end = head.endOfParts();
        UnsafeBuffer contents = new UnsafeBuffer(new byte[BlockWriter.BLOCK_LENGTH]);
        for (long at = 0; at < end; at += contents.capacity()) {
            blocks.read(at, contents, 0, (int) Math.min(contents.capacity(), end - at));
        }
        lists.check();
    }

    /** Where the lists begin in the contents. */
    long endOfParts() {
        return head.endOfParts();
    }

    int units() {
        return head.extents().units();
    }

    UnitShape shape() {
        return head.shape();
    }

    /** Which part of the log each unit is about. */
    UnitExtents extents() {
        return head.extents();
    }

    /** Which part of the log a unit is about, with its chunks. */
    UnitExtent extent(int unit) {
        return head.extents().get(unit, blocks);
    }

    /** What the units were built with. */
    UnitContents contents() {
        return head.contents();
    }

    /** The bytes of the file. */
    long length() {
        return blocks.length();
    }

    /** The bytes read of the file so far. */
    long bytesRead() {
        return blocks.bytesRead();
    }

    /** The blocks so far that were in the cache. */
    long blocksCached() {
        return blocks.blocksCached();
    }

    /** One of the units, for copying. */
    TokenUnit unit(int number) {
        return new TokenUnit() {
            @Override
            public UnitShape shape() {
                return head.shape();
            }

            @Override
            public UnitExtent extent() {
                return UnitGroup.this.extent(number);
            }

            @Override
            public void copy(UnitPart part, int firstPiece, int count, MutableDirectBuffer into, int offset) {
                int length = part.pieceLength(shape());
                readRun(part, firstPiece, count);
                for (int i = 0; i < count; i++) {
                    into.putBytes(offset + i * length, run, (i * units() + number) * length, length);
                }
            }

            @Override
            public int copyList(int list, MutableDirectBuffer into, int offset) {
                return lists.copy(list, number, into, offset);
            }
        };
    }

    /** Reads pieces of all units, unless these were the last ones read: whoever copies units takes the same of one after the other. */
    private void readRun(UnitPart part, int firstPiece, int count) {
        if (part != runPart || firstPiece != runFirst || count != runCount) {
            runPart = null;
            run.wrap(new byte[count * part.pieceLength(shape()) * units()]);
            blocks.read(position(part, firstPiece), run, 0, run.capacity());
            runPart = part;
            runFirst = firstPiece;
            runCount = count;
        }
    }

    private long position(UnitPart part, int piece) {
        return head.position(part) + (long) piece * part.pieceLength(shape()) * units();
    }

    /** Seeks a frequent word; then {@link #mayContain} and {@link #count} are about it. */
    void seekFrequent(long digest) {
        seek(UnitPart.FREQUENT_FIELDS, digest, shape().frequentBits());
        sought = shape().countOf(digest);
        countsRead = false;
    }

    /** Seeks another word; then {@link #mayContain} and {@link #rows} are about it. */
    void seekRare(long digest) {
        seek(UnitPart.RARE_FIELDS, digest, shape().rareBits());
        sought = shape().listOf(digest);
    }

    /** Seeks what words begin with; then {@link #mayContain} is about it. Without prefixes, every unit may contain it. */
    void seekPrefix(long digest) {
        if (shape().prefixBits() == 0) {
            mask = 0;
            shift = 0;
            ready = true;
        } else {
            seek(UnitPart.PREFIX_FIELDS, digest, shape().prefixBits());
        }
    }

    private void seek(UnitPart part, long digest, int sizeBits) {
        ready = false;
        int offset = TokenField.offset(digest, sizeBits);
        mask = TokenField.mask(digest, sizeBits);
        shift = offset % TokenField.LENGTH * Byte.SIZE;
        int length = (shift == 0 ? 1 : 2) * TokenField.LENGTH * units();
        blocks.read(position(part, offset / TokenField.LENGTH), fields, 0, length);
        ready = true;
    }

    /** Whether a unit may contain what is sought; false is certain. */
    boolean mayContain(int unit) {
        if (!ready) {
            throw new IllegalStateException("nothing is sought: file=" + path);
        }
        long field = fields.getLong(unit * TokenField.LENGTH, ByteOrder.LITTLE_ENDIAN) >>> shift;
        if (shift > 0) {
            int next = (units() + unit) * TokenField.LENGTH;
            field |= fields.getLong(next, ByteOrder.LITTLE_ENDIAN) << (Long.SIZE - shift);
        }
        return (field & mask) == mask;
    }

    /** The most rows of a unit that the frequent word can be in; 0 if it is in none. */
    int count(int unit) {
        if (!mayContain(unit)) {
            return 0;
        }
        if (!countsRead) {
            blocks.read(position(UnitPart.FREQUENT_COUNTS, sought), counts, 0, counts.capacity());
            countsRead = true;
        }
        return Short.toUnsignedInt(counts.getShort(unit * Short.BYTES, ByteOrder.LITTLE_ENDIAN));
    }

    /** Sets the rows of a unit that the word may be in. */
    void rows(int unit, RowSet into) {
        into.clear();
        if (mayContain(unit)) {
            lists.rows(sought, unit, head.extents().rows(unit), into);
        }
    }

    @Override
    public void close() {
        blocks.close();
    }
}
