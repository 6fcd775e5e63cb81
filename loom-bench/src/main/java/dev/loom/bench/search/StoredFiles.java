package dev.loom.bench.search;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The files of a side: how long they are, and how they get to the disk. */
public final class StoredFiles {
    private StoredFiles() {}

    /** The bytes of all files, by the folder below {@code root} that they are in, or by their ending if {@code byEnding}. */
    public static Map<String, Long> bytes(Path root, boolean byEnding) throws IOException {
        final Map<String, Long> bytes = new TreeMap<>();
        for (Path file : files(root)) {
            bytes.merge(
                    byEnding ? ending(file) : root.relativize(file).getName(0).toString(),
                    file.toFile().length(),
                    Long::sum);
        }
        return bytes;
    }

    private static String ending(Path file) {
        final String name = file.getFileName().toString();
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** Waits until all files are on the disk: what is not can't be dropped from the page cache. */
    public static void force(Path root) throws IOException {
        for (Path file : files(root)) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.force(true);
            } catch (final NoSuchFileException e) {
                // engines delete files when they like
            }
        }
    }

    private static List<Path> files(Path root) throws IOException {
        final List<Path> files = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (attributes.isRegularFile()) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }
        });
        return files;
    }
}
