package dev.loom.io;

import dev.loom.error.StoreIoException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * All access to the file system, so that tests can fail any call. Failures are {@link
 * dev.loom.error.StoreIoException}s that name the file. Usable from any thread.
 */
public interface Storage {
    /** The disk itself. */
    @SuppressWarnings("ClassInitializationDeadlock") // nothing else refers to the class
    Storage DISK = new DiskStorage();

    /** What a file system may take beside a file's contents, bytes: the rest of its last block, and the map of where they lie. */
    long FILE_EXCESS_LENGTH = 8 << 10;

    /** Opens an existing file for reading. Links are not followed. */
    LoomFile openToRead(Path file);

    /**
     * Opens a file for reading and writing, creating it with mode 0600. Links are not followed.
     *
     * @param direct whether to bypass the page cache; then buffers, positions and lengths must be aligned to the block
     *     size
     */
    LoomFile openToWrite(Path file, boolean direct);

    /** As {@link #openToWrite}, but only a file that exists: what was moved away does not come back empty. */
    default LoomFile openToRewrite(Path file) {
        if (!exists(file)) {
            throw new StoreIoException("file does not exist: file=" + file);
        }
        return openToWrite(file, false);
    }

    /** Creates a directory and its missing parents, with mode 0700. */
    void createDirectories(Path directory);

    /**
     * Creates a directory with mode 0700, unless it exists. What it lies in must exist: a store that was moved away or whose disk is gone
     * does not come back empty.
     */
    void createDirectory(Path directory);

    /** Makes the entries of a directory durable. */
    void syncDirectory(Path directory);

    /** Deletes a file or an empty directory; a missing one is not an error. */
    void delete(Path file);

    /** Gives a file another name in its directory, in place of a file that has it already. */
    void rename(Path file, Path name);

    /** The entries of a directory, sorted by name; empty if the directory does not exist. */
    List<Path> list(Path directory);

    /**
     * Whether there is a file, a directory, or a link, whatever it leads to.
     *
     * @throws StoreIoException if that can't be known, say without permission or because the disk fails: it may hold records, so that
     *     it must not pass for absent
     */
    boolean exists(Path file);

    /** The type name of the file system that holds a directory, in lower case. */
    default String fileSystemType(Path directory) {
        return Platform.fileSystem(directory).type().toLowerCase(Locale.ROOT);
    }

    /** The size of the file system that holds a directory, bytes. */
    default long totalSpace(Path directory) {
        try {
            return Platform.fileSystem(directory).getTotalSpace();
        } catch (IOException e) {
            throw new StoreIoException("file system can't be read: directory=" + directory + ", reason=" + e, e);
        }
    }

    /** The bytes that this process may still write to the file system that holds a directory. */
    default long usableSpace(Path directory) {
        try {
            return Platform.fileSystem(directory).getUsableSpace();
        } catch (IOException e) {
            throw new StoreIoException("file system can't be read: directory=" + directory + ", reason=" + e, e);
        }
    }
}
