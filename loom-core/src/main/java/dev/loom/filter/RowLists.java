package dev.loom.filter;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** Lists of rows, two bytes a row, little-endian. A list ascends and has each row once. */
final class RowLists {
    private RowLists() {}

    /** Adds a row to a list of {@code count} rows, which are at most as high. Returns false if it has the row. */
    static boolean add(MutableDirectBuffer lists, int offset, int count, int row) {
        int at = offset + count * Short.BYTES;
        if (count > 0 && lists.getShort(at - Short.BYTES, ByteOrder.LITTLE_ENDIAN) == (short) row) {
            return false;
        }
        lists.putShort(at, (short) row, ByteOrder.LITTLE_ENDIAN);
        return true;
    }

    /**
     * Sets the rows that words of a list may be in.
     *
     * @param count the rows that it lists
     * @param listRows those that it can list: if it is full, words may be in any row behind its last
     * @param rows those of the unit
     */
    static void read(DirectBuffer lists, int offset, int count, int listRows, int rows, RowSet into) {
        into.clear();
        int last = -1;
        for (int i = 0; i < count; i++) {
            int row = Short.toUnsignedInt(lists.getShort(offset + i * Short.BYTES, ByteOrder.LITTLE_ENDIAN));
            if (row <= last || row >= rows) {
                into.setAll(); // no list has such a row, so this one says nothing
                return;
            }
            last = row;
            into.add(last);
        }
        if (count == listRows && last + 1 < rows) {
            into.openAt(last + 1);
        }
    }
}
