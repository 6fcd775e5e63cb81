package dev.loom.cli.completion;

import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.server.text.TextBuffer;
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

/** {@code loom completion}: a completion script for a shell. */
@Command(
        name = "completion",
        description = "Prints a script that completes loom's commands; source it in the shell.",
        mixinStandardHelpOptions = true)
public final class CompletionCommand implements Callable<Integer> {
    /** Supported shells. */
    enum Shell {
        BASH,
        ZSH,
        FISH;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Runs the command itself for what picocli's script can't know: names of sources and fields. */
    private static final String NAMES = """

            # Names of sources, fields and indexes, which the store has.
            function _complete_loom_names() {
              _complete_loom "$@"
              local word=${COMP_WORDS[COMP_CWORD]}
              if [[ ${#COMPREPLY[@]} -eq 0 && "$word" != -* && $COMP_CWORD -gt 1 ]]; then
                local name
                while IFS= read -r name; do
                  printf -v name %q "$name"
                  name=${name//\\\\,/,} # separates fields, and needs no escape
                  COMPREPLY+=( "$name" )
                done < <("${COMP_WORDS[0]}" __names -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
              fi
            }
            complete -F _complete_loom_names -o default loom loom.sh loom.bash
            """;

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
                        : AutoComplete.bash(root.name(), new CommandLine(root)) + NAMES);
        console.out().write(script);
        return ExitCode.OK;
    }
}
