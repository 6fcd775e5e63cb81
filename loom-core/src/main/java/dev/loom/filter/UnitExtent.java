package dev.loom.filter;

import java.util.Arrays;

/**
 * The records that a unit describes: those of one source in {@code [start, end)} of the record log, whole chunks, and which rows
 * lie in which chunk.
 *
 * @param start the first chunk's address
 * @param end the address behind the last chunk
 * @param rows the unit's rows, 1 to {@value UnitShape#ROWS_MAX}
 * @param chunks the addresses of the chunks that have rows, ascending
 * @param firstRows the first row of each, ascending from 0
 */
@SuppressWarnings("ArrayRecordComponent") // compared by content, explicitly
record UnitExtent(long start, long end, int rows, long[] chunks, int[] firstRows) {
    UnitExtent {
        boolean right = start >= 0 && end > start && rows >= 1 && rows <= UnitShape.ROWS_MAX;
        right &= chunks.length >= 1 && chunks.length == firstRows.length;
        for (int i = 0; right && i < chunks.length; i++) {
            right = chunks[i] >= (i == 0 ? start : chunks[i - 1] + 1)
                    && chunks[i] < end
                    && (i == 0 ? firstRows[i] == 0 : firstRows[i] > firstRows[i - 1])
                    && firstRows[i] < rows;
        }
        if (!right) {
            throw new IllegalArgumentException("bad extent of a unit: start=" + start + ", end=" + end + ", rows="
                    + rows + ", chunks=" + Arrays.toString(chunks) + ", first rows=" + Arrays.toString(firstRows));
        }
    }

    /** Whether a chunk's rows belong to the unit. */
    boolean has(long chunk) {
        return Arrays.binarySearch(chunks, chunk) >= 0;
    }

    /** Whether rows of a set lie in a chunk. */
    boolean meets(RowSet set, long chunk) {
        int i = Arrays.binarySearch(chunks, chunk);
        return i >= 0 && set.meets(firstRows[i], i + 1 < firstRows.length ? firstRows[i + 1] : rows);
    }

    /** How many rows of a set lie in a chunk. */
    int rowsIn(RowSet set, long chunk) {
        int i = Arrays.binarySearch(chunks, chunk);
        return i < 0 ? 0 : set.count(firstRows[i], i + 1 < firstRows.length ? firstRows[i + 1] : rows);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof UnitExtent extent
                && start == extent.start
                && end == extent.end
                && rows == extent.rows
                && Arrays.equals(chunks, extent.chunks)
                && Arrays.equals(firstRows, extent.firstRows);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(start) * 31 + Long.hashCode(end);
    }
}
