package dev.loom.cli.demo;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.DataOutput;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code loom demo}: captures a real workload of its own, and finds with commands what made a few requests slow. */
@Command(
        name = "demo",
        description = "Captures a real workload in this process, and finds what made a few of its requests slow.",
        mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {
    /** Runs one command on a console, and returns its exit code. */
    @FunctionalInterface
    public interface CommandRunner {
        int run(Console console, String... arguments);
    }

    private static final int SECONDS_MAX = 600;

    private final Console console;
    private final CommandRunner runner;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Where the store goes: empty or missing; by default a new temporary folder.")
    private @Nullable Path directory;

    @Option(names = "--seconds", paramLabel = "N", description = "How long to capture, by default ${DEFAULT-VALUE}.")
    private int seconds = 4;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "What the clients ask for and which requests are damaged; by default ${DEFAULT-VALUE}.")
    private long seed = 2025;

    @Option(
            names = "--no-keep",
            negatable = true,
            description = "Delete the store at the end; by default it stays, to try commands on.")
    private boolean keep = true;

    public DemoCommand(Console console, CommandRunner runner) {
        this.console = console;
        this.runner = runner;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (seconds < 1 || seconds > SECONDS_MAX) {
            throw CommandFailure.usage("seconds must be 1 to " + SECONDS_MAX + ": seconds=" + seconds);
        }
        boolean colour = console.outColour();
        return new Demo(this::runCommand, printStream(console.out()), colour, console.interruption()::requested)
                .run(new Demo.Options(directory, seconds, seed, keep));
    }

    /** Runs a command whose answer the demo reads, so its output is no terminal. */
    private int runCommand(PrintStream out, PrintStream err, String... arguments) {
        Console inner =
                new Console(InputStream.nullInputStream(), out, err, false, false, withoutDefaults(), console::nowNs);
        return runner.run(inner, arguments);
    }

    /** Defaults that the user has set for commands on other stores, such as LOOM_DIR or LOOM_LIMIT, don't apply here. */
    private Map<String, String> withoutDefaults() {
        return console.environment().entrySet().stream()
                .filter(variable -> !variable.getKey().startsWith("LOOM_")
                        || variable.getKey().equals("LOOM_DEBUG"))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static PrintStream printStream(DataOutput output) {
        OutputStream stream = new OutputStream() {
            @Override
            public void write(int value) {
                write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                output.write(bytes, offset, length);
            }

            @Override
            public void flush() {
                output.flush();
            }
        };
        return new PrintStream(stream, false, StandardCharsets.UTF_8);
    }
}
