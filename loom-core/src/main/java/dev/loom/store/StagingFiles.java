package dev.loom.store;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the file system tells of a directory of staging.
 *
 * @param own whether it belongs to this process's user
 * @param created when its files were created
 * @param bytes the sum of their lengths; -1 if it can't be read
 */
record StagingFiles(boolean own, Instant created, long bytes) {
    private static final Path SELF = Path.of("/proc/self");
    private static final String UID = "unix:uid";

    /** Null if the directory is gone. */
    static @Nullable StagingFiles of(Path directory) {
        try {
            FileTime created = Files.getLastModifiedTime(directory, LinkOption.NOFOLLOW_LINKS);
            boolean own = Files.getAttribute(directory, UID, LinkOption.NOFOLLOW_LINKS)
                    .equals(Files.getAttribute(SELF, UID));
            return new StagingFiles(own, created.toInstant(), bytes(directory));
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException | UnsupportedOperationException e) {
            return new StagingFiles(false, Instant.EPOCH, -1);
        }
    }

    private static long bytes(Path directory) throws IOException {
        long bytes = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                bytes += Files.size(file);
            }
            return bytes;
        } catch (IOException e) {
            if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
                return -1;
            }
            throw e;
        }
    }
}
