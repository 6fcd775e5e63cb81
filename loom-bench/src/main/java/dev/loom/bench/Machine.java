package dev.loom.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/** What every figure must state: machine, JDK, date, disk, commit and the load from other processes. */
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
        facts.put("commit", commit());
        return facts;
    }

    /** The commit of the sources around the classes that run, with {@code -dirty} if those have changed since. */
    private static String commit() {
        try {
            final Path code = Path.of(Machine.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            final Process git = new ProcessBuilder(
                            "git", "-C", String.valueOf(code.getParent()), "describe", "--always", "--dirty")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (BufferedReader out = git.inputReader()) {
                final String commit = out.lines().findFirst().orElse("");
                return git.waitFor() == 0 && !commit.isEmpty() ? commit : "unknown";
            }
        } catch (final IOException | URISyntaxException e) {
            return "unknown"; // without git, or without sources
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return "unknown";
        }
    }

    private static String disk(Path directory) {
        try {
            final var store = Files.getFileStore(Files.createDirectories(directory));
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
