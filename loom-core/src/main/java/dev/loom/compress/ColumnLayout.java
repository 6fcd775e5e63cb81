package dev.loom.compress;

import dev.loom.format.Field;
import dev.loom.format.PayloadFormat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * A page's records by columns. Little-endian.
 * <pre>
 *   the page's header, 64 bytes
 *   records (2), sources (2)
 *   for each source, in the order of their first records:
 *     id (2), number of columns (1), the width of each (1)
 *   for each record, as columns: payload length (3 bytes wide), type - 1 (1), the source's place in that list (2),
 *     time since the record before (6), back-pointer less the distance to the source's record before, zigzag (4)
 *   for each source:
 *     its columns, of the records that have them all: value less that of the record before, zigzag
 *     what follows in each of its records
 * </pre>
 *
 * <p>A column is a mask (1) of the bytes of its values that are not all zero, lowest first, and then for each of those the
 * byte of every value. The columns of a source are the first bytes of its payloads, cut where its format has a field; only
 * whole records that are long enough have them. What pads records, and what lies behind them, is zero.
 */
final class ColumnLayout {
    static final int LENGTH_WIDTH = 3;
    static final int TYPE_WIDTH = 1;
    static final int SOURCE_WIDTH = 2;
    static final int TIME_WIDTH = 6;
    static final int BACK_WIDTH = 4;

    /** The most columns of a source; further bytes are like those of variable length. */
    static final int COLUMNS_MAX = 255;

    static final byte[] NONE = {};

    private ColumnLayout() {}

    /** The widths of a format's columns, each 1, 2, 4 or 8. */
    static byte[] columns(PayloadFormat format) {
        List<PayloadFormat.FixedField> fixed = new ArrayList<>();
        for (Field field : format.fields()) {
            PayloadFormat.FixedField found = format.fixedField(field.name());
            if (found != null) {
                fixed.add(found);
            }
        }
        fixed.sort(Comparator.comparingInt(PayloadFormat.FixedField::offset));
        byte[] widths = new byte[COLUMNS_MAX];
        int count = 0;
        int end = 0;
        for (PayloadFormat.FixedField field : fixed) {
            int gap = field.offset() - end;
            if (gap < 0 || count + gap + 1 > COLUMNS_MAX) {
                break;
            }
            // such as the bits of optional fields
            for (int i = 0; i < gap; i++) {
                widths[count++] = 1;
            }
            widths[count++] = (byte) field.type().fixedLength();
            end = field.offset() + field.type().fixedLength();
        }
        return count == 0 ? NONE : Arrays.copyOf(widths, count);
    }

    static boolean isWidth(int width) {
        return width == Byte.BYTES || width == Short.BYTES || width == Integer.BYTES || width == Long.BYTES;
    }

    /** The difference between two values of a width, so that its zigzag form has no more bytes. */
    static long difference(long value, long before, int width) {
        int unused = Long.SIZE - width * Byte.SIZE;
        return (value - before) << unused >> unused;
    }

    static long zigzag(long value) {
        return value << 1 ^ value >> (Long.SIZE - 1);
    }

    static long unzigzag(long value) {
        return value >>> 1 ^ -(value & 1);
    }
}
