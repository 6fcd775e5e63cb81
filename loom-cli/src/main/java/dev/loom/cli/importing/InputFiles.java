package dev.loom.cli.importing;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.input.PlainInput;
import dev.loom.otlp.file.FileFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens import files. */
final class InputFiles {
    private InputFiles() {}

    /**
     * Checks that a file can be opened.
     *
     * @throws CommandFailure if it can't
     */
    static void requireReadable(Path file) {
        if (Files.isDirectory(file)) {
            throw unreadable(file, "is a directory");
        } else if (!Files.isReadable(file)) {
            throw unreadable(file, Files.exists(file) ? "permission denied" : "no such file");
        }
    }

    /** Whether a regular file is compressed. */
    static boolean compressed(Path file) throws IOException {
        try (InputStream stream = Files.newInputStream(file)) {
            return PlainInput.compressed(stream.read(), stream.read());
        }
    }

    /**
     * Opens a file.
     *
     * @throws CommandFailure if it can't be read
     */
    static InputStream open(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw unreadable(file, "is a directory");
        }
        try {
            return Files.newInputStream(file);
        } catch (FileSystemException e) {
            throw unreadable(file, FileFailure.reason(e));
        }
    }

    private static CommandFailure unreadable(Path file, String reason) {
        return CommandFailure.usage("can't read the input: file=" + file + ", reason=" + reason);
    }
}
