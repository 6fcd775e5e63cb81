package dev.loom.server.table;

import dev.loom.server.json.FieldBytes;
import dev.loom.server.json.FieldCell;
import dev.loom.server.text.DataOutput;
import dev.loom.server.text.TextBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rows of named values as CSV (RFC 4180, lines end with LF) with a header line. For one thread. */
public final class CsvRowWriter {
    private final DataOutput out;
    private final List<String> columns;
    private final boolean safe;
    private final boolean escape;
    private final TextBuffer line = new TextBuffer(256);
    private final TextBuffer cell = new TextBuffer(64);
    private final FieldBytes bytes = new FieldBytes();

    /**
     * Writes the header.
     *
     * @param safe whether texts that a spreadsheet would take for formulas get a leading apostrophe
     * @param escape whether hidden characters are escaped, as for a terminal
     */
    public CsvRowWriter(DataOutput out, List<String> columns, boolean safe, boolean escape) {
        this.out = out;
        this.columns = List.copyOf(columns);
        this.safe = safe;
        this.escape = escape;
        for (int i = 0; i < columns.size(); i++) {
            separate(i);
            putText(columns.get(i), true);
        }
        end();
    }

    /** Writes a row of {@link Number}, {@link Boolean}, {@link String}, {@link FieldCell} or null values. */
    public void add(Map<String, ? extends @Nullable Object> row) {
        for (int i = 0; i < columns.size(); i++) {
            separate(i);
            Object value = row.get(columns.get(i));
            if (value instanceof FieldCell field) {
                CellText.put(cell, field.value(), field.singlePrecision(), bytes, escape);
                if (!field.isMissing()) {
                    CsvText.putCell(line, cell, safe && !field.isNumber());
                }
                cell.clear();
            } else if (value != null) {
                putText(value.toString(), !(value instanceof Number));
            }
        }
        end();
    }

    private void separate(int column) {
        if (column > 0) {
            line.put(',');
        }
    }

    private void putText(String value, boolean text) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        CellText.putText(cell, utf8, utf8.length, escape);
        CsvText.putCell(line, cell, safe && text);
        cell.clear();
    }

    private void end() {
        line.put('\n');
        out.write(line);
    }
}
