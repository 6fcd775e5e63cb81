package dev.loom.io;

import dev.loom.error.StoreIoException;
import dev.loom.error.StoreLockedException;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The right to write a store: one process, and in it one store. It is what keeps others out as a rule; that a file can be
 * deleted, or a lock dropped, is why a store's claims are asked too.
 */
public final class WriterLock implements AutoCloseable {
    private final Path path;
    private @Nullable LockedFile file;
    private boolean closed;

    private WriterLock(Path path, LockedFile file) {
        this.path = path;
        this.file = file;
    }

    /**
     * Takes the lock or fails at once.
     *
     * @param ownerPid tells the pid of another process that has it, or -1
     * @throws StoreLockedException naming the pid of the owner
     */
    public static WriterLock take(Path lockFile, LongSupplier ownerPid) {
        LockedFile file = LockedFile.take(lockFile);
        if (file != null) {
            return new WriterLock(lockFile, file);
        }
        if (LockedFile.isHeldHere(lockFile)) {
            throw new StoreLockedException(
                    "store has a writer already, in this process: lock=" + lockFile + ", pid=" + Platform.pid(),
                    Platform.pid());
        }
        long pid = ownerPid.getAsLong();
        throw new StoreLockedException("store has a writer already: lock=" + lockFile + ", pid=" + pid, pid);
    }

    /** What had become of the lock. */
    public enum Renewal {
        KEPT,
        /** The file had been deleted or replaced, or could not be used any more, and is locked again. */
        RESTORED,
        /** Another process has it. */
        LOST
    }

    /**
     * Takes again what was dropped, by whatever closed another descriptor of the file, deleted or replaced it. To be called
     * every second.
     *
     * @throws StoreIoException when it can't be taken now
     */
    public synchronized Renewal renew() {
        if (closed) {
            return Renewal.KEPT;
        }
        LockedFile current = file;
        try {
            if (current != null && current.inPlace()) {
                return current.renew() ? Renewal.KEPT : Renewal.LOST;
            }
        } catch (StoreIoException e) {
            // such as an interrupt, which has closed it
        }
        file = null;
        if (current != null) {
            current.close();
        }
        file = LockedFile.take(path);
        return file == null ? Renewal.LOST : Renewal.RESTORED;
    }

    /** Gives the lock back. Idempotent. */
    @Override
    public synchronized void close() {
        closed = true;
        LockedFile current = file;
        file = null;
        if (current != null) {
            current.close();
        }
    }
}
