package dev.loom.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.cli.console.Console;
import dev.loom.server.text.DataOutput;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs commands in this process, and keeps what they print. */
public final class Cli {
    /** Now, for the commands: 2026-11-21T02:46:40Z. */
    public static final long NOW_NS = 1_795_229_200_000_000_000L;

    private final Map<String, String> environment = new HashMap<>();
    private InputStream in = InputStream.nullInputStream();
    private boolean inTerminal;
    private boolean outTerminal;
    private boolean errTerminal;

    /** What a command printed, and its exit code. */
    public record Result(int exitCode, String out, String err) {
        /** The lines of standard output. */
        public List<String> lines() {
            return out.lines().toList();
        }

        /** Requires the exit code 0. */
        public Result ok() {
            return exit(0);
        }

        public Result exit(int expected) {
            assertEquals(expected, exitCode, () -> "out=" + out + ", err=" + err);
            return this;
        }

        /** Requires one line on standard error. */
        public Result says(String line) {
            assertEquals("loom: " + line + "\n", err);
            return this;
        }

        public Result prints(String text) {
            assertEquals(text, out);
            return this;
        }
    }

    /** Commands on one store. */
    public static Cli on(Path directory) {
        return new Cli().environment("LOOM_DIR", directory.toString());
    }

    /**
     * Commands on a store that is there already, empty, with small rings. It keeps them, so that opening it need not fill and map
     * 140 MiB, which takes longer than most of the commands. Records have 2 MiB at most.
     */
    public static Cli onSmallStore(Path directory) {
        Loom.open(LoomConfig.at(directory)
                        .recordRingBytes(8 << 20)
                        .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                        .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                        .clock(() -> 0)
                        .build())
                .close();
        return on(directory);
    }

    public Cli environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    public Cli input(String text) {
        return input(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    public Cli input(InputStream stream) {
        in = stream;
        return this;
    }

    /** Lets standard input, as {@link #input}, be typed at a terminal. */
    public Cli inTerminal() {
        inTerminal = true;
        return this;
    }

    public Cli outTerminal() {
        outTerminal = true;
        return this;
    }

    public Cli errTerminal() {
        errTerminal = true;
        return this;
    }

    public Result run(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = Main.run(console(out, err), arguments);
        return new Result(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Runs a command that must succeed, and returns the bytes that it prints. */
    public byte[] bytes(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        assertEquals(0, Main.run(console(out, err), arguments), () -> err.toString(StandardCharsets.UTF_8));
        return out.toByteArray();
    }

    /** A console with this environment, for commands that are run elsewhere. */
    public Console console(OutputStream out, OutputStream err) {
        Console console =
                new Console(in, new DataOutput(out, false), err, outTerminal, errTerminal, environment, () -> NOW_NS);
        console.answersFromTerminal(inTerminal);
        return console;
    }

    /** Imports text of a format into a source. */
    public Result importText(String source, String format, String text, String... options) {
        List<String> arguments = new ArrayList<>(List.of("import", "--source", source, "--format", format));
        arguments.addAll(List.of(options));
        arguments.add("-");
        return input(text).run(arguments.toArray(String[]::new));
    }

    /** Imports requests or system calls of the capture of Redis that the tests share, with their times as they happened. */
    public void importSample(String source) {
        String samples = "src/test/resources/redis/";
        run(
                        "import",
                        "--source",
                        source,
                        "--format",
                        "csv",
                        "--event-time",
                        "ts_ns",
                        "--clock-pair",
                        samples + "clock.json",
                        samples + source + ".csv")
                .ok();
    }
}
