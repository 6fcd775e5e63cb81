package dev.loom.bench.push;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/** A new directory that is deleted with its contents on close. For one thread. */
public final class ScratchDirectory implements AutoCloseable {
    private final Path path;
    private boolean closed;

    private ScratchDirectory(Path path) {
        this.path = path;
    }

    /**
     * Creates a directory on a disk.
     *
     * @throws IllegalArgumentException if {@code parent} is on tmpfs and that was not asked for: a benchmark that writes to
     *     memory by mistake gives figures that look like those of a fast disk
     */
    public static ScratchDirectory onDisk(Path parent, boolean tmpfsAllowed) {
        try {
            Files.createDirectories(parent);
            final String type = Files.getFileStore(parent).type();
            if (!tmpfsAllowed && ("tmpfs".equals(type) || "ramfs".equals(type))) {
                throw new IllegalArgumentException("benchmark directory is in memory; pick a disk, or allow it: dir="
                        + parent.toAbsolutePath() + ", type=" + type);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return in(parent);
    }

    /** Creates a directory anywhere. */
    public static ScratchDirectory in(Path parent) {
        try {
            Files.createDirectories(parent);
            return new ScratchDirectory(Files.createTempDirectory(parent, "loom-bench-"));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Path path() {
        return path;
    }

    /**
     * Deletes the directory, then waits until its file system has recorded the deletion, so that freeing gigabytes does not
     * disturb the next measurement.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            deleteTree(path);
            final Path settle = Files.createTempFile(path.toAbsolutePath().getParent(), "loom-bench-", ".settle");
            try (FileChannel channel = FileChannel.open(settle, StandardOpenOption.WRITE)) {
                channel.force(true);
            } finally {
                Files.delete(settle);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void deleteTree(Path root) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
