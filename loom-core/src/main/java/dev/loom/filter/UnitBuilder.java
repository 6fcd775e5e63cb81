package dev.loom.filter;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Builds the structures of one unit, row by row, from the digests of its tokens: the frequency-division filter, the approximate
 * inverted index, and the filter of prefixes (ESTELLE, 3.2 and 3.3). Its answers never miss a row that has a token. Takes {@link
 * #length} bytes. Reused; for one thread; adding allocates nothing.
 */
final class UnitBuilder {
    private final UnitShape shape;
    private final TokenFilter frequent;
    private final TokenFilter rare;
    private final @Nullable TokenFilter prefixes;
    private final UnsafeBuffer counts;
    /** The row that each count has counted last, and 1; 0 for none. */
    private final int[] countedTo;

    private final UnsafeBuffer lists;
    /** The rows that each list has, apart from the lists, so that a full one is not touched, and none is looked through for its end. */
    private final byte[] listed;

    private int rows;
    private int rareWords;
    private int frequentWords;

    UnitBuilder(UnitShape shape) {
        this.shape = shape;
        frequent = new TokenFilter(shape.frequentBits());
        rare = new TokenFilter(shape.rareBits());
        prefixes = shape.prefixBits() == 0 ? null : new TokenFilter(shape.prefixBits());
        counts = new UnsafeBuffer(new byte[(int) UnitPart.FREQUENT_COUNTS.length(shape)]);
        countedTo = new int[shape.counts()];
        lists = new UnsafeBuffer(new byte[shape.lists() * shape.listRows() * Short.BYTES]);
        listed = new byte[shape.lists()];
        clear();
    }

    /** The bytes that a builder takes. */
    static long length(UnitShape shape) {
        return shape.length() + (long) Integer.BYTES * shape.counts() + shape.lists();
    }

    /** Begins another unit. */
    void clear() {
        frequent.clear();
        rare.clear();
        if (prefixes != null) {
            prefixes.clear();
        }
        counts.setMemory(0, counts.capacity(), (byte) 0);
        Arrays.fill(countedTo, 0);
        Arrays.fill(listed, (byte) 0);
        rows = 0;
        rareWords = 0;
        frequentWords = 0;
    }

    /** The distinct words so far that are not frequent, except those that the filter mistakes for others. */
    int rareWords() {
        return rareWords;
    }

    /** The distinct words and values so far, except those that a filter mistakes for others. */
    int words() {
        return rareWords + frequentWords;
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

    /** Adds a frequent word of the current row. Returns its count. */
    int addFrequent(long digest) {
        checkRow();
        frequentWords += frequent.add(digest) ? 1 : 0;
        int count = shape.countOf(digest);
        countRow(count);
        return count;
    }

    /** Counts the current row for a frequent word that the unit has already. */
    void countRow(int count) {
        if (countedTo[count] != rows) {
            countedTo[count] = rows;
            int at = count * Short.BYTES;
            short counted = counts.getShort(at, ByteOrder.LITTLE_ENDIAN); // at most the unit's rows
            counts.putShort(at, (short) (counted + 1), ByteOrder.LITTLE_ENDIAN);
        }
    }

    /** Adds another word of the current row. Returns its list. */
    int addRare(long digest) {
        checkRow();
        rareWords += rare.add(digest) ? 1 : 0;
        int list = shape.listOf(digest);
        listRow(list);
        return list;
    }

    /** Lists the current row for another word that the unit has already. */
    void listRow(int list) {
        int count = listed[list];
        if (count < shape.listRows() && RowLists.add(lists, listAt(list), count, rows - 1)) {
            listed[list] = (byte) (count + 1);
        }
    }

    private void checkRow() {
        if (rows == 0) {
            throw new IllegalStateException("no row has begun");
        }
    }

    private int listAt(int list) {
        return list * shape.listRows() * Short.BYTES;
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
        return frequent.mayContain(digest)
                ? Short.toUnsignedInt(counts.getShort(shape.countOf(digest) * Short.BYTES, ByteOrder.LITTLE_ENDIAN))
                : 0;
    }

    /** Sets the rows that another word may be in. */
    void rowsOfRare(long digest, RowSet into) {
        into.clear();
        if (rare.mayContain(digest)) {
            int list = shape.listOf(digest);
            RowLists.read(lists, listAt(list), listed[list], shape.listRows(), rows, into);
        }
    }

    /** The unit so far, for copying; it holds until the builder changes. */
    TokenUnit unit(UnitExtent extent) {
        if (extent.rows() != rows) {
            throw new IllegalArgumentException("extent has other rows: rows=" + extent.rows() + ", built=" + rows);
        }
        return new TokenUnit() {
            @Override
            public UnitShape shape() {
                return shape;
            }

            @Override
            public UnitExtent extent() {
                return extent;
            }

            @Override
            public void copy(UnitPart part, int firstPiece, int pieces, MutableDirectBuffer into, int offset) {
                UnitBuilder.this.copy(part, firstPiece, pieces, into, offset);
            }

            @Override
            public int copyList(int list, MutableDirectBuffer into, int offset) {
                return UnitBuilder.this.copyList(list, into, offset);
            }
        };
    }

    /** Copies pieces of a part, one after the other. */
    void copy(UnitPart part, int firstPiece, int pieces, MutableDirectBuffer into, int offset) {
        int length = part.pieceLength(shape);
        into.putBytes(offset, bytes(part), firstPiece * length, pieces * length);
    }

    /** Copies a list of rows. Returns their number. */
    int copyList(int list, MutableDirectBuffer into, int offset) {
        into.putBytes(offset, lists, listAt(list), listed[list] * Short.BYTES);
        return listed[list];
    }

    private DirectBuffer bytes(UnitPart part) {
        return switch (part) {
            case FREQUENT_FIELDS -> frequent.fields();
            case FREQUENT_COUNTS -> counts;
            case RARE_FIELDS -> rare.fields();
            case PREFIX_FIELDS -> Objects.requireNonNull(prefixes).fields();
        };
    }
}
