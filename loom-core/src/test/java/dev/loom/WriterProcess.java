package dev.loom;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.error.LoomException;
import dev.loom.error.StoreLockedException;
import dev.loom.format.Formats;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The main class of a process that writes a store as it is told, a line at a time: {@code open}, {@code push N}, {@code force},
 * {@code backup}, {@code close}, {@code moves}; or that reads it: {@code state}, {@code records}. It answers {@code ok}, what was asked for, or the simple name of the exception.
 */
public final class WriterProcess {
    private final Path directory;
    private final @Nullable Path staging;
    private @Nullable Loom loom;

    private WriterProcess(Path directory, @Nullable Path staging) {
        this.directory = directory;
        this.staging = staging;
    }

    /** Arguments: directory, and where staging goes, or nothing. */
    public static void main(String[] args) throws IOException {
        WriterProcess writer = new WriterProcess(Path.of(args[0]), args.length > 1 ? Path.of(args[1]) : null);
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(writer.answer(line.split(" ", -1)));
        }
    }

    public static LoomConfig.Builder config(Path directory) {
        return LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN);
    }

    private String answer(String... words) throws IOException {
        try {
            Loom open = loom;
            switch (words[0]) {
                case "open" ->
                    loom = Loom.open(config(directory).stagingDirectory(staging).build());
                case "backup" -> readAll(directory);
                case "state", "records" -> {
                    return read(words[0]);
                }
                default -> {
                    if (open != null) {
                        return use(open, words);
                    }
                }
            }
            return "ok";
        } catch (StoreLockedException e) {
            return "locked " + e.ownerPid();
        } catch (LoomException | IllegalStateException e) {
            return e.getClass().getSimpleName();
        }
    }

    private String read(String what) {
        try (LoomReader reader = LoomReader.attach(directory);
                Snapshot snapshot = reader.snapshot()) {
            return what.equals("state")
                    ? reader.info().state().toString()
                    : ""
                            + snapshot.statistics(reader.source("written")
                                            .orElseThrow()
                                            .id())
                                    .records();
        }
    }

    private static String use(Loom loom, String... words) {
        switch (words[0]) {
            case "push" -> push(loom, Integer.parseInt(words[1]));
            case "force" -> loom.force();
            case "close" -> loom.close();
            case "moves" -> {
                return "" + loom.info().writer().orElseThrow().stagingReplaced();
            }
            default -> throw new IllegalArgumentException(words[0]);
        }
        return "ok";
    }

    /** Pushes records of eight bytes to the source {@code written}. */
    public static void push(Loom loom, int records) {
        int id = loom.source("written")
                .map(Source::id)
                .orElseGet(() -> loom.defineSource("written", Formats.parse("bytes")));
        for (int i = 0; i < records; i++) {
            loom.push(id, new byte[Long.BYTES]);
        }
    }

    /** As a backup does. */
    public static void readAll(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                try {
                    Files.readAllBytes(file);
                } catch (NoSuchFileException e) {
                    // deleted meanwhile
                }
            }
        }
    }
}
