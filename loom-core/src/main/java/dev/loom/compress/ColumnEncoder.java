package dev.loom.compress;

import dev.loom.log.PageDescriptor;
import dev.loom.record.RecordDescriptor;
import java.util.function.IntFunction;
import org.agrona.DirectBuffer;

/** Divides pages of records into their {@linkplain ColumnLayout columns}. For one thread. */
final class ColumnEncoder {
    /** The columns of a page; what would take more is left as a page. */
    static final int LENGTH_MAX = PageDescriptor.PAGE_LENGTH;

    private final IntFunction<byte[]> columnsOf;
    private final byte[] out = new byte[LENGTH_MAX];
    private final int[] offsets = new int[RecordDescriptor.PAGE_RECORDS_MAX];
    private final char[] places = new char[RecordDescriptor.PAGE_RECORDS_MAX];
    private final int[] ids = new int[RecordDescriptor.PAGE_RECORDS_MAX];
    private final int[] last = new int[RecordDescriptor.PAGE_RECORDS_MAX];
    private final int[] whole = new int[RecordDescriptor.PAGE_RECORDS_MAX];
    private final RecordsBySource bySource = new RecordsBySource();
    private final long[] values = new long[RecordDescriptor.PAGE_RECORDS_MAX];

    /** By source id: its place on this page, from 1. */
    private final char[] placeOf = new char[1 << Character.SIZE];

    private int at;
    private int records;
    private int sources;

    /** @param columnsOf the widths of a source's columns, by its id; the same for every call */
    ColumnEncoder(IntFunction<byte[]> columnsOf) {
        this.columnsOf = columnsOf;
    }

    /** What was encoded last, from 0. */
    byte[] columns() {
        return out;
    }

    /**
     * Encodes a page.
     *
     * @return the length of {@link #columns()}, or -1 if the page can't be divided, or would grow
     */
    int encode(DirectBuffer page) {
        at = 0;
        try {
            if (!findRecords(page)) {
                return -1;
            }
            page.getBytes(0, out, 0, PageDescriptor.HEADER_LENGTH);
            at = PageDescriptor.HEADER_LENGTH;
            putShort(records);
            putShort(sources);
            for (int i = 0; i < sources; i++) {
                byte[] columns = columnsOf.apply(ids[i]);
                putShort(ids[i]);
                out[at++] = (byte) columns.length;
                putBytes(columns);
            }
            putHeaders(page);
            bySource.sort(places, records, sources);
            for (int i = 0; i < sources; i++) {
                putPayloads(page, i == 0 ? 0 : bySource.end(i - 1), bySource.end(i), columnsOf.apply(ids[i]));
            }
            return at;
        } catch (IndexOutOfBoundsException e) {
            return -1; // it grows
        } finally {
            for (int i = 0; i < sources; i++) {
                placeOf[ids[i]] = 0;
            }
        }
    }

    /** False if what is in the page are not records that fill it. */
    private boolean findRecords(DirectBuffer page) {
        int used = PageDescriptor.used(page, 0);
        int offset = PageDescriptor.HEADER_LENGTH;
        records = 0;
        sources = 0;
        while (offset < used) {
            int id = RecordDescriptor.sourceId(page.getLong(offset + RecordDescriptor.WORD1_OFFSET));
            if (placeOf[id] == 0) {
                ids[sources++] = id;
                placeOf[id] = (char) sources;
            }
            offsets[records] = offset;
            places[records++] = (char) (placeOf[id] - 1);
            offset += RecordDescriptor.alignedLength(
                    RecordDescriptor.length(page.getLong(offset + RecordDescriptor.WORD0_OFFSET)));
        }
        return offset == used;
    }

