package dev.loom.server.table;

import dev.loom.format.PayloadFormat;
import dev.loom.query.column.Column;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.text.DataOutput;
import dev.loom.server.time.TimePrinter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An answer as CSV, which has no place for its outcome. */
public final class CsvTable implements TableForm {
    private final DataOutput out;
    private final TimePrinter times;
    private final boolean safe;
    private final boolean escape;
    private @Nullable CsvRowWriter rows;

    /**
     * Prepares to write.
     *
     * @param safe whether texts that a spreadsheet would take for formulas get a leading apostrophe
     * @param escape whether hidden characters are escaped, as for a terminal
     */
    public CsvTable(DataOutput out, TimePrinter times, boolean safe, boolean escape) {
        this.out = out;
        this.times = times;
        this.safe = safe;
        this.escape = escape;
    }

    @Override
    public RecordPrinter records(String source, PayloadFormat format, boolean causes) {
        return new CsvRecordPrinter(out, source, format, times, causes, safe, escape);
    }

    @Override
    public void begin(List<Column> columns) {
        rows = new CsvRowWriter(out, columns.stream().map(Column::name).toList(), safe, escape);
    }

    @Override
    public void add(Map<String, ? extends @Nullable Object> row) {
        Objects.requireNonNull(rows, "no columns").add(row);
    }

    @Override
    public void flush() {
        out.flush();
    }

    @Override
    public Map<String, Long> altered() {
        return Map.of();
    }

    @Override
    public void end(Map<String, ? extends @Nullable Object> outcome) {
        out.flush();
    }
}
