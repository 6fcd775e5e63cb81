package dev.loom.cli.export;

import dev.loom.api.Source;
import dev.loom.cli.console.Console;
import dev.loom.cli.output.OutputFormat;
import dev.loom.cli.output.TableStyle;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.time.TimePrinter;

/** Rows as a scan prints them. */
final class TextForm extends RecordForm {
    private final Console console;
    private final OutputFormat rows;
    private final TimePrinter times;

    /** @param console whose output takes the rows */
    TextForm(Console console, OutputFormat rows, TimePrinter times) {
        this.console = console;
        this.rows = rows;
        this.times = times;
    }

    @Override
    RecordPrinter printer(Source source) {
        return rows.records(console, source.name(), source.format(), times, TableStyle.PLAIN, false);
    }
}
