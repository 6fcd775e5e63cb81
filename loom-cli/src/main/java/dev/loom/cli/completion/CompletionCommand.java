package dev.loom.cli.completion;

import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.text.TextBuffer;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loom completion}: a script for the shell. */
@Command(
        name = "completion",
        description = "Prints a script that completes loom's commands; source it in the shell.",
        mixinStandardHelpOptions = true)
public final class CompletionCommand implements Callable<Integer> {
    /** The shells that are known. */
    enum Shell {
        BASH,
        ZSH,
        FISH;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Console console;

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
    private Shell shell = Shell.BASH;

    @Spec
    private @Nullable CommandSpec spec;

    public CompletionCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        CommandSpec root = Objects.requireNonNull(spec).root();
        TextBuffer script = new TextBuffer(16 * 1024);
        script.put(
                shell == Shell.FISH
                        ? FishCompletion.script(root)
                        : AutoComplete.bash(root.name(), new CommandLine(root)));
        console.out().write(script);
        return ExitCode.OK;
    }
}
