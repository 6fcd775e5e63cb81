package dev.loom.io;

import java.nio.file.Path;
import java.util.List;

/**
 * All access to the file system, so that tests can fail any call. Failures are {@link
 * dev.loom.error.StoreIoException}s that name the file. Usable from any thread.
 */
public interface Storage {
    /** The disk itself. */
    Storage DISK = new DiskStorage();

    /** Opens an existing file for reading. Links are not followed. */
    LoomFile openToRead(Path file);

    /**
     * Opens a file for reading and writing, creating it with mode 0600. Links are not followed.
     *
     * @param direct whether to go past the page cache; then buffers, positions and lengths must be aligned to the block
     *     size
     */
    LoomFile openToWrite(Path file, boolean direct);

    /** Creates a directory with mode 0700, and those above it that are missing. */
    void createDirectories(Path directory);

    /** Makes the entries of a directory durable. */
    void syncDirectory(Path directory);

    /** Deletes a file or an empty directory; one that is not there is no error. */
    void delete(Path file);

    /** The entries of a directory, sorted by name; empty when it is not there. */
    List<Path> list(Path directory);

    boolean exists(Path file);
}
