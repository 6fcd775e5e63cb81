package dev.loom.io;

import dev.loom.error.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A file that this process has locked. The kernel releases the lock when the process ends, and not before: a stopped
 * process keeps it, and processes in other PID namespaces see it too.
 *
 * <p>The lock belongs to the process, and is silently dropped when any descriptor of the file is closed. So a registry
 * in the system properties, which are shared by all class loaders, is claimed first, keyed by the file's identity; and
 * {@link #renew()} takes the lock again. The lock covers two bytes, each of which is retaken while the other is held,
 * so that the file is never unlocked.
 */
public final class LockedFile implements AutoCloseable {
    private static final String REGISTRY = "dev.loom.locked.";
    private static final FileAttribute<Set<PosixFilePermission>> FILE_MODE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final int BYTES = 2;
    private static final int TRIES = 1_000;

    /** How much of a file a look reads, bytes. */
    public static final int CONTENTS_MAX = 1 << 16;

    /**
     * Keeps unclosed files reachable: a garbage-collected channel would release the lock and the inode, and another
     * file would seem to be locked.
     */
    private static final Set<LockedFile> HELD = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileId id;
    private final FileChannel channel;
    /** The key in the registry, kept so that releasing the lock allocates nothing. */
    private final String key;

    private final @Nullable FileLock[] locks = new FileLock[BYTES];
    private boolean closed;

    private LockedFile(Path path, FileId id, FileChannel channel) {
        this.path = path;
        this.id = id;
        this.channel = channel;
        this.key = key(id);
    }

    /**
     * Locks a file, creating it if missing.
     *
     * @return null if another process or this one has already locked it
     */
    public static @Nullable LockedFile take(Path path) {
        // one monitor for all class loaders, so that nobody in this process closes the file meanwhile
        synchronized (System.getProperties()) {
            for (int i = 0; i < TRIES; i++) {
                if (isHeldHere(path)) {
                    return null;
                }
                LockedFile file = open(path);
                boolean taken = false;
                try {
                    if (!file.renew()) {
                        return null;
                    }
                    if (file.inPlace()) {
                        HELD.add(file);
                        System.setProperty(file.key, Long.toString(Platform.pid()));
                        taken = true;
                        return file;
                    }
                } finally {
                    if (!taken) {
                        file.abandon();
                    }
                }
                // it was replaced in between
            }
        }
        throw new StoreIoException("file keeps being replaced: file=" + path);
    }

    /**
     * What a look at a file finds.
     *
     * @param here whether this process has locked it
     * @param held whether this or another process has
     * @param contents the file's, up to {@link #CONTENTS_MAX} bytes; none if this process has locked it
     */
    @SuppressWarnings("ArrayRecordComponent") // not compared
    public record Look(boolean here, boolean held, byte[] contents) {}

    /** Whether this or another process has locked a file. A missing file is not locked. */
    public static boolean isHeld(Path path) {
        Look look = look(path);
        return look != null && look.held();
    }

    /**
     * Looks at a file without dropping this process's lock of it, also if another thread is about to take that.
     *
     * @return null if there is no such file
     */
    public static @Nullable Look look(Path path) {
        boolean interrupted = false; // an interrupt closes the channel
        try {
            while (true) {
                interrupted |= Thread.interrupted();
                synchronized (System.getProperties()) {
                    if (isHeldHere(path)) {
                        return new Look(true, true, new byte[0]);
                    }
                    try (FileChannel channel =
                            FileChannel.open(path, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
                        return new Look(false, isLocked(channel), read(channel));
                    } catch (NoSuchFileException e) {
                        return null;
                    } catch (ClosedByInterruptException e) {
                        // once more
                    } catch (IOException e) {
                        throw failure(path, e);
                    }
                }
            }
        } finally {
            DiskFile.keep(interrupted);
        }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        // shared, so that several processes can check at once
        try (FileLock lock = channel.tryLock(0, BYTES, true)) {
            return lock == null;
        } catch (OverlappingFileLockException e) {
            return true;
        }
    }

    private static byte[] read(FileChannel channel) throws IOException {
        ByteBuffer contents = ByteBuffer.allocate(CONTENTS_MAX);
        while (contents.hasRemaining() && channel.read(contents, contents.position()) >= 0) {
            // reads on to the end
        }
        return Arrays.copyOf(contents.array(), contents.position());
    }

    /** Whether this process has locked the file at a path; closing any descriptor of it would then drop the lock. */
    public static boolean isHeldHere(Path path) {
        return System.getProperty(key(FileId.find(path))) != null;
    }

    private static String key(FileId id) {
        return REGISTRY + id.device() + ':' + id.inode();
    }

    private static LockedFile open(Path path) {
        try {
            FileChannel channel = FileChannel.open(
                    path,
                    Set.of(
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE,
                            StandardOpenOption.CREATE,
                            LinkOption.NOFOLLOW_LINKS),
                    FILE_MODE);
            return new LockedFile(path, FileId.find(path), channel);
        } catch (IOException e) {
            throw failure(path, e);
        }
    }

    private static StoreIoException failure(Path path, IOException e) {
        return new StoreIoException("lock can't be taken: lock=" + path + ", reason=" + e, e);
    }

    /** Retakes the lock if it was dropped. Returns whether this process has all of it. */
    public synchronized boolean renew() {
        boolean held = true;
        try {
            for (int i = 0; i < BYTES; i++) {
                FileLock lock = locks[i];
                if (lock != null) {
                    lock.release();
                }
                locks[i] = channel.tryLock(i, 1, false);
                held &= locks[i] != null;
            }
        } catch (OverlappingFileLockException e) {
            return false;
        } catch (IOException e) {
            throw failure(path, e);
        }
        return held;
    }

    /** Whether the path still refers to this file. */
    public boolean inPlace() {
        return !id.equals(FileId.NONE) && FileId.find(path).equals(id);
    }

    /**
     * Replaces the file's contents, a few bytes. Keeps the thread's interrupt status, as an interrupt would close the file; one that comes
     * meanwhile may do so.
     *
     * @throws StoreIoException if the file can't be written; {@link #isOpen} says whether it is still locked
     */
    public synchronized void write(byte[] bytes) {
        boolean interrupted = Thread.interrupted();
        try {
            ByteBuffer source = ByteBuffer.wrap(bytes);
            while (source.hasRemaining()) {
                channel.write(source, source.position());
            }
            channel.truncate(bytes.length);
        } catch (IOException e) {
            throw new StoreIoException("lock can't be written: lock=" + path + ", reason=" + e, e);
        } finally {
            DiskFile.keep(interrupted);
        }
    }

    /** Whether the file is open, and so locked; false once an interrupt has closed it. */
    public boolean isOpen() {
        return channel.isOpen();
    }

    public FileId id() {
        return id;
    }

    private void abandon() {
        try {
            channel.close();
        } catch (IOException e) {
            throw failure(path, e);
        }
    }

    /** Releases the lock. Idempotent. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        // once the channel is closed, another file may get this inode, and nobody may see it in the registry then
        synchronized (System.getProperties()) {
            System.clearProperty(key);
            HELD.remove(this);
            try {
                channel.close();
            } catch (IOException e) {
                throw new StoreIoException("lock can't be released: lock=" + path + ", reason=" + e, e);
            }
        }
    }
}
