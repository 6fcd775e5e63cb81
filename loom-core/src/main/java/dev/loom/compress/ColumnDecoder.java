package dev.loom.compress;

import dev.loom.log.PageDescriptor;
import dev.loom.record.RecordDescriptor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Makes pages of their {@linkplain ColumnLayout columns}, which may be wrong in any way. For one thread. */
final class ColumnDecoder {
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int BYTE = 0xff;

    /** By record: where it begins in the page. */
    private final char[] offsets = new char[RecordDescriptor.PAGE_RECORDS_MAX];

    /** By record: its payload's length and its type, as in its first word. */
    private final int[] heads = new int[RecordDescriptor.PAGE_RECORDS_MAX];

    /** By record: the place of its source in the list. */
    private final char[] places = new char[RecordDescriptor.PAGE_RECORDS_MAX];

    private final RecordsBySource bySource = new RecordsBySource();

    /** By source: its id while times are read, then the last record met. */
    private final char[] ofSource = new char[RecordDescriptor.PAGE_RECORDS_MAX];

    /** The records of a source that have all columns. */
    private final char[] whole = new char[RecordDescriptor.PAGE_RECORDS_MAX];

    private final long[] values = new long[RecordDescriptor.PAGE_RECORDS_MAX];

    private byte[] in = {};
    private byte[] out = {};
    private int at;
    private int records;
    private int sources;

    /** Where the list of sources begins. */
    private int sourcesAt;

    /**
     * Decodes a page.
     *
     * @param columns from 0; bytes behind its end are not looked at
     * @param page where the page goes, from 0
     * @return whether these are columns of a page; otherwise anything may be in {@code page}
     */
    boolean decode(byte[] columns, int length, byte[] page) {
        in = columns;
        out = page;
        at = 0;
        try {
            Arrays.fill(out, (byte) 0);
            System.arraycopy(in, 0, out, 0, PageDescriptor.HEADER_LENGTH);
            at = PageDescriptor.HEADER_LENGTH;
            if (!readSizes() || !readHeads((int) INT.get(out, PageDescriptor.USED_OFFSET))) {
                return false;
            }
            readHeaders();
            return readPayloads() && at == length;
        } catch (IndexOutOfBoundsException e) {
            return false; // every access to the columns and the lists of records is checked by the JVM
        }
    }

    private boolean readSizes() {
        records = readShort();
        sources = readShort();
        return records <= RecordDescriptor.PAGE_RECORDS_MAX && sources <= records;
    }

    private int readShort() {
        int value = (in[at] & BYTE) | (in[at + 1] & BYTE) << Byte.SIZE;
        at += Short.BYTES;
        return value;
    }

    /** Lengths, types and sources, which tell where everything else is. False if the records do not fill the page. */
    private boolean readHeads(int used) {
        sourcesAt = at;
        for (int i = 0; i < sources; i++) {
            at += Short.BYTES + 1 + (in[at + Short.BYTES] & BYTE);
        }
        readColumn(ColumnLayout.LENGTH_WIDTH, records);
        int end = PageDescriptor.HEADER_LENGTH;
        for (int i = 0; i < records; i++) {
            int length = (int) values[i];
            offsets[i] = (char) end;
            heads[i] = length;
            end += RecordDescriptor.alignedLength(length);
            if (end > used || used > PageDescriptor.PAGE_LENGTH) {
                return false;
            }
        }
        readColumn(ColumnLayout.TYPE_WIDTH, records);
        for (int i = 0; i < records; i++) {
            heads[i] |= (int) (values[i] + 1) << RecordDescriptor.TYPE_SHIFT;
        }
        readColumn(ColumnLayout.SOURCE_WIDTH, records);
        for (int i = 0; i < records; i++) {
            if (values[i] >= sources) {
                return false;
            }
            places[i] = (char) values[i];
        }
        return end == used;
    }

