package dev.loom.cli.query;

import dev.loom.cli.console.Console;
import dev.loom.cli.option.AddressOptions;
import dev.loom.query.service.SourceRequest;
import dev.loom.server.request.RequestBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code loom scan}: the records of a source. */
@Command(
        name = "scan",
        description = "Prints the records of a source in a time range, newest first.",
        mixinStandardHelpOptions = true)
public final class ScanCommand extends RecordQuery {
    @Mixin
    private AddressOptions addresses = new AddressOptions();

    public ScanCommand(Console console) {
        super(console);
    }

    @Override
    SourceRequest request(RequestBuilder builder) {
        return builder.scan(sourceName, where.texts(), addresses.range(), ascending, limit);
    }
}
