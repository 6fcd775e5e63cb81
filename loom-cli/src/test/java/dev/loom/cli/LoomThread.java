package dev.loom.cli;

import dev.loom.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The {@code loom} command in a thread of this process, fed through a pipe. */
public final class LoomThread implements RunningCommand {
    private static final int PIPE_BYTES = 64 * 1024;

    private final PipedOutputStream in = new PipedOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Console console;
    private final Thread thread;
    private volatile int exitCode = -1;

    private LoomThread(Path directory, String... arguments) throws IOException {
        console = Cli.on(directory).input(new PipedInputStream(in, PIPE_BYTES)).console(err, err);
        thread = new Thread(() -> exitCode = Main.run(console, arguments), "loom-command");
    }

    /** Starts a command on a store. */
    public static LoomThread start(Path directory, String... arguments) throws IOException {
        LoomThread command = new LoomThread(directory, arguments);
        command.thread.start();
        return command;
    }

    @Override
    public OutputStream in() {
        return in;
    }

    /** As Ctrl-C does. */
    public void interrupt() {
        console.interruption().request();
    }

    @Override
    public int exitCode() throws InterruptedException {
        thread.join();
        return exitCode;
    }

    /** What it has printed so far, to standard output or error. */
    public String printed() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        interrupt();
        in.close();
    }
}
