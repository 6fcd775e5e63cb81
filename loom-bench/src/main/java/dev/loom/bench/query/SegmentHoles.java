package dev.loom.bench.query;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Gives the disk back what full segments of records take, and leaves their indexes: so a store may have the summaries of more records than
 * the disk has room for. Who reads such a record meets a damaged page. Needs Linux, and {@code fallocate} of util-linux.
 */
final class SegmentHoles {
    /** The newest segments, which may still be written or read. */
    private static final int KEPT = 2;

    private final Path segments;
    private final Set<Path> punched = new HashSet<>();

    /** @param store its directory */
    SegmentHoles(Path store) {
        segments = store.resolve("record");
    }

    void punch() {
        final List<Path> all;
        try (Stream<Path> files = Files.list(segments)) {
            all = files.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (final Path segment : all.subList(0, Math.max(0, all.size() - KEPT))) {
            if (punched.add(segment)) {
                punch(segment);
            }
        }
    }

    private static void punch(Path segment) {
        try {
            final long length = Files.size(segment);
            final int exit = new ProcessBuilder(
                            "fallocate", "-p", "-o", "0", "-l", Long.toString(length), segment.toString())
                    .inheritIO()
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new IllegalStateException("fallocate failed: exit=" + exit + ", file=" + segment);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
