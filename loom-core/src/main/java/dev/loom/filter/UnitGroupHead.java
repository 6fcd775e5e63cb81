package dev.loom.filter;

import dev.loom.error.CorruptStoreException;
import dev.loom.error.UnsupportedStoreException;
import dev.loom.format.IndexedText;
import dev.loom.text.TokenDigest;
import dev.loom.text.TokenReader;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The beginning of a file of units: what a search needs of it whatever it looks for. Usable from any thread, by all searches of a store.
 *
 * <p>Two files of one name and one beginning have the same contents: units follow from the records between their addresses, their shape, and
 * what they were built with.
 */
final class UnitGroupHead {
    /** The bytes of UTF-8 that one character of Java takes at most. */
    private static final int UTF8_MAX = 3;

    private static final AtomicLong NUMBERS = new AtomicLong();

    private final long number = NUMBERS.getAndIncrement();
    /** As it is in the file, to tell it from another. */
    private final byte[] bytes;

    private final UnitShape shape;
    private final UnitContents contents;
    private final UnitExtents extents;
    /** Where the parts begin. */
    private final Map<UnitPart, Long> parts = new EnumMap<>(UnitPart.class);

    private final long endOfParts;

    /**
     * Reads it.
     *
     * @param start the first unit's start, as the file is named
     * @throws CorruptStoreException if it is damaged, or of elsewhere
     * @throws UnsupportedStoreException if a newer version wrote the file, or its tokens are read in another way
     */
    UnitGroupHead(BlockContents blocks, Path path, long storeId, int sourceId, long start) {
        UnsafeBuffer header = new UnsafeBuffer(new byte[UnitGroupDescriptor.HEADER_LENGTH]);
        blocks.read(0, header, 0, UnitGroupDescriptor.HEADER_LENGTH);
        int units = integer(header, UnitGroupDescriptor.UNITS_OFFSET);
        boolean here = header.getLong(0, ByteOrder.LITTLE_ENDIAN) == UnitGroupDescriptor.MAGIC
                && header.getLong(UnitGroupDescriptor.STORE_ID_OFFSET, ByteOrder.LITTLE_ENDIAN) == storeId
                && integer(header, UnitGroupDescriptor.SOURCE_ID_OFFSET) == sourceId
                && units >= 1
                && units <= UnitGroupDescriptor.UNITS_MAX;
        if (!here) {
            throw new CorruptStoreException("file is not one of filters: file=" + path + ", units=" + units);
        }
        checkVersions(header, path);
        this.shape = shape(header, path);
        int indexedLength = integer(header, UnitGroupDescriptor.INDEXED_LENGTH_OFFSET);
        int frequentWords = integer(header, UnitGroupDescriptor.FREQUENT_WORDS_OFFSET);
        checkLengths(indexedLength, frequentWords, path);
        int extentsAt = UnitGroupDescriptor.HEADER_LENGTH + indexedLength + frequentWords * Long.BYTES;
        this.bytes = new byte[extentsAt + units * UnitGroupDescriptor.EXTENT_LENGTH];
        UnsafeBuffer read = new UnsafeBuffer(bytes);
        blocks.read(0, read, 0, bytes.length);
        this.contents = contents(read, indexedLength, frequentWords, path);
        this.extents = new UnitExtents(read, extentsAt, units, path, start);
        long at = extents.endOfTables();
        for (UnitPart part : UnitPart.values()) {
            parts.put(part, at);
            at += part.length(shape) * units;
        }
        this.endOfParts = at;
    }

    private static int integer(UnsafeBuffer buffer, int offset) {
        return buffer.getInt(offset, ByteOrder.LITTLE_ENDIAN);
    }

    private static void checkVersions(UnsafeBuffer header, Path path) {
        int version = integer(header, UnitGroupDescriptor.VERSION_OFFSET);
        int tokens = integer(header, UnitGroupDescriptor.TOKENS_OFFSET);
        int digests = integer(header, UnitGroupDescriptor.DIGESTS_OFFSET);
        if (version != UnitGroupDescriptor.VERSION || tokens != TokenReader.VERSION || digests != TokenDigest.VERSION) {
            throw new UnsupportedStoreException("filters are of another version: file=" + path + ", version=" + version
                    + ", tokens=" + tokens + ", digests=" + digests);
        }
    }

    private static UnitShape shape(UnsafeBuffer header, Path path) {
        int[] sizes = new int[UnitShape.SIZES];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = integer(header, UnitGroupDescriptor.SHAPE_OFFSET + i * Integer.BYTES);
        }
        try {
            return UnitShape.of(sizes);
        } catch (IllegalArgumentException e) {
            throw new CorruptStoreException("filters have an impossible shape: file=" + path, e);
        }
    }

    private static void checkLengths(int indexedLength, int frequentWords, Path path) {
        boolean possible = indexedLength >= 0 && indexedLength <= IndexedText.LENGTH_MAX * UTF8_MAX;
        if (!possible || frequentWords < 0 || frequentWords > FrequentWords.COUNT_MAX) {
            throw new CorruptStoreException("filters have impossible contents: file=" + path + ", indexed bytes="
                    + indexedLength + ", frequent words=" + frequentWords);
        }
    }

    private static UnitContents contents(UnsafeBuffer read, int indexedLength, int frequentWords, Path path) {
        int indexedAt = UnitGroupDescriptor.HEADER_LENGTH;
        long[] words = new long[frequentWords];
        for (int i = 0; i < words.length; i++) {
            words[i] = read.getLong(indexedAt + indexedLength + i * Long.BYTES, ByteOrder.LITTLE_ENDIAN);
        }
        try {
            return new UnitContents(
                    IndexedText.parse(read.getStringWithoutLengthUtf8(indexedAt, indexedLength)),
                    new FrequentWords(words));
        } catch (IllegalArgumentException e) {
            throw new CorruptStoreException("filters have impossible contents: file=" + path, e);
        }
    }

    /** Tells it from every other one that was read. */
    long number() {
        return number;
    }

    /**
     * Reads the beginning of a file that was opened again by its name.
     *
     * @throws CorruptStoreException if it is another
     */
    void check(BlockContents blocks, Path path) {
        UnsafeBuffer read = new UnsafeBuffer(new byte[bytes.length]);
        blocks.read(0, read, 0, bytes.length);
        if (!Arrays.equals(bytes, read.byteArray())) {
            throw new CorruptStoreException("file of filters was replaced by another: file=" + path);
        }
    }

    /** The bytes that it takes, about, once all extents were asked for. */
    long memoryBytes() {
        return 2L * bytes.length + 4L * contents.frequent().count() * Long.BYTES + extents.memoryBytes();
    }

    /** The blocks of the file that it is in. */
    int blocks() {
        return (bytes.length - 1) / BlockWriter.CONTENTS_LENGTH + 1;
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

    /** Where a part begins in the contents. */
    long position(UnitPart part) {
        return Objects.requireNonNull(parts.get(part));
    }

    /** Where the lists begin in the contents. */
    long endOfParts() {
        return endOfParts;
    }
}