    /** Writes the records' headers, and sorts the records by source. */
    private void readHeaders() {
        char[] ids = ofSource;
        int source = sourcesAt;
        for (int i = 0; i < sources; i++) {
            ids[i] = (char) ((in[source] & BYTE) | (in[source + 1] & BYTE) << Byte.SIZE);
            source += Short.BYTES + 1 + (in[source + Short.BYTES] & BYTE);
        }
        readColumn(ColumnLayout.TIME_WIDTH, records);
        long time = 0;
        for (int i = 0; i < records; i++) {
            time += values[i];
            LONG.set(out, offsets[i] + RecordDescriptor.WORD1_OFFSET, RecordDescriptor.word1(ids[places[i]], time));
        }
        readColumn(ColumnLayout.BACK_WIDTH, records);
        char[] last = ofSource;
        for (int i = 0; i < sources; i++) {
            last[i] = 0;
        }
        for (int i = 0; i < records; i++) {
            int place = places[i];
            int before = last[place];
            long distance = before == 0 ? 0 : (offsets[i] - before) / RecordDescriptor.ALIGNMENT;
            long back = distance + ColumnLayout.unzigzag(values[i]);
            LONG.set(
                    out,
                    offsets[i] + RecordDescriptor.WORD0_OFFSET,
                    Integer.toUnsignedLong(heads[i]) | back << RecordDescriptor.BACK_SHIFT);
            last[place] = offsets[i];
        }
        bySource.sort(places, records, sources);
    }

    private boolean readPayloads() {
        int begin = 0;
        int source = sourcesAt;
        for (int i = 0; i < sources; i++) {
            int columns = in[source + Short.BYTES] & BYTE;
            int widths = source + Short.BYTES + 1;
            source = widths + columns;
            int prefix = 0;
            for (int c = 0; c < columns; c++) {
                if (!ColumnLayout.isWidth(in[widths + c])) {
                    return false;
                }
                prefix += in[widths + c];
            }
            int end = bySource.end(i);
            int count = 0;
            for (int k = begin; k < end; k++) {
                if (hasColumns(bySource.record(k), prefix)) {
                    whole[count++] = (char) bySource.record(k);
                }
            }
            int field = RecordDescriptor.HEADER_LENGTH;
            for (int c = 0; c < columns; c++) {
                int width = in[widths + c];
                readColumn(width, count);
                putColumn(field, width, count);
                field += width;
            }
            readRests(begin, end, prefix);
            begin = end;
        }
        return true;
    }

    private boolean hasColumns(int index, int prefix) {
        return RecordDescriptor.type(heads[index]) == RecordDescriptor.WHOLE
                && RecordDescriptor.length(heads[index]) >= prefix;
    }

    private void putColumn(int field, int width, int count) {
        long value = 0;
        switch (width) {
            case Byte.BYTES -> {
                for (int k = 0; k < count; k++) {
                    value += ColumnLayout.unzigzag(values[k]);
                    out[field + offsets[whole[k]]] = (byte) value;
                }
            }
            case Short.BYTES -> {
                for (int k = 0; k < count; k++) {
                    value += ColumnLayout.unzigzag(values[k]);
                    SHORT.set(out, field + offsets[whole[k]], (short) value);
                }
            }
            case Integer.BYTES -> {
                for (int k = 0; k < count; k++) {
                    value += ColumnLayout.unzigzag(values[k]);
                    INT.set(out, field + offsets[whole[k]], (int) value);
                }
            }
            default -> {
                for (int k = 0; k < count; k++) {
                    value += ColumnLayout.unzigzag(values[k]);
                    LONG.set(out, field + offsets[whole[k]], value);
                }
            }
        }
    }

    /** Copies what follows the columns in the records of a source. */
    private void readRests(int begin, int end, int prefix) {
        for (int k = begin; k < end; k++) {
            int index = bySource.record(k);
            int from = hasColumns(index, prefix) ? prefix : 0;
            int length = RecordDescriptor.length(heads[index]) - from;
            System.arraycopy(in, at, out, offsets[index] + RecordDescriptor.HEADER_LENGTH + from, length);
            at += length;
        }
    }

    /** Reads the next column into the values. */
    private void readColumn(int width, int count) {
        int mask = in[at++] & BYTE;
        boolean first = true;
        for (int b = 0; b < width; b++) {
            if ((mask >>> b & 1) != 0) {
                int shift = b * Byte.SIZE;
                if (first) {
                    for (int i = 0; i < count; i++) {
                        values[i] = (in[at + i] & 0xffL) << shift;
                    }
                } else {
                    for (int i = 0; i < count; i++) {
                        values[i] |= (in[at + i] & 0xffL) << shift;
                    }
                }
                first = false;
                at += count;
            }
        }
        for (int i = 0; first && i < count; i++) {
            values[i] = 0;
        }
    }
}
