package dev.loom.cli.console;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** The process's standard input as a file that a command reads. */
public final class StandardInput {
    /** What a command calls it. */
    public static final String NAME = "-";

    private static final Set<String> NAMES = Set.of(NAME, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0");

    private StandardInput() {}

    /**
     * Checks an input that may be this one. Where it was closed, the first file that the JVM opens for itself has its descriptor.
     *
     * @throws CommandFailure if it was closed
     */
    public static void requireOpen(String input) {
        if (NAMES.contains(input) && isOfJvm(Terminals.target(Terminals.IN))) {
            throw CommandFailure.usage("standard input is closed: input=" + input);
        }
    }

    /** Whether a file is a regular one of the JDK or of the class path. */
    static boolean isOfJvm(Path file) {
        return Files.isRegularFile(file)
                && (file.startsWith(real(System.getProperty("java.home")))
                        || classPath().contains(file));
    }

    private static List<Path> classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(StandardInput::real)
                .toList();
    }

    private static Path real(String path) {
        try {
            return Path.of(path).toRealPath();
        } catch (IOException e) {
            return Path.of(path); // it is not there, so it is not open
        }
    }
}
