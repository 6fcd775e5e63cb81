package dev.loom.cli.option;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * What the command line itself says. The variable of an option may stand there for other commands: one that this command can't
 * use, or that contradicts a typed option, is left out; only what is typed is refused.
 */
public final class TypedOptions {
    private TypedOptions() {}

    /** Whether the command line has an option, such as {@code --step}. */
    public static boolean contains(@Nullable CommandSpec command, String option) {
        return command != null && command.commandLine().getParseResult().hasMatchedOption(option);
    }

    /** An option's value if it can be used or is typed; null if a variable alone sets it, which is for other commands. */
    public static <T> @Nullable T usable(
            boolean usable, @Nullable CommandSpec command, String option, @Nullable T value) {
        return usable || contains(command, option) ? value : null;
    }
}
