package dev.loom.bench.search;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The files of a side: how long they are, and how they get to the disk. */
final class StoredFiles {
    private StoredFiles() {}

    /** The bytes of all files, by the folder below {@code root} that they are in, or by their ending if {@code byEnding}. */
    static Map<String, Long> bytes(Path root, boolean byEnding) throws IOException {
        final Map<String, Long> bytes = new TreeMap<>();
        try (Stream<Path> files = Files.walk(root)) {
            files.filter(Files::isRegularFile)
                    .forEach(file -> bytes.merge(
                            byEnding
                                    ? ending(file)
                                    : root.relativize(file).getName(0).toString(),
                            file.toFile().length(),
                            Long::sum));
        }
        return bytes;
    }

    private static String ending(Path file) {
        final String name = file.getFileName().toString();
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** Waits until all files are on the disk: what is not can't be dropped from the page cache. */
    static void force(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            files.filter(Files::isRegularFile).forEach(file -> {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.force(true);
                } catch (final IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
