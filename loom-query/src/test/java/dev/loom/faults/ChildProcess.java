package dev.loom.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A Java process of the tests' own class path, whose lines are read as they come, and which is killed at the end. */
final class ChildProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader lines;

    private ChildProcess(Process process) {
        this.process = process;
        this.lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    static ChildProcess start(Class<?> main, Object... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return new ChildProcess(
                new ProcessBuilder(command).redirectError(Redirect.INHERIT).start());
    }

    /** The next line, or null once the process has ended. */
    String line() throws IOException {
        return lines.readLine();
    }

    /** Reads up to a line that begins like this. */
    String awaitLine(String prefix) throws IOException {
        String line = line();
        while (line != null && !line.startsWith(prefix)) {
            line = line();
        }
        if (line == null) {
            throw new AssertionError("the process has ended without saying: " + prefix);
        }
        return line;
    }

    long pid() {
        return process.pid();
    }

    /** Kills it, which it can't notice, and waits until it is gone; what it had said can still be read. */
    void kill() {
        process.toHandle().destroyForcibly();
        process.onExit().join();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() throws IOException {
        kill();
        lines.close();
    }
}
