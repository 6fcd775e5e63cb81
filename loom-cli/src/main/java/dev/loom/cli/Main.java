package dev.loom.cli;

import dev.loom.cli.completion.CompletionCommand;
import dev.loom.cli.completion.ManCommand;
import dev.loom.cli.completion.NamesCommand;
import dev.loom.cli.console.BrokenPipeException;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.demo.DemoCommand;
import dev.loom.cli.importing.ImportCommand;
import dev.loom.cli.option.EnvironmentDefaults;
import dev.loom.cli.query.AggCommand;
import dev.loom.cli.query.CorrelateCommand;
import dev.loom.cli.query.HistCommand;
import dev.loom.cli.query.ScanCommand;
import dev.loom.cli.query.SearchCommand;
import dev.loom.cli.query.TailCommand;
import dev.loom.cli.query.TopCommand;
import dev.loom.cli.serve.ServeCommand;
import dev.loom.cli.store.IndexCommand;
import dev.loom.cli.store.InfoCommand;
import dev.loom.cli.store.SourceCommand;
import dev.loom.cli.store.SourcesCommand;
import dev.loom.cli.store.VerifyCommand;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.HelpCommand;

/** The {@code loom} command. */
public final class Main {
    private Main() {}

    /** Runs one command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        Console console = Console.ofProcess();
        console.interruption().watchJvm();
        int exitCode = run(console, arguments);
        console.interruption().finished();
        System.exit(exitCode);
    }

    /** Runs one command; returns its exit code. */
    public static int run(Console console, String... arguments) {
        Failures failures = new Failures(console);
        try {
            EnvironmentDefaults defaults = new EnvironmentDefaults(console.environment());
            CommandLine commandLine = commandLine(console, failures, defaults);
            defaults.unknown(commandLine)
                    .forEach(variable ->
                            console.say("environment variable is not known, and ignored: name=" + variable));
            int exitCode = commandLine.execute(arguments);
            console.out().flush();
            return console.interruption().requested() ? ExitCode.INTERRUPTED : exitCode;
        } catch (BrokenPipeException e) {
            return ExitCode.OK;
        } catch (UncheckedIOException e) {
            return failures.failedIo(e);
        }
    }

    private static CommandLine commandLine(Console console, Failures failures, EnvironmentDefaults defaults) {
        CommandLine commandLine = new CommandLine(new RootCommand(console))
                .addSubcommand(new DemoCommand(console, Main::run))
                .addSubcommand(new ServeCommand(console))
                .addSubcommand(new ImportCommand(console))
                .addSubcommand(new SourcesCommand(console))
                .addSubcommand(new SourceCommand(console))
                .addSubcommand(new IndexCommand(console))
                .addSubcommand(new ScanCommand(console))
                .addSubcommand(new AggCommand(console))
                .addSubcommand(new HistCommand(console))
                .addSubcommand(new TopCommand(console))
                .addSubcommand(new CorrelateCommand(console))
                .addSubcommand(new SearchCommand(console))
                .addSubcommand(new TailCommand(console))
                .addSubcommand(new InfoCommand(console))
                .addSubcommand(new VerifyCommand(console))
                .addSubcommand(new CompletionCommand(console))
                .addSubcommand(new NamesCommand(console))
                .addSubcommand(new ManCommand(console))
                .addSubcommand(new HelpCommand());
        return commandLine
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setDefaultValueProvider(defaults)
                .setColorScheme(Help.defaultColorScheme(console.outColour() ? Ansi.ON : Ansi.OFF))
                .setOut(new PrintWriter(new OutputStreamWriter(help(console), StandardCharsets.UTF_8), true))
                .setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8))
                .setParameterExceptionHandler(failures)
                .setExecutionExceptionHandler(failures);
    }

    /** Help that was asked for is data. */
    private static OutputStream help(Console console) {
        return new OutputStream() {
            @Override
            public void write(int value) {
                write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                console.out().write(bytes, offset, length);
            }
        };
    }
}
