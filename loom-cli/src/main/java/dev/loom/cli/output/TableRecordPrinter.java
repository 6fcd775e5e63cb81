package dev.loom.cli.output;

import dev.loom.api.ValueUnit;
import dev.loom.cli.chart.ValueText;
import dev.loom.cli.console.Console;
import dev.loom.format.PayloadFormat;
import dev.loom.server.json.FieldBytes;
import dev.loom.server.json.FieldColumn;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.table.CellText;
import dev.loom.server.text.TextBuffer;
import dev.loom.server.time.TimePrinter;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Prints a table for people: columns are as wide as the first rows need. */
final class TableRecordPrinter extends RecordPrinter {
    private final Table table;
    private final TimePrinter times;
    private final List<FieldColumn> columns;
    private final boolean json;
    private final boolean addresses;
    private final @Nullable String timeField;
    private final boolean causes;
    private final TextBuffer cell = new TextBuffer(256);
    private final FieldBytes bytes = new FieldBytes();

    TableRecordPrinter(Console console, PayloadFormat format, TimePrinter times, TableStyle style, boolean causes) {
        this.addresses = style.addresses();
        this.timeField = style.timeField();
        this.causes = causes;
        this.times = times;
        this.columns = FieldColumn.shown(format);
        this.json = OutputFormat.namesItsOwnFields(format);
        List<Table.Column> headings = new ArrayList<>();
        headings.add(new Table.Column("time", Table.Kind.TIME));
        if (addresses) {
            headings.add(new Table.Column("addr", Table.Kind.NUMBER));
        }
        if (causes) {
            headings.add(new Table.Column("cause", Table.Kind.NUMBER));
        }
        for (FieldColumn column : columns) {
            Table.Kind kind = column.numeric() ? Table.Kind.NUMBER : Table.Kind.TEXT;
            headings.add(new Table.Column(column.name(), kind, isTime(column), style.matches(column.name())));
        }
        if (json) {
            headings.add(new Table.Column("fields", Table.Kind.TEXT, false, style.anywhere()));
        }
        this.table = new Table(console, headings, "--fields chooses columns, -o json prints all");
    }

    @Override
    public void print(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
        value.from(address);
        List<String> row = new ArrayList<>(columns.size() + 3);
        row.add(times.text(timeNs));
        if (addresses) {
            row.add(Long.toString(address));
        }
        if (causes) {
            row.add(Long.toString(cause));
        }
        for (FieldColumn column : columns) {
            column.reader().read(buffer, offset, length, value);
            putCell(column);
            row.add(takeCell());
        }
        if (json) {
            bytes.load(buffer, offset, length);
            CellText.putText(cell, bytes.array(), length, true);
            row.add(takeCell());
        }
        table.add(row);
    }

    private boolean isTime(FieldColumn column) {
        return column.name().equals(timeField);
    }

    /** Shows numbers in the unit that suits their size, except points in time. */
    private void putCell(FieldColumn column) {
        boolean number = switch (value.kind()) {
            case INTEGER, UNSIGNED, DOUBLE -> true;
            default -> false;
        };
        if (number && column.unit() != ValueUnit.NONE && !isTime(column)) {
            cell.put(ValueText.compact(number(), column.unit()));
        } else {
            CellText.put(cell, value, column.singlePrecision(), bytes, true);
        }
    }

    private double number() {
        return switch (value.kind()) {
            case DOUBLE -> value.doubleValue();
            case UNSIGNED -> (value.longValue() >>> 1) * 2.0 + (value.longValue() & 1);
            default -> value.longValue();
        };
    }

    private String takeCell() {
        String text = cell.toString();
        cell.clear();
        return text;
    }

    @Override
    public void flush() {
        table.flush();
    }
}
