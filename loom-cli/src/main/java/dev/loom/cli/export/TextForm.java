package dev.loom.cli.export;

import dev.loom.api.Source;
import dev.loom.cli.console.Console;
import dev.loom.cli.output.OutputFormat;
import dev.loom.cli.output.TableStyle;
import dev.loom.query.column.ColumnValues;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.time.TimePrinter;

/** Rows as a scan prints them. */
final class TextForm extends RecordForm {
    private final Console console;
    private final OutputFormat rows;
    private final TimePrinter times;
    private RecordPrinter printer = RecordPrinter.NONE;
    private long malformed;

    /** @param console whose output takes the rows */
    TextForm(Console console, OutputFormat rows, TimePrinter times) {
        this.console = console;
        this.rows = rows;
        this.times = times;
    }

    @Override
    RecordPrinter printer(Source source) {
        malformed += printer.malformed();
        printer = rows.records(console, source.name(), source.format(), times, TableStyle.PLAIN, false);
        return printer;
    }

    @Override
    long finish() {
        malformed += printer.malformed();
        if (rows == OutputFormat.JSON) {
            ColumnValues.remarks(0, malformed).forEach(console::say);
        } else if (malformed > 0) {
            console.say("texts that are not UTF-8, which an import refuses: values=" + malformed);
        }
        return 0;
    }
}
