package dev.loom.cli.option;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.output.OutputFormat;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The form of a command's output. */
public final class OutputOption {
    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORM",
            description = "${COMPLETION-CANDIDATES}; by default table on a terminal, else json.")
    private @Nullable OutputFormat format;

    /** The form of a report, which Arrow is not for. To be asked for before anything is done: it may be refused. */
    public OutputFormat reported(Console console) {
        OutputFormat asked = format(console);
        if (asked == OutputFormat.ARROW) {
            throw CommandFailure.usage("-o arrow is for queries; use json or csv");
        }
        return asked;
    }

    public OutputFormat format(Console console) {
        if (format == null) {
            return console.outTerminal() ? OutputFormat.TABLE : OutputFormat.JSON;
        } else if (format == OutputFormat.ARROW && console.outTerminal()) {
            throw CommandFailure.usage("-o arrow is not for a terminal; send it to a file or another program");
        }
        return format;
    }
}
