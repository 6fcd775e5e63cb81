package dev.loom.bench.scaling;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Starts JVMs like this one, and is what they tell by when their measurement begins and ends, and its figures. */
public final class ChildJvm {
    private static final String BEGIN = "begin";
    private static final String END = "end";
    private static final String RESULT = "result";

    private ChildJvm() {}

    /**
     * Runs a class, which tells {@link #begin}, {@link #end} and {@link #result}, to its end.
     *
     * @param atBegin called when the time begins that is measured
     * @param atEnd called when it ends
     * @return the result's figures
     */
    public static long[] run(Class<?> main, List<String> arguments, Runnable atBegin, Runnable atEnd) {
        try {
            final Process process = start(main, arguments);
            try (BufferedReader out = process.inputReader()) {
                long[] figures = {};
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    if (line.equals(BEGIN)) {
                        atBegin.run();
                    } else if (line.equals(END)) {
                        atEnd.run();
                    } else if (line.startsWith(RESULT)) {
                        figures = Arrays.stream(line.split(" ", -1))
                                .skip(1)
                                .mapToLong(Long::parseLong)
                                .toArray();
                    }
                }
                final int exitCode = process.waitFor();
                if (exitCode != 0 || figures.length == 0) {
                    throw new IllegalStateException("run failed: main=" + main.getSimpleName() + ", arguments="
                            + arguments + ", exit code=" + exitCode);
                }
                return figures;
            } finally {
                process.destroy();
                process.waitFor(1, TimeUnit.MINUTES); // it must not write where its files are being deleted
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted: arguments=" + arguments, e);
        }
    }

    /** Tells that the time begins that is measured. */
    public static void begin() {
        System.out.println(BEGIN);
    }

    /** Tells that it ends. */
    public static void end() {
        System.out.println(END);
    }

    /** Tells the figures. */
    public static void result(long... figures) {
        System.out.println(
                Arrays.stream(figures).mapToObj(Long::toString).collect(Collectors.joining(" ", RESULT + ' ', "")));
    }

    /**
     * Ends this JVM when the one that started it has ended, which closes the pipe to its standard input; nobody else would stop it.
     * Its shutdown hooks end what it has started itself.
     */
    public static void endWithParent() {
        final Thread thread = new Thread(
                () -> {
                    try {
                        System.in.transferTo(OutputStream.nullOutputStream());
                    } catch (final IOException e) {
                        // as at the end
                    }
                    System.exit(1);
                },
                "bench-parent");
        thread.setDaemon(true);
        thread.start();
    }

    /** Runs a class with this JVM's flags and class path; what it prints as errors goes to this one's. */
    public static Process start(Class<?> main, List<String> arguments) throws IOException {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
