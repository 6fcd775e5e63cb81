package dev.loom.filter;

import dev.loom.error.CorruptStoreException;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The lists of rows of a file of units. Most have far fewer rows than they can hold, so a file has no more than their rows: those of all
 * units with one number lie side by side, behind their lengths, and a table tells where. Reads one for a search, and some together for
 * whoever copies one after the other. For one thread.
 */
final class PackedLists {
    /** The lists of each unit that are read together for copying. */
    private static final int COPIED_AT_ONCE = 64;

    private final BlockContents blocks;
    private final Path path;
    private final long table;
    private final long runs;
    private final int lists;
    private final int listRows;
    private final int units;

    /** Lists that were read last: from the first on, of each all units' lengths and rows. */
    private final UnsafeBuffer read = new UnsafeBuffer(new byte[0]);

    private int first;
    private int count;
    /** Where the rows of each list and unit begin in them. */
    private int[] rowsAt = {};

    /**
     * Of a file.
     *
     * @param at where they lie in the contents
     */
    PackedLists(BlockContents blocks, Path path, long at, UnitShape shape, int units) {
        this.blocks = blocks;
        this.path = path;
        this.table = at;
        this.lists = shape.lists();
        this.runs = at + tableLength(lists);
        this.listRows = shape.listRows();
        this.units = units;
    }

    private static long tableLength(int lists) {
        return (lists + 1L) * Long.BYTES;
    }

    /** The bytes of the lists of one unit. */
    static long length(TokenUnit unit) {
        UnitShape shape = unit.shape();
        if (shape.listRows() == 0) {
            return 0;
        }
        List<TokenUnit> units = List.of(unit);
        UnsafeBuffer run = new UnsafeBuffer(new byte[runLengthMax(shape.listRows(), 1)]);
        long length = tableLength(shape.lists());
        for (int list = 0; list < shape.lists(); list++) {
            length += pack(units, list, run);
        }
        return length;
    }

    private static int runLengthMax(int listRows, int units) {
        return units * (1 + listRows * Short.BYTES);
    }

    /** Writes the lists of units of one shape. Goes through them twice: where each list will lie comes first. */
    static void write(BlockWriter blocks, List<? extends TokenUnit> units) {
        UnitShape shape = units.get(0).shape();
        if (shape.listRows() == 0) {
            return;
        }
        UnsafeBuffer run = new UnsafeBuffer(new byte[runLengthMax(shape.listRows(), units.size())]);
        UnsafeBuffer number = new UnsafeBuffer(new byte[Long.BYTES]);
        long at = 0;
        for (int list = 0; list < shape.lists(); list++) {
            number.putLong(0, at, ByteOrder.LITTLE_ENDIAN);
            blocks.put(number, 0, Long.BYTES);
            at += pack(units, list, run);
        }
        number.putLong(0, at, ByteOrder.LITTLE_ENDIAN);
        blocks.put(number, 0, Long.BYTES);
        for (int list = 0; list < shape.lists(); list++) {
            blocks.put(run, 0, pack(units, list, run));
        }
    }

    /** Copies the lists of all units with one number, behind their lengths. Returns the bytes that they take. */
    private static int pack(List<? extends TokenUnit> units, int list, UnsafeBuffer into) {
        int at = units.size();
        for (int i = 0; i < units.size(); i++) {
            int rows = units.get(i).copyList(list, into, at);
            into.putByte(i, (byte) rows);
            at += rows * Short.BYTES;
        }
        return at;
    }

    /** Sets the rows that words of a unit's list may be in; the unit has {@code unit} rows. */
    void rows(int list, int unit, int rows, RowSet into) {
        if (listRows == 0) {
            into.setAll();
            return;
        }
        if (!has(list)) {
            read(list, 1);
        }
        int place = place(list, unit);
        RowLists.read(read, rowsAt[place], length(place), listRows, rows, into);
    }

    /** Copies a list of a unit. Returns the number of its rows. */
    int copy(int list, int unit, MutableDirectBuffer into, int offset) {
        if (!has(list)) {
            read(list, Math.min(COPIED_AT_ONCE, lists - list));
        }
        int place = place(list, unit);
        into.putBytes(offset, read, rowsAt[place], length(place) * Short.BYTES);
        return length(place);
    }

    /**
     * Reads all.
     *
     * @throws CorruptStoreException if a block is damaged, or lists are impossible
     */
    void check() {
        for (int list = 0; listRows > 0 && list < lists; list += COPIED_AT_ONCE) {
            read(list, Math.min(COPIED_AT_ONCE, lists - list));
        }
    }

    private boolean has(int list) {
        return list >= first && list < first + count;
    }

    private int place(int list, int unit) {
        return (list - first) * units + unit;
    }

    /** The rows of a list that was read. */
    private int length(int place) {
        int run = place / units * units;
        return read.getByte(rowsAt[run] - units + place - run);
    }

    private void read(int from, int number) {
        count = 0; // if it fails, nothing was read
        UnsafeBuffer places = new UnsafeBuffer(new byte[(number + 1) * Long.BYTES]);
        blocks.read(table + (long) from * Long.BYTES, places, 0, places.capacity());
        long begin = places.getLong(0, ByteOrder.LITTLE_ENDIAN);
        long end = places.getLong(number * Long.BYTES, ByteOrder.LITTLE_ENDIAN);
        long longest = runLengthMax(listRows, units);
        boolean possible = begin >= (long) from * units
                && begin <= from * longest
                && end >= begin
                && end - begin <= number * longest;
        if (!possible) {
            throw impossible(from);
        }
        int length = (int) (end - begin);
        if (read.capacity() < length) {
            read.wrap(new byte[length]);
        }
        blocks.read(runs + begin, read, 0, length);
        if (rowsAt.length < number * units) {
            rowsAt = new int[number * units];
        }
        int at = 0;
        for (int i = 0; i < number; i++) {
            if (at != places.getLong(i * Long.BYTES, ByteOrder.LITTLE_ENDIAN) - begin || at + units > length) {
                throw impossible(from + i);
            }
            at = findRows(from + i, i * units, at, length);
        }
        if (at != length) {
            throw impossible(from + number - 1);
        }
        first = from;
        count = number;
    }

    /** Finds where the rows of each unit begin in a run, and returns where it ends. */
    private int findRows(int list, int place, int run, int length) {
        int at = run + units;
        for (int unit = 0; unit < units; unit++) {
            int rows = read.getByte(run + unit);
            rowsAt[place + unit] = at;
            at += rows * Short.BYTES;
            if (rows < 0 || rows > listRows || at > length) {
                throw impossible(list);
            }
        }
        return at;
    }

    private CorruptStoreException impossible(int list) {
        return new CorruptStoreException("lists of rows are impossible: file=" + path + ", list=" + list);
    }
}
