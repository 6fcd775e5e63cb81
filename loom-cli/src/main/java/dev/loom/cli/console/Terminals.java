package dev.loom.cli.console;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Tells whether a standard stream is a terminal or a pipe, each by itself, which {@code System.console()} can't. Only
 * Linux says; elsewhere none is taken for one.
 */
final class Terminals {
    static final int OUT = 1;
    static final int ERR = 2;

    private Terminals() {}

    static boolean isTerminal(int fileDescriptor) {
        return isTerminalPath(target(fileDescriptor));
    }

    /** Whether the stream goes to another process, through a pipe or a socket. */
    static boolean isPipe(int fileDescriptor) {
        String text = target(fileDescriptor).toString();
        return text.startsWith("pipe:") || text.startsWith("socket:");
    }

    private static Path target(int fileDescriptor) {
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
