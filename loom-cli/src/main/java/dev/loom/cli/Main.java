package dev.loom.cli;

import dev.loom.cli.completion.CompletionCommand;
import dev.loom.cli.completion.ManCommand;
import dev.loom.cli.completion.NamesCommand;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.demo.DemoCommand;
import dev.loom.cli.export.ExportCommand;
import dev.loom.cli.importing.ImportCommand;
import dev.loom.cli.option.EnvironmentDefaults;
import dev.loom.cli.query.AggCommand;
import dev.loom.cli.query.CorrelateCommand;
import dev.loom.cli.query.DiffCommand;
import dev.loom.cli.query.HistCommand;
import dev.loom.cli.query.MetricsCommand;
import dev.loom.cli.query.ScanCommand;
import dev.loom.cli.query.SearchCommand;
import dev.loom.cli.query.SeriesCommand;
import dev.loom.cli.query.TailCommand;
import dev.loom.cli.query.TopCommand;
import dev.loom.cli.query.TraceCommand;
import dev.loom.cli.query.TracesCommand;
import dev.loom.cli.query.ValuesCommand;
import dev.loom.cli.serve.ServeCommand;
import dev.loom.cli.serve.UiCommand;
import dev.loom.cli.store.FieldsCommand;
import dev.loom.cli.store.IndexCommand;
import dev.loom.cli.store.InfoCommand;
import dev.loom.cli.store.RetainCommand;
import dev.loom.cli.store.SourceCommand;
import dev.loom.cli.store.SourcesCommand;
import dev.loom.cli.store.VerifyCommand;
import dev.loom.server.text.BrokenPipeException;
import java.io.FilterOutputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.HelpCommand;

/** The {@code loom} command. */
public final class Main {
    /** The commands in the order of the help. */
    private static final List<String> COMMANDS = List.of(
            "demo",
            "serve",
            "ui",
            "import",
            "export",
            "sources",
            "fields",
            "source",
            "index",
            "scan",
            "agg",
            "values",
            "hist",
            "metrics",
            "series",
            "top",
            "correlate",
            "diff",
            "search",
            "tail",
            "trace",
            "traces",
            "info",
            "verify",
            "retain",
            "completion",
            "__names",
            "man",
            "help");

    /** Commands that need the models of all others. */
    private static final Set<String> OF_ALL = Set.of("completion", "__names", "man", "help");

    private Main() {}

    /** Runs one command and ends the process with its exit code, or with that of the signal that ended it. */
    public static void main(String[] arguments) {
        Console console = Console.ofProcess();
        console.interruption().watchJvm();
        int exitCode = legible(arguments) ? run(console, arguments) : refuse(console);
        boolean shuttingDown = console.interruption().shuttingDown();
        console.interruption().finished();
        if (!shuttingDown) {
            System.exit(exitCode);
        }
    }

    /** Whether the JVM could read the arguments: in a locale that is not of UTF-8 it takes U+FFFD for other bytes. */
    private static boolean legible(String... arguments) {
        return "UTF-8".equals(System.getProperty("sun.jnu.encoding"))
                || String.join("", arguments).indexOf('\uFFFD') < 0;
    }

    private static int refuse(Console console) {
        console.warn("arguments are not ASCII, and the locale is not of UTF-8: set LC_ALL=C.UTF-8");
        return ExitCode.USAGE;
    }

    /** Runs one command; returns its exit code. */
    public static int run(Console console, String... arguments) {
        Failures failures = new Failures(console);
        try {
            EnvironmentDefaults defaults = new EnvironmentDefaults(console.environment());
            CommandLine commandLine = commandLine(console, failures, defaults, arguments);
            if (!defaults.unknown(commandLine).isEmpty()) {
                // another command may know it
                defaults.unknown(commandLine(console, failures, defaults))
                        .forEach(variable -> console.say("unknown environment variable is ignored: name=" + variable));
            }
            int exitCode = commandLine.execute(arguments);
            console.out().flush();
            return console.interruption().requested() ? ExitCode.INTERRUPTED : exitCode;
        } catch (BrokenPipeException e) {
            return ExitCode.OK;
        } catch (UncheckedIOException e) {
            return failures.failedIo(e);
        } catch (RuntimeException
                | Error e) { // of reading the command line, or such as memory that runs out: picocli sees to a
            // command's exceptions alone
            return failures.failedBy(e);
        }
    }

    /**
     * The model of the command line: of the named command alone if that suffices, else of all commands. To build the model of
     * one takes longer than most commands run.
     */
    static CommandLine commandLine(
            Console console, Failures failures, EnvironmentDefaults defaults, String... arguments) {
        boolean one = arguments.length > 0 && COMMANDS.contains(arguments[0]) && !OF_ALL.contains(arguments[0]);
        CommandLine commandLine = new CommandLine(new RootCommand(console));
        for (String name : one ? List.of(arguments[0]) : COMMANDS) {
            commandLine.addSubcommand(name, command(name, console));
        }
        return commandLine
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExpandAtFiles(false) // @name is a word to search for
                .setDefaultValueProvider(defaults)
                .setColorScheme(Help.defaultColorScheme(console.outColour() ? Ansi.ON : Ansi.OFF))
                .setOut(new PrintWriter(new OutputStreamWriter(help(console), StandardCharsets.UTF_8), true))
                .setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8))
                .setParameterExceptionHandler(failures)
                .setExecutionExceptionHandler(failures);
    }

    private static Object command(String name, Console console) {
        return switch (name) {
            case "demo" -> new DemoCommand(console, Main::run);
            case "serve" -> new ServeCommand(console);
            case "ui" -> new UiCommand(console);
            case "import" -> new ImportCommand(console);
            case "export" -> new ExportCommand(console);
            case "sources" -> new SourcesCommand(console);
            case "fields" -> new FieldsCommand(console);
            case "source" -> new SourceCommand(console);
            case "index" -> new IndexCommand(console);
            case "scan" -> new ScanCommand(console);
            case "agg" -> new AggCommand(console);
            case "values" -> new ValuesCommand(console);
            case "hist" -> new HistCommand(console);
            case "metrics" -> new MetricsCommand(console);
            case "series" -> new SeriesCommand(console);
            case "top" -> new TopCommand(console);
            case "correlate" -> new CorrelateCommand(console);
            case "diff" -> new DiffCommand(console);
            case "search" -> new SearchCommand(console);
            case "tail" -> new TailCommand(console);
            case "trace" -> new TraceCommand(console);
            case "traces" -> new TracesCommand(console);
            case "info" -> new InfoCommand(console);
            case "verify" -> new VerifyCommand(console);
            case "retain" -> new RetainCommand(console);
            case "completion" -> new CompletionCommand(console);
            case "__names" -> new NamesCommand(console);
            case "man" -> new ManCommand(console);
            case "help" -> new HelpCommand();
            default -> throw new IllegalArgumentException("no such command: name=" + name);
        };
    }

    /** Help that the user asked for is data, and written with it. */
    private static OutputStream help(Console console) {
        return new FilterOutputStream(console.out()) {
            @Override
            public void flush() {}
        };
    }
}
