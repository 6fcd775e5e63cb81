package dev.loom.filter;

import dev.loom.error.CorruptStoreException;
import dev.loom.error.UnsupportedStoreException;
import dev.loom.format.IndexedText;
import dev.loom.io.LoomFile;
import dev.loom.text.TokenDigest;
import dev.loom.text.TokenReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file of units. A word is sought in all of them at once, by one read of its fields and, if a unit may have it, of its
 * counts or lists; then it answers unit by unit. Takes the extents that were asked for, and 16 bytes and a list for each unit. For one thread.
 */
final class UnitGroup implements AutoCloseable {
    /** The bytes of UTF-8 that one character of Java takes at most. */
    private static final int UTF8_MAX = 3;

    private final LoomFile file;
    private final BlockReader blocks;
    private final UnitShape shape;
    private final UnitContents contents;
    private final UnitExtents extents;
    /** Where the parts begin. */
    private final Map<UnitPart, Long> parts = new EnumMap<>(UnitPart.class);

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

    /** Opens a file, which is closed with the group, or here if that fails; see the constructor. */
    static UnitGroup open(LoomFile file, long storeId, int sourceId, long start, ByteBuffer memory) {
        try {
            return new UnitGroup(file, storeId, sourceId, start, memory);
        } catch (RuntimeException | Error e) {
            try (file) {
                throw e;
            }
        }
    }

    /**
     * Reads what a file has.
     *
     * @param start the first unit's start, as the file is named
     * @param memory of {@link BlockReader#newBlocks()}
     * @throws CorruptStoreException if it is damaged, or of elsewhere
     * @throws UnsupportedStoreException if a newer version wrote it, or its tokens are read in another way
     */
    private UnitGroup(LoomFile file, long storeId, int sourceId, long start, ByteBuffer memory) {
        this.file = file;
        this.blocks = new BlockReader(file, UnitGroupDescriptor.key(storeId, sourceId, start), memory);
        UnsafeBuffer header = new UnsafeBuffer(new byte[UnitGroupDescriptor.HEADER_LENGTH]);
        blocks.read(0, header, 0, UnitGroupDescriptor.HEADER_LENGTH);
        int units = integer(header, UnitGroupDescriptor.UNITS_OFFSET);
        boolean here = header.getLong(0, ByteOrder.LITTLE_ENDIAN) == UnitGroupDescriptor.MAGIC
                && header.getLong(UnitGroupDescriptor.STORE_ID_OFFSET, ByteOrder.LITTLE_ENDIAN) == storeId
                && integer(header, UnitGroupDescriptor.SOURCE_ID_OFFSET) == sourceId
                && units >= 1
                && units <= UnitGroupDescriptor.UNITS_MAX;
        if (!here) {
            throw new CorruptStoreException("file is not one of filters: file=" + file.path() + ", units=" + units);
        }
        checkVersions(header);
        this.shape = shape(header);
        int indexedLength = integer(header, UnitGroupDescriptor.INDEXED_LENGTH_OFFSET);
        int frequentWords = integer(header, UnitGroupDescriptor.FREQUENT_WORDS_OFFSET);
        this.contents = readContents(indexedLength, frequentWords);
        long behindContents = UnitGroupDescriptor.HEADER_LENGTH + indexedLength + (long) frequentWords * Long.BYTES;
        this.extents = new UnitExtents(blocks, file.path(), units, behindContents, start);
        long at = extents.endOfTables();
        for (UnitPart part : UnitPart.values()) {
            parts.put(part, at);
            at += part.length(shape) * units;
        }
        this.lists = new PackedLists(blocks, file.path(), at, shape, units);
        this.fields = new UnsafeBuffer(new byte[2 * TokenField.LENGTH * units]);
        this.counts = new UnsafeBuffer(new byte[Short.BYTES * units]);
    }

    private static int integer(UnsafeBuffer buffer, int offset) {
        return buffer.getInt(offset, ByteOrder.LITTLE_ENDIAN);
    }

    private void checkVersions(UnsafeBuffer header) {
        int version = integer(header, UnitGroupDescriptor.VERSION_OFFSET);
        int tokens = integer(header, UnitGroupDescriptor.TOKENS_OFFSET);
        int digests = integer(header, UnitGroupDescriptor.DIGESTS_OFFSET);
        if (version != UnitGroupDescriptor.VERSION || tokens != TokenReader.VERSION || digests != TokenDigest.VERSION) {
            throw new UnsupportedStoreException("filters are of another version: file=" + file.path() + ", version="
                    + version + ", tokens=" + tokens + ", digests=" + digests);
        }
    }

