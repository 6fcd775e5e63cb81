package dev.loom.cli.option;

import dev.loom.query.model.AddressRange;
import picocli.CommandLine.Option;

/** The addresses of the records that a command is about. */
public final class AddressOptions {
    @Option(
            names = "--from-address",
            paramLabel = "ADDR",
            description = "Only records at this address, as --addr and JSON tell it, or later ones.")
    private long from = AddressRange.ALL.from();

    @Option(names = "--to-address", paramLabel = "ADDR", description = "Only records before this address.")
    private long to = AddressRange.ALL.to();

    public AddressRange range() {
        return new AddressRange(from, to);
    }
}
