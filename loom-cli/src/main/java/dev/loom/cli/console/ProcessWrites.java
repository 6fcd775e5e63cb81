package dev.loom.cli.console;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What this process has written to disks so far. */
public final class ProcessWrites {
    private static final Path STATISTICS = Path.of("/proc/self/io");
    private static final String WRITTEN = "write_bytes: ";

    private ProcessWrites() {}

    /** Bytes that the kernel has passed on, or holds to do so; 0 where it does not say. */
    public static long bytes() {
        try {
            List<String> lines = Files.readAllLines(STATISTICS, StandardCharsets.US_ASCII);
            return lines.stream()
                    .filter(line -> line.startsWith(WRITTEN))
                    .mapToLong(line -> Long.parseLong(line.substring(WRITTEN.length())))
                    .sum();
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }
}
