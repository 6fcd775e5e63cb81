package dev.loom.cli.output;

import dev.loom.cli.console.Console;
import dev.loom.format.PayloadFormat;
import dev.loom.server.json.JsonRecordPrinter;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.time.TimePrinter;
import java.util.Locale;

/** Forms of output. */
public enum OutputFormat {
    TABLE,
    JSON,
    /** Can be imported again without loss. */
    CSV,
    /** CSV whose texts no spreadsheet takes for formulas: they may have an added leading apostrophe. */
    CSV_SAFE,
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
            case CSV, CSV_SAFE -> new CsvRecordPrinter(console, sourceName, format, times, causes, this == CSV_SAFE);
            case RAW -> new RawRecordPrinter(console, format, style);
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
