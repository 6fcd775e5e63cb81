package dev.loom.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/** What every figure must state: machine, JDK, date, disk and the load from other processes. */
final class Machine {
    private Machine() {}

    static Map<String, String> describe(Path directory) {
        final Map<String, String> facts = new LinkedHashMap<>();
        facts.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        facts.put("cpu", firstValue(Path.of("/proc/cpuinfo"), "model name"));
        facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        facts.put("memory", firstValue(Path.of("/proc/meminfo"), "MemTotal"));
        facts.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        facts.put("jdk", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        facts.put("load", loadAverage());
        facts.put("disk", disk(directory));
        return facts;
    }

    private static String disk(Path directory) {
        try {
            final var store = Files.getFileStore(directory);
            return store.name() + " " + store.type();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The load average of the last minute. */
    static String loadAverage() {
        final double load = java.lang.management.ManagementFactory.getOperatingSystemMXBean()
                .getSystemLoadAverage();
        return String.format("%.2f", load);
    }

    private static String firstValue(Path file, String key) {
        if (!Files.isReadable(file)) {
            return "unknown";
        }
        try (var lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(key))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse("unknown");
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
