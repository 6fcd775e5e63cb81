package dev.loom.filter;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Builds the structures of one unit, row by row, from the digests of its tokens: the frequency-division filter, the approximate
 * inverted index, and the filter of prefixes (ESTELLE, 3.2 and 3.3). Its answers never miss a row that has a token. Takes {@link
 * UnitShape#length()} bytes and 4 for each count. Reused; for one thread; adding allocates nothing.
 */
final class UnitBuilder {
    private static final short NO_ROW = (short) UnitShape.ROWS_MAX;

    private final UnitShape shape;
    private final TokenFilter frequent;
    private final TokenFilter rare;
    private final @Nullable TokenFilter prefixes;
    private final short[] counts;
    /** The row that each count has counted last, and 1; 0 for none. */
    private final int[] countedTo;
    /** Each list ascends and ends with {@link #NO_ROW}, unless it is full. */
    private final short[] lists;

    private int rows;

    UnitBuilder(UnitShape shape) {
        this.shape = shape;
        frequent = new TokenFilter(shape.frequentBits());
        rare = new TokenFilter(shape.rareBits());
        prefixes = shape.prefixBits() == 0 ? null : new TokenFilter(shape.prefixBits());
        counts = new short[shape.counts()];
        countedTo = new int[shape.counts()];
        lists = new short[shape.lists() * shape.listRows()];
        clear();
    }

    /** Begins another unit. */
    void clear() {
        frequent.clear();
        rare.clear();
        if (prefixes != null) {
            prefixes.clear();
        }
        Arrays.fill(counts, (short) 0);
        Arrays.fill(countedTo, 0);
        Arrays.fill(lists, NO_ROW);
        rows = 0;
    }

    /** The rows so far. */
    int rows() {
        return rows;
    }

    /**
     * Begins the next row; the tokens added from now on are its tokens.
     *
     * @throws IllegalStateException if the unit has {@link UnitShape#ROWS_MAX} rows
     */
    void nextRow() {
        if (rows == UnitShape.ROWS_MAX) {
            throw new IllegalStateException("unit is full: rows=" + rows);
        }
        rows++;
    }

    /** Adds a frequent word of the current row. */
    void addFrequent(long digest) {
        frequent.add(digest);
        int count = shape.countOf(digest);
        if (countedTo[count] != rows) {
            countedTo[count] = rows;
            counts[count]++; // at most the unit's rows
        }
    }

    /** Adds another word of the current row. */
    void addRare(long digest) {
        rare.add(digest);
        int from = shape.listOf(digest) * shape.listRows();
        short row = (short) (rows - 1);
        for (int i = from; i < from + shape.listRows(); i++) {
            if (lists[i] == row) {
                return;
            }
            if (lists[i] == NO_ROW) {
                lists[i] = row;
                return;
            }
        }
    }

    /** Adds a prefix of a word. */
    void addPrefix(long digest) {
        if (prefixes != null) {
            prefixes.add(digest);
        }
    }

    /** Whether a word that begins so may be in the unit. */
    boolean mayContainPrefix(long digest) {
        return prefixes == null || prefixes.mayContain(digest);
    }

    /** The most rows that a frequent word can be in; 0 if it is in none. */
    int countFrequent(long digest) {
        return frequent.mayContain(digest) ? Short.toUnsignedInt(counts[shape.countOf(digest)]) : 0;
    }

    /** Sets the rows that another word may be in. */
    void rowsOfRare(long digest, RowSet into) {
        into.clear();
        if (!rare.mayContain(digest)) {
            return;
        }
        int from = shape.listOf(digest) * shape.listRows();
        int last = 0;
        for (int i = from; i < from + shape.listRows() && lists[i] != NO_ROW; i++) {
            last = Short.toUnsignedInt(lists[i]);
            into.add(last);
        }
        if (into.count() == shape.listRows() && last + 1 < rows) {
            into.openAt(last + 1);
        }
    }
}
