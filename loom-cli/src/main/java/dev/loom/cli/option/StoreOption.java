package dev.loom.cli.option;

import dev.loom.cli.console.CommandFailure;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The store that a command works on. */
public final class StoreOption {
    @Option(names = "--dir", paramLabel = "DIR", description = "Directory of the store; by default LOOM_DIR.")
    private @Nullable Path directory;

    public Path directory() {
        if (directory == null) {
            throw CommandFailure.usage("no store given; use --dir or set LOOM_DIR");
        }
        return directory;
    }
}
