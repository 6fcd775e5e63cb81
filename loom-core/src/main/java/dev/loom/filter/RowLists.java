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

    /** Adds a row, which is at or above all listed ones, if there is room. */
    static void add(MutableDirectBuffer lists, int offset, int listRows, int row) {
        if (listRows == 0 || lists.getShort(offset + (listRows - 1) * Short.BYTES, ByteOrder.LITTLE_ENDIAN) != NONE) {
            return; // it is full, or there is none
        }
        for (int at = offset; at < offset + listRows * Short.BYTES; at += Short.BYTES) {
            short listed = lists.getShort(at, ByteOrder.LITTLE_ENDIAN);
            if (listed == (short) row) {
                return;
            }
            if (listed == NONE) {
                lists.putShort(at, (short) row, ByteOrder.LITTLE_ENDIAN);
                return;
            }
        }
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
