package dev.loom.cli;

import dev.loom.cli.console.Colours;
import dev.loom.cli.console.Console;
import dev.loom.server.BuildVersion;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code loom} without a command. */
@Command(
        name = "loom",
        description = "Captures high-frequency telemetry on one machine, and finds the needle in it.",
        mixinStandardHelpOptions = true,
        versionProvider = RootCommand.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Exit codes: 0 ok; 1 internal error; 2 usage; 3 store missing, locked or",
            "damaged; 4 limit, timeout or bad input, with partial results; 5 sidecar or",
            "receiver not reached, or gave up; 6 records lost, with --strict;",
            "130 interrupted; 143 ended by SIGTERM.",
            "The variable LOOM_SOME_OPTION can set the option --some-option."
        })
final class RootCommand implements Runnable {
    /** The versions of Loom and of the JDK that runs it. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"loom " + BuildVersion.text() + ", Java " + Runtime.version()};
        }
    }

    private final Console console;

    @Spec
    private @Nullable CommandSpec spec;

    RootCommand(Console console) {
        this.console = console;
    }

    @Option(
            names = "--color",
            paramLabel = "WHEN",
            scope = ScopeType.INHERIT,
            description = "Colours: ${COMPLETION-CANDIDATES}; by default auto, on a terminal unless NO_COLOR is set.")
    void colours(Colours when) {
        console.colours(when);
    }

    @Override
    public void run() {
        throw new ParameterException(Objects.requireNonNull(spec).commandLine(), "no command given");
    }
}
