package dev.loom.io;

import dev.loom.error.StoreIoException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@link Storage} on the machine's file system. */
final class DiskStorage implements Storage {
    private static final FileAttribute<Set<PosixFilePermission>> FILE_MODE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY_MODE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private volatile @Nullable KnownFileStore known;

    /** A directory and its file system, which is found by reading all that is mounted. */
    private record KnownFileStore(Path directory, FileStore store) {}

    /** Asked for every few megabytes that are written, mostly of the same directory. */
    @Override
    public long usableSpace(Path directory) {
        KnownFileStore last = known;
        if (last == null || !last.directory().equals(directory)) {
            last = new KnownFileStore(directory, Platform.fileSystem(directory));
            known = last;
        }
        try {
            return last.store().getUsableSpace();
        } catch (IOException e) {
            throw new StoreIoException("file system can't be read: directory=" + directory + ", reason=" + e, e);
        }
    }

    @Override
    public LoomFile openToRead(Path file) {
        return open(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
    }

    @Override
    public LoomFile openToWrite(Path file, boolean direct) {
        Set<OpenOption> options = new HashSet<>(Set.of(
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.CREATE,
                LinkOption.NOFOLLOW_LINKS));
        if (direct) {
            options.add(directOption(file));
        }
        return open(file, options);
    }

    @Override
    public LoomFile openToRewrite(Path file) {
        return open(file, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
    }

    /** Found by name: newer versions of javac warn about the class, and a runtime image may lack its module. */
    private static OpenOption directOption(Path file) {
        try {
            for (Object option :
                    Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
                if (option.toString().equals("DIRECT")) {
                    return (OpenOption) option;
                }
            }
        } catch (ClassNotFoundException e) {
            throw new StoreIoException("direct I/O is not available in this JVM: file=" + file + ", reason=" + e, e);
        }
        throw new StoreIoException("direct I/O is not available in this JVM: file=" + file);
    }

    private static LoomFile open(Path file, Set<OpenOption> options) {
        try {
            Set<OpenOption> again = new HashSet<>(options);
            again.remove(StandardOpenOption.CREATE);
            return new DiskFile(file, again, FileChannel.open(file, options, FILE_MODE));
        } catch (IOException | UnsupportedOperationException e) {
            throw new StoreIoException("file operation failed: operation=open, file=" + file + ", reason=" + e, e);
        }
    }

    @Override
    public void createDirectories(Path directory) {
        try {
            Files.createDirectories(directory, DIRECTORY_MODE);
        } catch (IOException e) {
            throw new StoreIoException("directory can't be created: directory=" + directory + ", reason=" + e, e);
        }
    }

    @Override
    public void createDirectory(Path directory) {
        try {
            Files.createDirectory(directory, DIRECTORY_MODE);
        } catch (IOException e) {
            if (!(e instanceof FileAlreadyExistsException) || !Files.isDirectory(directory)) {
                throw new StoreIoException("directory can't be created: directory=" + directory + ", reason=" + e, e);
            }
        }
    }

    @Override
    public void syncDirectory(Path directory) {
        boolean interrupted = Thread.interrupted();
        boolean synced = false;
        try {
            while (!synced) {
                synced = syncedUninterrupted(directory);
                interrupted |= Thread.interrupted();
            }
        } catch (IOException e) {
            throw new StoreIoException("directory can't be synced: directory=" + directory + ", reason=" + e, e);
        } finally {
            DiskFile.keep(interrupted);
        }
    }

    /** False if interrupted. */
    private static boolean syncedUninterrupted(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
            return true;
        } catch (ClosedByInterruptException e) {
            return false;
        }
    }

    @Override
    public void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new StoreIoException("file can't be deleted: file=" + file + ", reason=" + e, e);
        }
    }

    @Override
    public void rename(Path file, Path name) {
        try {
            Files.move(file, name, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new StoreIoException("file can't be renamed: file=" + file + ", to=" + name + ", reason=" + e, e);
        }
    }

    @Override
    public List<Path> list(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return sorted(entries);
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new StoreIoException("directory can't be listed: directory=" + directory + ", reason=" + e, e);
        }
    }

    /** The entries of a directory in their order; what fails while they are read is an {@link IOException}, as when it is opened. */
    static List<Path> sorted(Stream<Path> entries) throws IOException {
        try {
            return entries.sorted().toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public boolean exists(Path file) {
        try {
            Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            if (isBelowFile(file)) {
                return false;
            }
            throw new StoreIoException("file can't be looked at: file=" + file + ", reason=" + e, e);
        }
    }

    /** Whether a path leads through what is no directory, so that nothing can be there. */
    private static boolean isBelowFile(Path path) {
        for (Path above = path.getParent(); above != null; above = above.getParent()) {
            try {
                return !Files.readAttributes(above, BasicFileAttributes.class).isDirectory();
            } catch (IOException e) {
                // it may be below a file, too
            }
        }
        return false;
    }
}