    private UnitShape shape(UnsafeBuffer header) {
        int[] sizes = new int[UnitShape.SIZES];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = integer(header, UnitGroupDescriptor.SHAPE_OFFSET + i * Integer.BYTES);
        }
        try {
            return UnitShape.of(sizes);
        } catch (IllegalArgumentException e) {
            throw new CorruptStoreException("filters have an impossible shape: file=" + file.path(), e);
        }
    }

    private UnitContents readContents(int indexedLength, int frequentWords) {
        boolean possible = indexedLength >= 0 && indexedLength <= IndexedText.LENGTH_MAX * UTF8_MAX;
        if (!possible || frequentWords < 0 || frequentWords > FrequentWords.COUNT_MAX) {
            throw new CorruptStoreException("filters have impossible contents: file=" + file.path() + ", indexed bytes="
                    + indexedLength + ", frequent words=" + frequentWords);
        }
        UnsafeBuffer read = new UnsafeBuffer(new byte[indexedLength + frequentWords * Long.BYTES]);
        blocks.read(UnitGroupDescriptor.HEADER_LENGTH, read, 0, read.capacity());
        long[] words = new long[frequentWords];
        for (int i = 0; i < words.length; i++) {
            words[i] = read.getLong(indexedLength + i * Long.BYTES, ByteOrder.LITTLE_ENDIAN);
        }
        try {
            return new UnitContents(
                    IndexedText.parse(read.getStringWithoutLengthUtf8(0, indexedLength)), new FrequentWords(words));
        } catch (IllegalArgumentException e) {
            throw new CorruptStoreException("filters have impossible contents: file=" + file.path(), e);
        }
    }

    /**
     * Reads all structures.
     *
     * @throws CorruptStoreException if a block is damaged, or a unit's chunks or lists are impossible
     */
    void check() {
        for (int i = 0; i < extents.units(); i++) {
            extents.get(i);
        }
        long end = endOfParts();
        UnsafeBuffer contents = new UnsafeBuffer(new byte[BlockWriter.BLOCK_LENGTH]);
        for (long at = 0; at < end; at += contents.capacity()) {
            blocks.read(at, contents, 0, (int) Math.min(contents.capacity(), end - at));
        }
        lists.check();
    }

    /** Where the lists begin in the contents. */
    long endOfParts() {
        return position(UnitPart.PREFIX_FIELDS, 0) + UnitPart.PREFIX_FIELDS.length(shape) * extents.units();
    }

    int units() {
        return extents.units();
    }

    UnitShape shape() {
        return shape;
    }

    /** Which part of the log each unit is about. */
    UnitExtents extents() {
        return extents;
    }

    /** What the units were built with. */
    UnitContents contents() {
        return contents;
    }

    /** The bytes of the file. */
    long length() {
        return file.size();
    }

    /** The bytes read of the file so far. */
    long bytesRead() {
        return blocks.bytesRead();
    }

    /** One of the units, for copying. */
    TokenUnit unit(int number) {
        return new TokenUnit() {
            @Override
            public UnitShape shape() {
                return shape;
            }

            @Override
            public UnitExtent extent() {
                return extents.get(number);
            }

            @Override
            public void copy(UnitPart part, int firstPiece, int count, MutableDirectBuffer into, int offset) {
                int length = part.pieceLength(shape);
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
            run.wrap(new byte[count * part.pieceLength(shape) * units()]);
            blocks.read(position(part, firstPiece), run, 0, run.capacity());
            runPart = part;
            runFirst = firstPiece;
            runCount = count;
        }
    }

    private long position(UnitPart part, int piece) {
        return Objects.requireNonNull(parts.get(part)) + (long) piece * part.pieceLength(shape) * extents.units();
    }

    /** Seeks a frequent word; then {@link #mayContain} and {@link #count} are about it. */
    void seekFrequent(long digest) {
        seek(UnitPart.FREQUENT_FIELDS, digest, shape.frequentBits());
        sought = shape.countOf(digest);
        countsRead = false;
    }

    /** Seeks another word; then {@link #mayContain} and {@link #rows} are about it. */
    void seekRare(long digest) {
        seek(UnitPart.RARE_FIELDS, digest, shape.rareBits());
        sought = shape.listOf(digest);
    }

    /** Seeks what words begin with; then {@link #mayContain} is about it. Without prefixes, every unit may contain it. */
    void seekPrefix(long digest) {
        if (shape.prefixBits() == 0) {
            mask = 0;
            shift = 0;
            ready = true;
        } else {
            seek(UnitPart.PREFIX_FIELDS, digest, shape.prefixBits());
        }
    }

    private void seek(UnitPart part, long digest, int sizeBits) {
        ready = false;
        int offset = TokenField.offset(digest, sizeBits);
        mask = TokenField.mask(digest, sizeBits);
        shift = offset % TokenField.LENGTH * Byte.SIZE;
        int length = (shift == 0 ? 1 : 2) * TokenField.LENGTH * extents.units();
        blocks.read(position(part, offset / TokenField.LENGTH), fields, 0, length);
        ready = true;
    }

    /** Whether a unit may contain what is sought; false is certain. */
    boolean mayContain(int unit) {
        if (!ready) {
            throw new IllegalStateException("nothing is sought: file=" + file.path());
        }
        long field = fields.getLong(unit * TokenField.LENGTH, ByteOrder.LITTLE_ENDIAN) >>> shift;
        if (shift > 0) {
            int next = (extents.units() + unit) * TokenField.LENGTH;
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
            lists.rows(sought, unit, extents.rows(unit), into);
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
