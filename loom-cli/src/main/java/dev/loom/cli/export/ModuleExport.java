package dev.loom.cli.export;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.Progress;
import dev.loom.format.Field;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.ExportForm;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.ServiceLoader;

/** An export of one source by a module that is on the class path only where it is needed. For one thread. */
final class ModuleExport {
    private final ExportForm form;
    private final List<Field> columns;

    /**
     * Finds the module.
     *
     * @param columns as {@code name:type}, or {@code name} for texts
     * @throws CommandFailure if the module is not there, or a column has no such type
     */
    ModuleExport(ExportFormat format, List<String> columns) {
        this.form = ServiceLoader.load(ExportForm.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(found -> found.name().equals(format.toString()))
                .findFirst()
                .orElseThrow(() -> CommandFailure.usage("--format " + format + " needs a module that is not on the"
                        + " class path: add dev.loom:loom-" + format + " and what that needs, or run ./loom"));
        this.columns = columns.stream().map(ModuleExport::column).toList();
    }

    private static Field column(String text) {
        try {
            return Field.parse(text.indexOf(':') < 0 ? text + ':' + Field.Type.UTF8.text() : text);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--column: " + e.getMessage());
        }
    }

    /** Writes the records of one source. */
    ExportCommand.Outcome write(
            Snapshot snapshot, Source source, TimeRange range, OutputStream out, Console console, Progress progress)
            throws IOException {
        long total =
                range.equals(TimeRange.ALL) ? snapshot.statistics(source.id()).records() : 0;
        long[] written = new long[1];
        progress.of(() -> total == 0 ? Double.NaN : (double) written[0] / total);
        ExportForm.Order order =
                new ExportForm.Order(snapshot, source, range, columns, console.interruption()::requested, records -> {
                    written[0] = records;
                    progress.updateNow(records);
                });
        ExportForm.Result result = result(order, out);
        result.remarks().forEach(console::say);
        return new ExportCommand.Outcome(
                result.records(),
                0,
                result.completeness().damagedPages(),
                Deletion.of(result.completeness()),
                result.completeness().lost());
    }

    private ExportForm.Result result(ExportForm.Order order, OutputStream out) throws IOException {
        try {
            return form.write(order, out);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--column: " + e.getMessage());
        }
    }
}
