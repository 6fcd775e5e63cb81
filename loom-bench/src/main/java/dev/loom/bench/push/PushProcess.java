package dev.loom.bench.push;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Runs one target in its own JVM: the compiled code of a push depends on everything that the JVM has run before, by several
 * nanoseconds.
 */
public final class PushProcess {
    private static final String RESULT = "result ";

    private PushProcess() {}

    /** Like {@link PushRun#of(PushKind, PushSettings, PayloadPool, long)}, with this JVM's flags. */
    public static PushRun run(PushKind kind, PushSettings settings, long records) {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), PushProcess.class.getName()));
        command.addAll(List.of(
                kind.text(),
                settings.directory().toString(),
                settings.staging().toString(),
                Integer.toString(settings.payloadLength()),
                Integer.toString(settings.ringBytes()),
                Long.toString(settings.segmentBytes()),
                Boolean.toString(settings.direct()),
                Long.toString(records)));
        try {
            final Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (BufferedReader out = process.inputReader()) {
                final String result = out.lines()
                        .filter(line -> line.startsWith(RESULT))
                        .findFirst()
                        .orElse("");
                final int exitCode = process.waitFor();
                if (exitCode != 0 || result.isEmpty()) {
                    throw new IllegalStateException(
                            "run of a target failed: target=" + kind.text() + ", exit code=" + exitCode);
                }
                return parse(kind, result);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted: target=" + kind.text(), e);
        }
    }

    private static PushRun parse(PushKind kind, String result) {
        final long[] figures = Arrays.stream(result.substring(RESULT.length()).split(" "))
                .mapToLong(Long::parseLong)
                .toArray();
        return new PushRun(kind.text(), figures[0], figures[1], figures[2], figures[3], figures[4], figures[5]);
    }

    /** The child process; {@link #run} passes the arguments. */
    public static void main(String[] arguments) {
        final PushSettings settings = new PushSettings(
                Path.of(arguments[1]),
                Path.of(arguments[2]),
                Integer.parseInt(arguments[3]),
                Integer.parseInt(arguments[4]),
                Long.parseLong(arguments[5]),
                Boolean.parseBoolean(arguments[6]));
        final PushRun run = PushRun.of(
                PushKind.parse(arguments[0]),
                settings,
                new PayloadPool(settings.payloadLength()),
                Long.parseLong(arguments[7]));
        System.out.println(RESULT
                + run.records()
                + ' '
                + run.elapsedNs()
                + ' '
                + run.cpuNs()
                + ' '
                + run.writerCpuNs()
                + ' '
                + run.othersCpuNs()
                + ' '
                + run.allocatedBytes());
    }
}
