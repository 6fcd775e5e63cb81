package dev.loom.cli.console;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NoSuchElementException;
import java.util.Scanner;

/**
 * Tells for each standard stream whether it is a terminal or a pipe, which {@code System.console()} can't. Works on Linux only;
 * elsewhere no stream counts as either.
 */
final class Terminals {
    static final int IN = 0;
    static final int OUT = 1;
    static final int ERR = 2;

    static final int COLUMNS_DEFAULT = 80;

    private static final Path TERMINAL = Path.of("/dev/tty");

    private Terminals() {}

    /** Columns of this process's terminal, or {@link #COLUMNS_DEFAULT}. */
    static int columns() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(TERMINAL.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (Scanner size = new Scanner(stty.getInputStream(), StandardCharsets.US_ASCII)) {
                size.nextInt();
                int columns = size.nextInt();
                return columns > 0 ? columns : COLUMNS_DEFAULT;
            }
        } catch (IOException | NoSuchElementException e) {
            return COLUMNS_DEFAULT;
        }
    }

    static boolean isTerminal(int fileDescriptor) {
        return isTerminalPath(target(fileDescriptor));
    }

    /** Whether the stream leads to another process through a pipe or socket. */
    static boolean isPipe(int fileDescriptor) {
        String text = target(fileDescriptor).toString();
        return text.startsWith("pipe:") || text.startsWith("socket:");
    }

    /** What a stream leads to; empty if that is not known. */
    static Path target(int fileDescriptor) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + fileDescriptor));
        } catch (IOException | UnsupportedOperationException e) {
            return Path.of("");
        }
    }

    static boolean isTerminalPath(Path target) {
        String text = target.toString();
        return text.startsWith("/dev/pts/") || text.startsWith("/dev/tty") || text.equals("/dev/console");
    }
}
