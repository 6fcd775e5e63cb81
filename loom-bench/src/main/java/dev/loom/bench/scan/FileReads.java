package dev.loom.bench.scan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What this process has read so far: through read calls, and from the disk. Both are 0 if the system does not report them.
 *
 * @param calledBytes bytes returned by read calls
 * @param diskBytes bytes fetched from the disk, for calls and for faults in mapped files
 */
public record FileReads(long calledBytes, long diskBytes) {
    private static final Path COUNTERS = Path.of("/proc/self/io");

    public static boolean known() {
        return Files.isReadable(COUNTERS);
    }

    public static FileReads now() {
        if (!known()) {
            return new FileReads(0, 0);
        }
        try {
            final List<String> lines = Files.readAllLines(COUNTERS);
            return new FileReads(value(lines, "rchar: "), value(lines, "read_bytes: "));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public FileReads since(FileReads earlier) {
        return new FileReads(calledBytes - earlier.calledBytes, diskBytes - earlier.diskBytes);
    }

    private static long value(List<String> lines, String key) {
        return lines.stream()
                .filter(line -> line.startsWith(key))
                .mapToLong(line -> Long.parseLong(line.substring(key.length()).trim()))
                .findFirst()
                .orElse(0);
    }
}
