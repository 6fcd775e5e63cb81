package dev.loom.cli.query;

import dev.loom.api.Source;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.Progress;
import dev.loom.cli.option.FieldsOption;
import dev.loom.cli.output.OutputFormat;
import dev.loom.query.column.ColumnValues;
import dev.loom.query.model.Completeness;
import dev.loom.query.where.Where;
import dev.loom.server.json.JsonText;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.json.ReportRows;
import dev.loom.server.table.TableResults;
import dev.loom.server.time.TimePrinter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints the records of an answer in any form, and shows the progress. For one thread. */
class ConsoleResults extends TableResults {
    final Console console;
    final OutputFormat form;
    final TimePrinter times;
    private final FieldsOption fields;
    private final boolean causes;
    private List<Where> conditions = List.of();
    private @Nullable Progress progress;
    private long pages;

    /** @param causes whether each record is printed with the address of its cause */
    ConsoleResults(Console console, OutputFormat form, TimePrinter times, FieldsOption fields, boolean causes) {
        super(form.table(console, times), fields.names(), causes);
        this.console = console;
        this.form = form;
        this.times = times;
        this.fields = fields;
        this.causes = causes;
    }

    /** Highlights what conditions require. */
    ConsoleResults highlight(List<Where> required) {
        conditions = required;
        return this;
    }

    void progress(Progress shown) {
        progress = shown;
    }

    /** Whether results are written in columns, as {@link TableResults} does. */
    boolean inColumns() {
        return switch (form) {
            case CSV, CSV_SAFE, ARROW -> true;
            case TABLE, JSON, RAW -> false;
        };
    }

    /** Ends the answer once its outcome is known. */
    void end(ReportRows report) {
        if (inColumns()) {
            Map<String, Long> altered = altered();
            Map<String, Object> outcome = report.outcome();
            outcome.putAll(altered);
            end(outcome);
            ColumnValues.remarks(altered.getOrDefault("unfitting", 0L), altered.getOrDefault("repaired", 0L))
                    .forEach(console::warn);
        }
    }

    @Override
    protected RecordPrinter printer(Source source) {
        if (inColumns()) {
            return super.printer(source);
        }
        return form.records(
                console,
                source.name(),
                fields.of(source.format(), form),
                times,
                fields.style(source).matching(Highlights.of(conditions)),
                causes);
    }

    @Override
    public void onPulse() {
        super.onPulse();
        if (progress != null) {
            progress.updateNow(++pages);
        }
    }

    @Override
    public void onNothing(String reason) {
        console.say(reason);
    }

    /** Says what is missing where it is missing, behind the records before. */
    @Override
    public void onMissing(Completeness missing) {
        if (printed() > 0) {
            onFlush();
        }
        console.warn("missing before the next record: " + JsonText.object(ReportRows.missing(missing)));
    }

    @Override
    public void onClosed(Source source) {
        console.say("the source is closed, so nothing more arrives: source=" + source.name());
    }
}
