package dev.loom.filter;

import java.util.Arrays;

/**
 * The records that a unit describes: those of one source in {@code [start, end)} of the record log, whole chunks, and which rows
 * lie in which chunk.
 *
 * @param start the first chunk's address
 * @param end the address behind the last chunk
 * @param rows the unit's rows, 1 to {@value UnitShape#ROWS_MAX}
 * @param words the distinct words and values of these rows, except those that its filters mistake for others
 * @param chunks the addresses of the chunks that have rows, ascending
 * @param firstRows the first row of each, ascending from 0
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content, explicitly
record UnitExtent(long start, long end, int rows, int words, long[] chunks, int[] firstRows) {
    UnitExtent {
        boolean right = start >= 0 && end > start && rows >= 1 && rows <= UnitShape.ROWS_MAX && words >= 0;
        right &= chunks.length >= 1 && chunks.length == firstRows.length;
        for (int i = 0; right && i < chunks.length; i++) {
            right = chunks[i] >= (i == 0 ? start : chunks[i - 1] + 1)
                    && chunks[i] < end
                    && (i == 0 ? firstRows[i] == 0 : firstRows[i] > firstRows[i - 1])
                    && firstRows[i] < rows;
        }
        if (!right) {
            throw new IllegalArgumentException(
                    "bad extent of a unit: start=" + start + ", end=" + end + ", rows=" + rows + ", words=" + words
                            + ", chunks=" + Arrays.toString(chunks) + ", first rows=" + Arrays.toString(firstRows));
        }
    }

    /** Whether an address lies in the unit, be it in a chunk that it has or not. */
    boolean spans(long address) {
        return address >= start && address < end;
    }

    /**
     * The place of a chunk among those whose rows belong to the unit; negative if it is none of them.
     *
     * @param near a place whose neighbours are looked at first
     */
    int find(long chunkAddress, int near) {
        if (near > 0 && near <= chunks.length && chunks[near - 1] == chunkAddress) {
            return near - 1;
        }
        boolean follows = near >= -1 && near + 1 < chunks.length && chunks[near + 1] == chunkAddress;
        return follows ? near + 1 : Arrays.binarySearch(chunks, chunkAddress);
    }

    /** The place of the first chunk that begins at an address or behind it; the number of chunks if there is none. */
    int placeFrom(long address) {
        int at = Arrays.binarySearch(chunks, address);
        return at < 0 ? -at - 1 : at;
    }

    /** Whether rows of a set lie in the chunk at a place. */
    boolean meets(RowSet set, int place) {
        return set.meets(firstRow(place), firstRow(place + 1));
    }

    /** How many rows of a set lie in the chunk at a place. */
    int rowsIn(RowSet set, int place) {
        return set.count(firstRow(place), firstRow(place + 1));
    }

    /** The rows of the chunk at a place. */
    int chunkRows(int place) {
        return firstRow(place + 1) - firstRow(place);
    }

    /** The first row of the chunk at a place; behind the last chunk the number of all rows. */
    int firstRow(int place) {
        return place < firstRows.length ? firstRows[place] : rows;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof UnitExtent extent
                && start == extent.start
                && end == extent.end
                && rows == extent.rows
                && words == extent.words
                && Arrays.equals(chunks, extent.chunks)
                && Arrays.equals(firstRows, extent.firstRows);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(start) * 31 + Long.hashCode(end);
    }
}
