package dev.loom.cli.query;

import dev.loom.api.Source;
import dev.loom.cli.console.Console;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code loom scan}: the records of a source. */
@Command(
        name = "scan",
        description = "Prints the records of a source in a time range, newest first.",
        mixinStandardHelpOptions = true)
public final class ScanCommand extends RecordQuery {
    public ScanCommand(Console console) {
        super(console);
    }

    @Override
    RecordFilter filter(List<String> expressions, Source source) {
        return RecordFilter.of(expressions, source.format());
    }
}
