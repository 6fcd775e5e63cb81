package dev.loom.io;

import dev.loom.error.StoreIoException;
import dev.loom.error.StoreLockedException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The right to write a store: one process, and in it one store.
 *
 * <p>The operating system's lock keeps other processes out. It belongs to the process, and is dropped unseen when any
 * descriptor of the file is closed; so a registry in the system properties, which span class loaders, is claimed first,
 * keyed by the file's identity, and nothing else ever opens the file.
 */
public final class WriterLock implements AutoCloseable {
    private static final String REGISTRY = "dev.loom.writer.";

    private final String key;
    private @Nullable FileChannel channel;
    private boolean closed;

    private WriterLock(String key) {
        this.key = key;
    }

    /**
     * Takes the lock or fails at once.
     *
     * @param lockFile exists, is empty
     * @param ownerPid tells the pid of another process that has it, or -1
     * @throws StoreLockedException naming the pid of the owner
     */
    public static WriterLock take(Path lockFile, LongSupplier ownerPid) {
        FileId id = FileId.of(lockFile);
        WriterLock lock = new WriterLock(REGISTRY + id.device() + ':' + id.inode());
        if (System.getProperties().putIfAbsent(lock.key, Long.toString(Platform.pid())) != null) {
            throw new StoreLockedException(
                    "store has a writer already, in this process: lock=" + lockFile + ", pid=" + Platform.pid(),
                    Platform.pid());
        }
        try {
            lock.lockFile(lockFile, ownerPid);
            return lock;
        } catch (RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    private void lockFile(Path lockFile, LongSupplier ownerPid) {
        try {
            channel = FileChannel.open(lockFile, Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
            FileLock lock = channel.tryLock();
            if (lock == null) {
                long pid = ownerPid.getAsLong();
                throw new StoreLockedException("store has a writer already: lock=" + lockFile + ", pid=" + pid, pid);
            }
        } catch (OverlappingFileLockException e) {
            throw new StoreLockedException("store has a writer already, in this process: lock=" + lockFile, -1);
        } catch (IOException e) {
            throw new StoreIoException("lock can't be taken: lock=" + lockFile + ", reason=" + e, e);
        }
    }

    /** Gives the lock back. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        FileChannel open = channel;
        channel = null;
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException e) {
            throw new StoreIoException("lock can't be given back: reason=" + e, e);
        } finally {
            System.getProperties().remove(key);
        }
    }
}