    private void putHeaders(DirectBuffer page) {
        for (int i = 0; i < records; i++) {
            values[i] = RecordDescriptor.length(word0(page, i));
        }
        putColumn(ColumnLayout.LENGTH_WIDTH, records);
        for (int i = 0; i < records; i++) {
            values[i] = RecordDescriptor.type(word0(page, i)) - 1L;
        }
        putColumn(ColumnLayout.TYPE_WIDTH, records);
        for (int i = 0; i < records; i++) {
            values[i] = places[i];
        }
        putColumn(ColumnLayout.SOURCE_WIDTH, records);
        long before = 0;
        for (int i = 0; i < records; i++) {
            long time = RecordDescriptor.timeDelta(page.getLong(offsets[i] + RecordDescriptor.WORD1_OFFSET));
            values[i] = time - before;
            before = time;
        }
        putColumn(ColumnLayout.TIME_WIDTH, records);
        for (int i = 0; i < sources; i++) {
            last[i] = 0;
        }
        for (int i = 0; i < records; i++) {
            int previous = last[places[i]];
            long distance = previous == 0 ? 0 : (offsets[i] - previous) / RecordDescriptor.ALIGNMENT;
            long back = RecordDescriptor.back(word0(page, i)) / RecordDescriptor.ALIGNMENT;
            values[i] = ColumnLayout.zigzag(ColumnLayout.difference(back, distance, ColumnLayout.BACK_WIDTH));
            last[places[i]] = offsets[i];
        }
        putColumn(ColumnLayout.BACK_WIDTH, records);
    }

    private long word0(DirectBuffer page, int index) {
        return page.getLong(offsets[index] + RecordDescriptor.WORD0_OFFSET);
    }

    private void putPayloads(DirectBuffer page, int begin, int end, byte[] columns) {
        int prefix = 0;
        for (byte width : columns) {
            prefix += width;
        }
        int count = 0;
        for (int k = begin; k < end; k++) {
            int index = bySource.record(k);
            if (hasColumns(page, index, prefix)) {
                whole[count++] = offsets[index] + RecordDescriptor.HEADER_LENGTH;
            }
        }
        int field = 0;
        for (byte width : columns) {
            long before = 0;
            for (int k = 0; k < count; k++) {
                long value = value(page, whole[k] + field, width);
                values[k] = ColumnLayout.zigzag(ColumnLayout.difference(value, before, width));
                before = value;
            }
            putColumn(width, count);
            field += width;
        }
        for (int k = begin; k < end; k++) {
            int index = bySource.record(k);
            int from = hasColumns(page, index, prefix) ? prefix : 0;
            int length = RecordDescriptor.length(word0(page, index)) - from;
            page.getBytes(offsets[index] + RecordDescriptor.HEADER_LENGTH + from, out, at, length);
            at += length;
        }
    }

    private boolean hasColumns(DirectBuffer page, int index, int prefix) {
        long word0 = word0(page, index);
        return RecordDescriptor.type(word0) == RecordDescriptor.WHOLE && RecordDescriptor.length(word0) >= prefix;
    }

    private static long value(DirectBuffer page, int offset, int width) {
        return switch (width) {
            case Byte.BYTES -> page.getByte(offset);
            case Short.BYTES -> page.getShort(offset);
            case Integer.BYTES -> page.getInt(offset);
            default -> page.getLong(offset);
        };
    }

    /** Appends the values as a column. */
    private void putColumn(int width, int count) {
        long all = 0;
        for (int i = 0; i < count; i++) {
            all |= values[i];
        }
        int mask = 0;
        for (int b = 0; b < width; b++) {
            mask |= ((all >>> (b * Byte.SIZE)) & 0xff) != 0 ? 1 << b : 0;
        }
        out[at++] = (byte) mask;
        for (int b = 0; b < width; b++) {
            if ((mask >>> b & 1) != 0) {
                for (int i = 0; i < count; i++) {
                    out[at + i] = (byte) (values[i] >>> (b * Byte.SIZE));
                }
                at += count;
            }
        }
    }

    private void putShort(int value) {
        out[at++] = (byte) value;
        out[at++] = (byte) (value >>> Byte.SIZE);
    }

    private void putBytes(byte[] bytes) {
        System.arraycopy(bytes, 0, out, at, bytes.length);
        at += bytes.length;
    }
}
