package dev.loom.cli.importing;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.ExitCode;

/** An input that does not fit its source, though others may. */
final class UnfitInput extends CommandFailure {
    private static final long serialVersionUID = 1L;

    UnfitInput(String message) {
        super(ExitCode.USAGE, message);
    }
}
