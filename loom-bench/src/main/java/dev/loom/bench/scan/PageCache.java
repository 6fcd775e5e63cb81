package dev.loom.bench.scan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Drops files from the page cache, with {@code dd}, since Java has no call for it. Needs no privilege. */
public final class PageCache {
    private PageCache() {}

    /** Drops every file below {@code directory}; the files must have been written back. */
    public static void drop(Path directory) {
        try (var paths = Files.walk(directory)) {
            paths.filter(Files::isRegularFile).forEach(PageCache::dropFile);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void dropFile(Path file) {
        try {
            final Process process = new ProcessBuilder(
                            List.of("dd", "if=" + file, "iflag=nocache", "count=0", "status=none"))
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(
                        "file was not dropped from the page cache: file=" + file + ", " + output);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a file was dropped from the page cache", e);
        }
    }
}
