package dev.loom.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The {@code loom} command in a process of its own. */
public final class LoomProcess implements RunningCommand {
    private final Process process;
    private final Path err;
    private final BufferedReader out;

    private LoomProcess(Process process, Path err) {
        this.process = process;
        this.err = err;
        this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Starts a command on a store. */
    public static LoomProcess start(Path directory, String... arguments) throws IOException {
        return start(List.of(), directory, arguments);
    }

    /** Starts a command on a store, with options of the virtual machine's. */
    public static LoomProcess start(List<String> options, Path directory, String... arguments) throws IOException {
        return start(List.of(), options, directory, arguments);
    }

    /** Starts a command whose standard input is closed. */
    public static LoomProcess startWithoutInput(Path directory, String... arguments) throws IOException {
        return start(List.of("sh", "-c", "exec \"$0\" \"$@\" <&-"), List.of(), directory, arguments);
    }

    /** Starts a command whose standard input is a file. */
    public static LoomProcess startWith(Path input, Path directory, String... arguments) throws IOException {
        List<String> starter = List.of("sh", "-c", "in=$0; exec \"$@\" <\"$in\"", input.toString());
        return start(starter, List.of(), directory, arguments);
    }

    /** Starts a command in a locale. */
    public static LoomProcess startIn(String locale, Path directory, String... arguments) throws IOException {
        return start(List.of("env", "LC_ALL=" + locale), List.of(), directory, arguments);
    }

    private static LoomProcess start(List<String> starter, List<String> options, Path directory, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(starter);
        if (ignoresInterrupts()) {
            command.addAll(List.of("env", "--default-signal=INT"));
        }
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
        if (Runtime.version().feature() >= 24) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("LOOM_DIR", directory.toString());
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        Path err = Files.createTempFile("loom-process", ".err");
        return new LoomProcess(builder.redirectError(err.toFile()).start(), err);
    }

    /** Whether this process was started with SIGINT ignored, as jobs in the background are: children would ignore it too. */
    private static boolean ignoresInterrupts() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.exists(status)) {
            return false;
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 1L << 1) != 0);
    }

    @Override
    public OutputStream in() {
        return process.getOutputStream();
    }

    /** The next line of standard output, or null at its end. */
    public @Nullable String line() throws IOException {
        return out.readLine();
    }

    /** All that is left of standard output. */
    public List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            lines.add(line);
        }
        return lines;
    }

    /** Closes standard output, as a reader does that has seen enough. */
    public void closeOutput() throws IOException {
        process.getInputStream().close();
    }

    /** Sends a signal by its name, as {@code INT}. */
    public void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    /** Keeps its files from growing beyond a length, as a full disk does; false if this system can't. */
    public boolean limitFiles(long bytes) throws InterruptedException {
        String[] command = {"prlimit", "--pid", Long.toString(process.pid()), "--fsize=" + bytes};
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
        } catch (IOException e) {
            return false; // there is no such command
        }
    }

    /** Sends SIGKILL, and waits until it is dead. */
    public void kill() throws InterruptedException {
        assertEquals(137, process.destroyForcibly().waitFor());
    }

    @Override
    public int exitCode() throws InterruptedException {
        return process.waitFor();
    }

    /** What it has written to standard error so far. */
    public String errSoFar() throws IOException {
        return Files.readString(err);
    }

    public boolean alive() {
        return process.isAlive();
    }

    /** What it wrote to standard error, once it has ended. */
    public String err() throws IOException, InterruptedException {
        process.waitFor();
        return Files.readString(err);
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly().onExit().join();
        Files.deleteIfExists(err);
    }
}
