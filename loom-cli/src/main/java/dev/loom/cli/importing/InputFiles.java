package dev.loom.cli.importing;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.input.GzipInput;
import dev.loom.otlp.server.FileFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens what is to be imported. Compressed files (gzip) are known by their first bytes. */
final class InputFiles {
    private static final int GZIP_FIRST = 0x1F;
    private static final int GZIP_SECOND = 0x8B;

    private InputFiles() {}

    /**
     * Looks whether a file can be opened.
     *
     * @throws CommandFailure when it can't
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
            return compressed(stream.readNBytes(2));
        }
    }

    private static boolean compressed(byte[] first) {
        return first.length == 2 && (first[0] & 0xFF) == GZIP_FIRST && (first[1] & 0xFF) == GZIP_SECOND;
    }

    /**
     * Opens a file.
     *
     * @throws CommandFailure when it can't be read
     */
    static InputStream open(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw unreadable(file, "is a directory");
        }
        InputStream stream;
        try {
            stream = Files.newInputStream(file);
        } catch (FileSystemException e) {
            throw unreadable(file, FileFailure.reason(e));
        }
        try {
            return decompressed(stream);
        } catch (IOException e) {
            stream.close();
            throw e;
        }
    }

    private static CommandFailure unreadable(Path file, String reason) {
        return CommandFailure.usage("can't read the input: file=" + file + ", reason=" + reason);
    }

    private static InputStream decompressed(InputStream stream) throws IOException {
        PushbackInputStream input = new PushbackInputStream(stream, 2);
        byte[] magic = input.readNBytes(2);
        input.unread(magic);
        return compressed(magic) ? new GzipInput(input) : input;
    }
}
