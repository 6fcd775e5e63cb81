package dev.loom.filter;

import dev.loom.error.CorruptStoreException;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The extents of a group's units. Where units begin and end is read at once; which chunks one has, only when that is asked for, as a search
 * passes over most. Usable from any thread.
 */
final class UnitExtents {
    private static final int CHUNKS_OFFSET = 20;
    private static final int WORDS_OFFSET = 24;

    /** What a unit's chunks take once they were asked for, beside their addresses and rows. */
    private static final int EXTENT_BYTES = 96;

    private final Path path;
    private final long[] starts;
    private final long[] ends;
    private final int[] rows;
    private final int[] chunks;
    private final int[] words;
    /** Where the chunks of each unit lie in the contents; behind them, where those of the last one end. */
    private final long[] tables;

    /** Those that were asked for. They have final fields alone, so that a thread sees one whole or not at all. */
    private final @Nullable UnitExtent[] extents;

    /**
     * Takes them from a file's beginning.
     *
     * @param at where they lie in it
     * @param groupStart where the first unit begins
     * @throws CorruptStoreException if they are impossible
     */
    UnitExtents(UnsafeBuffer read, int at, int units, Path path, long groupStart) {
        this.path = path;
        starts = new long[units];
        ends = new long[units];
        rows = new int[units];
        chunks = new int[units];
        words = new int[units];
        tables = new long[units + 1];
        extents = new UnitExtent[units];
        tables[0] = at + (long) units * UnitGroupDescriptor.EXTENT_LENGTH;
        long chunksInAll = 0;
        for (int i = 0; i < units; i++) {
            int of = at + i * UnitGroupDescriptor.EXTENT_LENGTH;
            starts[i] = read.getLong(of, ByteOrder.LITTLE_ENDIAN);
            ends[i] = read.getLong(of + Long.BYTES, ByteOrder.LITTLE_ENDIAN);
            rows[i] = read.getInt(of + 2 * Long.BYTES, ByteOrder.LITTLE_ENDIAN);
            chunks[i] = read.getInt(of + CHUNKS_OFFSET, ByteOrder.LITTLE_ENDIAN);
            words[i] = read.getInt(of + WORDS_OFFSET, ByteOrder.LITTLE_ENDIAN);
            chunksInAll += chunks[i];
            boolean possible = chunks[i] >= 1
                    && chunks[i] <= UnitGroupDescriptor.CHUNKS_MAX
                    && chunksInAll <= UnitGroupDescriptor.GROUP_CHUNKS_MAX
                    && rows[i] >= 1
                    && rows[i] <= UnitShape.ROWS_MAX
                    && words[i] >= 0
                    && ends[i] > starts[i];
            if (!possible) {
                throw impossible(i);
            }
            long least = i == 0 ? groupStart : ends[i - 1];
            if (starts[i] < least || starts[0] != groupStart) {
                throw new CorruptStoreException(
                        "units are not in order: file=" + path + ", start=" + starts[i] + ", expected=" + least);
            }
            tables[i + 1] = tables[i] + (long) chunks[i] * UnitGroupDescriptor.CHUNK_LENGTH;
        }
    }

    private CorruptStoreException impossible(int unit) {
        return new CorruptStoreException("unit has an impossible extent: file=" + path + ", unit=" + unit + ", start="
                + starts[unit] + ", end=" + ends[unit] + ", rows=" + rows[unit] + ", chunks=" + chunks[unit]
                + ", words=" + words[unit]);
    }

    /** The number of units. */
    int units() {
        return extents.length;
    }

    /** The bytes that the extents take, about, once all were asked for. */
    long memoryBytes() {
        return endOfTables() - tables[0] + (long) extents.length * EXTENT_BYTES;
    }

    /** Where they end in the contents. */
    long endOfTables() {
        return tables[extents.length];
    }

    /** The address of a unit's first chunk. */
    long start(int unit) {
        return starts[unit];
    }

    /** The address behind a unit's last chunk. */
    long end(int unit) {
        return ends[unit];
    }

    /** The number of a unit's rows. */
    int rows(int unit) {
        return rows[unit];
    }

    /** The number of a unit's chunks. */
    int chunks(int unit) {
        return chunks[unit];
    }

    /** The number of a unit's distinct words. */
    int words(int unit) {
        return words[unit];
    }

    /** The unit that an address of the record log lies in, or -1. */
    int unitAt(long address) {
        int unit = unitFrom(address);
        return unit < starts.length && address >= starts[unit] ? unit : -1;
    }

    /** The first unit that ends behind an address of the record log; the number of units if there is none. */
    int unitFrom(long address) {
        int low = 0;
        int high = ends.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (address >= ends[middle]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * A unit's extent, with its chunks.
     *
     * @param blocks the file, in case nobody has asked for this extent yet
     * @throws CorruptStoreException if they are damaged
     */
    UnitExtent get(int unit, BlockContents blocks) {
        UnitExtent known = extents[unit];
        if (known == null) {
            known = read(unit, blocks);
            extents[unit] = known;
        }
        return known;
    }

    private UnitExtent read(int unit, BlockContents blocks) {
        UnsafeBuffer table = new UnsafeBuffer(new byte[UnitGroupDescriptor.CHUNK_LENGTH * chunks[unit]]);
        blocks.read(tables[unit], table, 0, table.capacity());
        long[] addresses = new long[chunks[unit]];
        int[] firstRows = new int[chunks[unit]];
        for (int i = 0; i < addresses.length; i++) {
            int of = i * UnitGroupDescriptor.CHUNK_LENGTH;
            addresses[i] = table.getLong(of, ByteOrder.LITTLE_ENDIAN);
            firstRows[i] = table.getInt(of + Long.BYTES, ByteOrder.LITTLE_ENDIAN);
        }
        try {
            return new UnitExtent(starts[unit], ends[unit], rows[unit], words[unit], addresses, firstRows);
        } catch (IllegalArgumentException e) {
            throw new CorruptStoreException("unit has an impossible extent: file=" + path + ", unit=" + unit, e);
        }
    }
}
