package dev.loom.filter;

import java.util.Arrays;

/**
 * Rows of a unit that may contain something: some by number, and all from an <i>open</i> row on. A list of an approximate inverted
 * index gives such a set: what it lists, and, if it is full, everything behind its last row (ESTELLE, 3.3).
 *
 * <p>The paper's own rules for AND (4.3) lose rows. It discards a unit if the intersection is empty and one of the lists is not
 * full, though the full one says nothing about the rows behind its last; the word may be in any of them. Reused; for one thread.
 */
final class RowSet {
    /** The open row of a set that has none. */
    static final int CLOSED = Integer.MAX_VALUE;

    private int[] rows = new int[16];
    private int count;
    private int open = CLOSED;
    /** How many of the rows can contain it at most, where that is known otherwise. */
    private int most = Integer.MAX_VALUE;

    /** Becomes the set of no rows. */
    RowSet clear() {
        count = 0;
        open = CLOSED;
        most = Integer.MAX_VALUE;
        return this;
    }

    /** Becomes the set of all rows. */
    RowSet setAll() {
        clear();
        open = 0;
        return this;
    }

    /** Becomes the set of all rows, at most {@code rows} of which contain it. */
    RowSet setMost(int rows) {
        setAll();
        most = rows;
        return this;
    }

    /** Becomes the same set as another. */
    RowSet set(RowSet other) {
        if (rows.length < other.count) {
            rows = new int[other.rows.length];
        }
        System.arraycopy(other.rows, 0, rows, 0, other.count);
        count = other.count;
        open = other.open;
        most = other.most;
        return this;
    }

    /** Adds a row, which is above all listed ones. */
    void add(int row) {
        if (count == rows.length) {
            rows = Arrays.copyOf(rows, 2 * count);
        }
        rows[count++] = row;
    }

    /** Adds all rows from here on; listed ones are below. */
    void openAt(int row) {
        open = row;
    }

    /** The number of rows that are listed. */
    int count() {
        return count;
    }

    /** A listed row; they ascend. */
    int row(int i) {
        return rows[i];
    }

    /** The row from which on all belong to the set, or {@link #CLOSED}. */
    int open() {
        return open;
    }

    boolean isEmpty() {
        return count == 0 && open == CLOSED;
    }

    boolean contains(int row) {
        return row >= open || Arrays.binarySearch(rows, 0, count, row) >= 0;
    }

    /** Whether all rows of another set belong to this one. */
    boolean containsAll(RowSet other) {
        boolean all = open <= other.open;
        for (int i = 0; all && i < other.count; i++) {
            all = contains(other.rows[i]);
        }
        return all;
    }

    /** Whether a row in {@code [from, to)} belongs to the set. */
    boolean meets(int from, int to) {
        if (from >= to || isEmpty()) {
            return false;
        }
        int at = Arrays.binarySearch(rows, 0, count, from);
        return to > open || at >= 0 || (-at - 1 < count && rows[-at - 1] < to);
    }

    /** How many rows in {@code [from, to)} belong to the set. */
    int count(int from, int to) {
        if (from >= to) {
            return 0;
        }
        int listed = insertion(Math.min(to, open)) - insertion(from);
        return Math.max(0, listed) + Math.max(0, to - Math.max(from, open));
    }

    /** The number of listed rows below a row. */
    private int insertion(int row) {
        int at = Arrays.binarySearch(rows, 0, count, row);
        return at < 0 ? -at - 1 : at;
    }

    /** How many rows can contain it at most, whatever their number. */
    private int most() {
        return open == CLOSED ? Math.min(most, count) : most;
    }

    /** Whether something says how many rows can contain it, rather than that any behind a full list may. */
    boolean isBounded() {
        return most() != Integer.MAX_VALUE;
    }

    /** How many rows of a unit can contain it at most. */
    int most(int unitRows) {
        return Math.min(most, count(0, unitRows));
    }

    /** Becomes the rows that belong to both of two other sets. */
    RowSet setAnd(RowSet a, RowSet b) {
        clear();
        int i = 0;
        int j = 0;
        while (i < a.count || j < b.count) {
            int row = Math.min(i < a.count ? a.rows[i] : CLOSED, j < b.count ? b.rows[j] : CLOSED);
            boolean inA = i < a.count && a.rows[i] == row;
            boolean inB = j < b.count && b.rows[j] == row;
            if ((inA || row >= a.open) && (inB || row >= b.open)) {
                add(row);
            }
            i += inA ? 1 : 0;
            j += inB ? 1 : 0;
        }
        open = Math.max(a.open, b.open);
        most = Math.min(a.most, b.most);
        return this;
    }

    /** Becomes the rows that belong to one of two other sets. */
    RowSet setOr(RowSet a, RowSet b) {
        clear();
        open = Math.min(a.open, b.open);
        most = (int) Math.min(Integer.MAX_VALUE, (long) a.most() + b.most());
        int i = 0;
        int j = 0;
        while (i < a.count || j < b.count) {
            int row = Math.min(i < a.count ? a.rows[i] : CLOSED, j < b.count ? b.rows[j] : CLOSED);
            if (row >= open) {
                break;
            }
            add(row);
            i += i < a.count && a.rows[i] == row ? 1 : 0;
            j += j < b.count && b.rows[j] == row ? 1 : 0;
        }
        return this;
    }

    @Override
    public String toString() {
        return Arrays.toString(Arrays.copyOf(rows, count)) + (open == CLOSED ? "" : " and from " + open + " on");
    }
}
