package dev.loom.filter;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Lists of rows of a fixed length, two bytes a row, little-endian. A list ascends and has each row once; behind its last row is
 * {@link #NONE}, unless it is full.
 */
final class RowLists {
    /** In place of a row. */
    static final short NONE = (short) UnitShape.ROWS_MAX;

    private RowLists() {}

    /** Adds a row to a list with so many, which are at most as high. Returns false if it has the row. */
    static boolean add(MutableDirectBuffer lists, int offset, int count, int row) {
        int at = offset + count * Short.BYTES;
        if (count > 0 && lists.getShort(at - Short.BYTES, ByteOrder.LITTLE_ENDIAN) == (short) row) {
            return false;
        }
        lists.putShort(at, (short) row, ByteOrder.LITTLE_ENDIAN);
        return true;
    }

    /** Sets the rows that words of a list may be in, of a unit with so many rows. */
    static void read(DirectBuffer lists, int offset, int listRows, int rows, RowSet into) {
        into.clear();
        int last = -1;
        int count = 0;
        for (; count < listRows; count++) {
            short listed = lists.getShort(offset + count * Short.BYTES, ByteOrder.LITTLE_ENDIAN);
            if (listed == NONE) {
                return;
            }
            int row = Short.toUnsignedInt(listed);
            if (row <= last || row >= rows) {
                into.setAll(); // no list has such a row, so this one says nothing
                return;
            }
            last = row;
            into.add(last);
        }
        if (last + 1 < rows) {
            into.openAt(last + 1);
        }
    }
}
