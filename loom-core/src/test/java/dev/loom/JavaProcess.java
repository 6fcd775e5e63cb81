package dev.loom;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A Java process of the tests' own class path: it is told lines and answers by lines, and is killed at the end. */
public final class JavaProcess implements AutoCloseable {
    private final Process process;
    private final boolean startedBy;
    private final BufferedReader lines;

    private JavaProcess(Process process, boolean startedBy) {
        this.process = process;
        this.startedBy = startedBy;
        this.lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    public static JavaProcess start(Class<?> main, Object... arguments) throws IOException {
        return startBy(List.of(), main, arguments);
    }

    /** Starts it by another command, such as {@code unshare}. */
    public static JavaProcess startBy(List<String> starter, Class<?> main, Object... arguments) throws IOException {
        List<String> command = new ArrayList<>(starter);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xmx64m", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        Process process =
                new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
        return new JavaProcess(process, !starter.isEmpty());
    }

    /** Tells it a line, and returns its answer; null once it has ended. */
    public String ask(String line) throws IOException {
        tell(line);
        return line();
    }

    /** The next line that it says by itself; null once it has ended. */
    public String line() throws IOException {
        return lines.readLine();
    }

    /** Tells it a line whose answer is not waited for. */
    public void tell(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    public long pid() {
        return process.pid();
    }

    /** Sends it a signal, such as STOP, and returns when it is sent. */
    public void signal(String name) throws IOException {
        new ProcessBuilder("kill", "-" + name, Long.toString(pid()))
                .start()
                .onExit()
                .join();
    }

    /** Kills it, which it can't notice, and waits until it is gone, as what started it does. */
    public void kill() {
        List<ProcessHandle> started = startedBy ? process.descendants().toList() : List.of();
        started.forEach(ProcessHandle::destroyForcibly);
        if (started.isEmpty()) {
            process.toHandle().destroyForcibly();
        }
        process.onExit().join();
    }

    @Override
    public void close() throws IOException {
        kill();
        lines.close();
    }
}
