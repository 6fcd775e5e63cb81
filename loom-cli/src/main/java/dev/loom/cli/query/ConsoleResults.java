package dev.loom.cli.query;

import dev.loom.api.Source;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.Progress;
import dev.loom.cli.option.FieldsOption;
import dev.loom.cli.output.OutputFormat;
import dev.loom.query.where.Where;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.json.RecordResults;
import dev.loom.server.time.TimePrinter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prints the records of an answer in any form, and shows the progress. For one thread. */
class ConsoleResults extends RecordResults {
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

    @Override
    protected RecordPrinter printer(Source source) {
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
}
