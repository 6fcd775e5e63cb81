package dev.loom.server.table;

import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.server.json.FieldBytes;
import dev.loom.server.json.FieldColumn;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.text.DataOutput;
import dev.loom.server.text.TextBuffer;
import dev.loom.server.text.Utf8Decoder;
import dev.loom.server.time.TimePrinter;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.agrona.DirectBuffer;

/** Prints CSV (RFC 4180, lines end with LF) with a header line. */
public final class CsvRecordPrinter extends RecordPrinter {
    private static final Set<String> OWN_COLUMNS = Set.of("time", "ts", "source", "addr", "cause");
    private static final String FIELDS_PREFIX = "fields.";

    private final DataOutput out;
    private final boolean escape;
    private final TimePrinter times;
    private final byte[] sourceCell;
    private final PayloadFormat format;
    private final List<FieldColumn> columns;
    private final BiConsumer<String, FieldValue> fieldPut = this::putField;
    private final boolean json;
    private final boolean causes;
    private final boolean safe;
    private int column;
    private long malformed;
    private final TextBuffer line = new TextBuffer(1024);
    private final TextBuffer cell = new TextBuffer(256);
    private final FieldBytes bytes = new FieldBytes();

    CsvRecordPrinter(
            DataOutput out,
            String sourceName,
            PayloadFormat format,
            TimePrinter times,
            boolean causes,
            boolean safe,
            boolean escape) {
        this.causes = causes;
        this.safe = safe;
        this.out = out;
        this.escape = escape;
        this.times = times;
        this.format = format;
        this.columns = FieldColumn.of(format);
        this.json = format.fields().isEmpty();
        this.sourceCell = cell(sourceName);
        printHeader();
    }

    /** A separator and a text. */
    private byte[] cell(String text) {
        putText(text);
        byte[] separated = line.toByteArray();
        line.clear();
        return separated;
    }

    /** Whether a field is named like a column of Loom's, or like the column of such a field. */
    public static boolean isLikeOwn(String field) {
        int at = 0;
        while (field.startsWith(FIELDS_PREFIX, at)) {
            at += FIELDS_PREFIX.length();
        }
        return OWN_COLUMNS.contains(field.substring(at));
    }

    /**
     * A field named like a column of Loom's gets the prefix {@code fields.}, so that who reads the rows can tell the two apart; and so
     * does a field that has such a name already.
     */
    private void printHeader() {
        line.put(causes ? "time,ts,source,addr,cause" : "time,ts,source,addr");
        for (FieldColumn column : columns) {
            String name = column.name();
            putText(isLikeOwn(name) ? FIELDS_PREFIX + name : name);
        }
        if (json) {
            putText("fields");
        }
        line.put('\n');
        out.write(line);
    }

    @Override
    public void print(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
        value.from(address);
        times.print(timeNs, line);
        line.put(',');
        line.putLong(timeNs);
        line.put(sourceCell);
        line.put(',');
        line.putLong(address);
        if (causes) {
            line.put(',');
            line.putLong(cause);
        }
        if (!columns.isEmpty()) {
            column = 0;
            format.forEachField(buffer, offset, length, value, fieldPut);
        }
        if (json) {
            bytes.load(buffer, offset, length);
            CellText.putText(cell, bytes.array(), length, escape);
            countMalformed();
            putCell(true);
        }
        line.put('\n');
        out.write(line);
    }

    private void putField(String name, FieldValue read) {
        FieldColumn of = columns.get(column++);
        CellText.put(cell, read, of.singlePrecision(), bytes, escape);
        if (read.kind() == FieldValue.Kind.TEXT) {
            countMalformed();
        }
        if (read.kind() == FieldValue.Kind.ABSENT) {
            line.put(',');
        } else {
            putCell(!of.numeric() || !isNumber(read));
        }
    }

    private void countMalformed() {
        malformed += Utf8Decoder.valid(bytes.array(), 0, bytes.length()) ? 0 : 1;
    }

    @Override
    public long malformed() {
        return malformed;
    }

    /** A column that was asked for as one of numbers may hold anything. */
    private static boolean isNumber(FieldValue read) {
        return switch (read.kind()) {
            case INTEGER, UNSIGNED, DOUBLE -> true;
            case ABSENT, BOOLEAN, TEXT, BYTES, JSON -> false;
        };
    }

    private void putText(String text) {
        cell.put(text);
        putCell(true);
    }

    private void putCell(boolean text) {
        line.put(',');
        CsvText.putCell(line, cell, safe && text);
        cell.clear();
    }

    @Override
    public void flush() {
        out.flush();
    }
}
