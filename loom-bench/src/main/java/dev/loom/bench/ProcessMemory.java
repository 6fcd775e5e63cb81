package dev.loom.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * This process's memory at one moment, bytes.
 *
 * @param heap live objects, after a collection
 * @param direct buffers outside the heap
 * @param mapped mapped files, as Java counts them
 * @param staging resident pages of mapped files in the staging directory, as the kernel counts them
 * @param resident the whole process
 */
record ProcessMemory(long heap, long direct, long mapped, long staging, long resident) {
    private static final Path MAPS = Path.of("/proc/self/smaps");
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final int COLLECTIONS = 3;
    private static final long KIB = 1024;

    static ProcessMemory now(Path stagingFolder) {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        final long heap =
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        return new ProcessMemory(heap, pool("direct"), pool("mapped"), residentBelow(stagingFolder), residentNow());
    }

    ProcessMemory since(ProcessMemory earlier) {
        return new ProcessMemory(
                heap - earlier.heap,
                direct - earlier.direct,
                mapped - earlier.mapped,
                staging - earlier.staging,
                resident - earlier.resident);
    }

    /** Heap, direct and mapped memory together. */
    long total() {
        return heap + direct + mapped;
    }

    private static long pool(String name) {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals(name))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    /** The sum of the {@code Rss} lines of mapped files below the directory. */
    private static long residentBelow(Path folder) {
        long kib = 0;
        boolean within = false;
        for (final String line : lines(MAPS)) {
            final boolean header = !line.substring(0, line.indexOf(' ')).endsWith(":");
            if (header) {
                within = line.contains(folder.toAbsolutePath() + "/");
            } else if (within && line.startsWith("Rss:")) {
                kib += number(line);
            }
        }
        return kib * KIB;
    }

    private static long residentNow() {
        return lines(STATUS).stream()
                        .filter(line -> line.startsWith("VmRSS:"))
                        .mapToLong(ProcessMemory::number)
                        .sum()
                * KIB;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.isReadable(file) ? Files.readAllLines(file) : List.of();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long number(String line) {
        return Long.parseLong(line.replaceAll("\\D", ""));
    }
}
