package dev.loom.cli.output;

import dev.loom.cli.console.Console;
import dev.loom.format.PayloadFormat;
import dev.loom.query.model.QueryMemory;
import dev.loom.server.arrow.ArrowTable;
import dev.loom.server.json.JsonRecordPrinter;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.table.CsvTable;
import dev.loom.server.table.TableForm;
import dev.loom.server.time.TimePrinter;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Forms of output. */
public enum OutputFormat {
    TABLE,
    JSON,
    /** Can be imported again without loss. */
    CSV,
    /** CSV whose texts no spreadsheet takes for formulas: they may have an added leading apostrophe. */
    CSV_SAFE,
    /** A stream of Apache Arrow; not for a terminal. */
    ARROW,
    RAW;

    /**
     * A printer for the records of one source. The CSV printer prints its header at once.
     *
     * @param style the style of output for people
     * @param causes whether each record is printed with the address of its cause
     */
    public RecordPrinter records(
            Console console,
            String sourceName,
            PayloadFormat format,
            TimePrinter times,
            TableStyle style,
            boolean causes) {
        return switch (this) {
            case TABLE -> new TableRecordPrinter(console, format, times, style, causes);
            case JSON -> new JsonRecordPrinter(console.out(), sourceName, format, times, causes);
            case CSV, CSV_SAFE, ARROW ->
                Objects.requireNonNull(table(console, times)).records(sourceName, format, causes);
            case RAW -> new RawRecordPrinter(console, format, style);
        };
    }

    /** Begins an answer in columns; null if the form has none, or only for people. */
    public @Nullable TableForm table(Console console, TimePrinter times) {
        return switch (this) {
            case CSV, CSV_SAFE -> new CsvTable(console.out(), times, this == CSV_SAFE, console.outTerminal());
            case ARROW -> new ArrowTable(console.out(), QueryMemory.UNLIMITED);
            case TABLE, JSON, RAW -> null;
        };
    }

    /** Whether the format declares no fields because each payload names its own. */
    static boolean namesItsOwnFields(PayloadFormat format) {
        return format.fields().isEmpty();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
