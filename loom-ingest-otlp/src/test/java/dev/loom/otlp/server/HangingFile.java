package dev.loom.otlp.server;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/** A file whose reading does not end until this is closed: a link to a pipe that nobody writes to. */
final class HangingFile implements AutoCloseable {
    private final Path file;
    private final Path pipe;

    private HangingFile(Path file, Path pipe) {
        this.file = file;
        this.pipe = pipe;
    }

    static HangingFile inPlaceOf(Path file) throws Exception {
        Path pipe = file.resolveSibling(file.getFileName() + ".pipe");
        if (new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start().waitFor() != 0) {
            throw new IOException("can't make a pipe: file=" + pipe);
        }
        replace(file, Files.createSymbolicLink(file.resolveSibling("link"), pipe));
        return new HangingFile(file, pipe);
    }

    private static void replace(Path file, Path by) throws IOException {
        Files.move(by, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Waits until a thread of the server reads it. */
    void awaitReader() {
        while (Thread.getAllStackTraces().values().stream()
                .noneMatch(stack -> Arrays.stream(stack)
                        .anyMatch(frame -> frame.getClassName().equals("dev.loom.otlp.server.PemFiles")))) {
            Thread.onSpinWait();
        }
    }

    /** Puts another file, which can be read, into its place. */
    void replaceBy(Path other) throws IOException {
        replace(file, Files.copy(other, file.resolveSibling("other")));
    }

    /** Ends the reading. */
    @Override
    public void close() throws IOException {
        // for both, as it would wait for a reader that there may not be
        FileChannel.open(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE)
                .close();
    }
}
