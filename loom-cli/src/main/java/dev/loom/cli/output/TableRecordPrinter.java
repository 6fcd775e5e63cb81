package dev.loom.cli.output;

import dev.loom.cli.console.Console;
import dev.loom.cli.text.TextBuffer;
import dev.loom.cli.time.TimePrinter;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;

/** A table for people: columns are as wide as the first rows need. */
final class TableRecordPrinter implements RecordPrinter {
    private final Table table;
    private final TimePrinter times;
    private final List<FieldColumn> columns;
    private final boolean json;
    private final boolean causes;
    private long cause;
    private final TextBuffer cell = new TextBuffer(256);
    private final FieldBytes bytes = new FieldBytes();
    private final FieldValue value = new FieldValue();

    TableRecordPrinter(Console console, PayloadFormat format, TimePrinter times, boolean causes) {
        this.causes = causes;
        this.times = times;
        this.columns = FieldColumn.shown(format);
        this.json = OutputFormat.namesItsOwnFields(format);
        List<Table.Column> headings = new ArrayList<>();
        headings.add(new Table.Column("time", false));
        headings.add(new Table.Column("addr", true));
        if (causes) {
            headings.add(new Table.Column("cause", true));
        }
        columns.forEach(column -> headings.add(new Table.Column(column.name(), column.numeric())));
        if (json) {
            headings.add(new Table.Column("fields", false));
        }
        this.table = new Table(console, headings);
    }

    @Override
    public void print(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
        value.from(address);
        List<String> row = new ArrayList<>(columns.size() + 3);
        row.add(times.text(timeNs));
        row.add(Long.toString(address));
        if (causes) {
            row.add(Long.toString(cause));
        }
        for (FieldColumn column : columns) {
            column.reader().read(buffer, offset, length, value);
            CellText.put(cell, value, column.singlePrecision(), bytes, true);
            row.add(takeCell());
        }
        if (json) {
            bytes.load(buffer, offset, length);
            CellText.putText(cell, bytes.array(), length, true);
            row.add(takeCell());
        }
        table.add(row);
    }

    @Override
    public void lookup(RecordLookup lookup) {
        value.lookup(lookup);
    }

    @Override
    public void cause(long address) {
        cause = address;
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
