package dev.loom.cli.demo;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.server.text.DataOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
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

    /** The form of the demo's output. */
    enum Form {
        STORY,
        JSON;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final int SECONDS_MAX = 600;

    private final Console console;
    private final CommandRunner runner;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Directory of the store, empty or missing; by default a new temporary one.")
    private @Nullable Path directory;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How many seconds to capture; by default ${DEFAULT-VALUE}.")
    private int seconds = 4;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the requests and the damage; by default ${DEFAULT-VALUE}.")
    private long seed = 2025;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORM",
            description =
                    "${COMPLETION-CANDIDATES}; json prints only the answers to standard output; by default story.")
    private Form form = Form.STORY;

    @Option(
            names = "--no-keep",
            negatable = true,
            description = "Deletes the store at the end; by default it is kept, to try commands on.")
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
        boolean json = form == Form.JSON;
        Narrator narrator = json
                ? new Narrator(console.err(), console.columns(), false)
                : new Narrator(printStream(console.out()), console.columns(), console.outColour());
        return new Demo(
                        narrator,
                        store -> new Shell(runner, console, narrator, json, store),
                        console.interruption()::requested)
                .run(new Demo.Options(directory, seconds, seed, keep));
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
