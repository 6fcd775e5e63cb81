package dev.loom.bench.scaling;

import dev.loom.bench.search.StoredFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The ingest benchmark of a store that is built elsewhere, such as the authors' prototype or FishStore. Their programs differ from build
 * to build, so what runs is a program or script named {@code ingest} in the folder of the build:
 *
 * <pre>{@code ingest PAYLOAD_BYTES THREADS SECONDS FOLDER}</pre>
 *
 * <p>It pushes records of that size with a number of threads for a number of seconds into files in the folder, and prints a line
 * {@code records=N seconds=S cpu_seconds=C}: the records that it pushed, the time that it took, and its user and system time. Other lines
 * are ignored.
 */
public final class ExternalIngest {
    private static final String RECORDS = "records=";

    private final Path program;

    private ExternalIngest(Path program) {
        this.program = program;
    }

    /**
     * Finds the program.
     *
     * @throws IllegalArgumentException if there is none that can be run
     */
    public static ExternalIngest in(Path folder) {
        final Path program = folder.resolve("ingest").toAbsolutePath();
        if (!Files.isExecutable(program)) {
            throw new IllegalArgumentException("no program to run: file=" + program);
        }
        return new ExternalIngest(program);
    }

    /**
     * Runs it.
     *
     * @param atBegin called when it has started
     * @param atEnd called when it has ended
     */
    public ScalingRun run(
            int payloadLength, int threads, double seconds, Path folder, Runnable atBegin, Runnable atEnd) {
        try {
            final Process process = new ProcessBuilder(
                            program.toString(),
                            Integer.toString(payloadLength),
                            Integer.toString(threads),
                            String.format(Locale.ROOT, "%.1f", seconds),
                            folder.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (BufferedReader out = process.inputReader()) {
                atBegin.run();
                String result = "";
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    result = line.startsWith(RECORDS) ? line : result;
                }
                atEnd.run();
                final int exitCode = process.waitFor();
                if (exitCode != 0 || result.isEmpty()) {
                    throw new IllegalStateException(
                            "program failed or gave no result: program=" + program + ", exit code=" + exitCode);
                }
                final long endNs = System.nanoTime();
                StoredFiles.force(folder);
                return parse(result, System.nanoTime() - endNs);
            } finally {
                process.destroy();
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted: program=" + program, e);
        }
    }

    private static ScalingRun parse(String line, long syncNs) {
        final String[] words = line.trim().split("\\s+", -1);
        final long elapsedNs = nanos(value(words, "seconds="));
        return new ScalingRun(
                Long.parseLong(value(words, RECORDS)),
                elapsedNs,
                elapsedNs + syncNs,
                nanos(value(words, "cpu_seconds=")));
    }

    private static long nanos(String seconds) {
        return (long) (Double.parseDouble(seconds) * TimeUnit.SECONDS.toNanos(1));
    }

    private static String value(String[] words, String name) {
        for (final String word : words) {
            if (word.startsWith(name)) {
                return word.substring(name.length());
            }
        }
        throw new IllegalStateException("program's result lacks a figure: name=" + name);
    }
}
