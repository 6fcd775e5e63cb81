package dev.loom.io;

import dev.loom.error.StoreIoException;
import dev.loom.error.StoreLockedException;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The lock that admits one writer to a store: one process, and one instance within it. It is normally enough to keep
 * others out. Since its file can be deleted or its lock dropped, a store's claims are checked too.
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
     * The process that has the lock.
     *
     * @param pid its pid, or -1 if that is unknown or of another PID namespace
     * @param text names it in messages
     */
    public record Holder(long pid, String text) {
        public static final Holder UNKNOWN = new Holder(-1, "pid=-1");
    }

    /**
     * Takes the lock or fails at once.
     *
     * @param other supplies the process that has it, if it is another
     * @throws StoreLockedException with the pid of the owner
     */
    public static WriterLock take(Path lockFile, Supplier<Holder> other) {
        LockedFile file = LockedFile.take(lockFile);
        if (file != null) {
            return new WriterLock(lockFile, file);
        }
        if (LockedFile.isHeldHere(lockFile)) {
            throw new StoreLockedException(
                    "store already has a writer, in this process: lock=" + lockFile + ", pid=" + Platform.pid(),
                    Platform.pid());
        }
        Holder holder = other.get();
        throw new StoreLockedException(
                "store already has a writer: lock=" + lockFile + ", " + holder.text(), holder.pid());
    }

    /** The state in which a renewal found the lock. */
    public enum Renewal {
        KEPT,
        /** The file had been deleted, replaced or become unusable, and is locked again. */
        RESTORED,
        /** Another process has it. */
        LOST
    }

    /**
     * Retakes a lock that was lost because another descriptor of the file was closed, or the file was deleted or
     * replaced. Call every second.
     *
     * @throws StoreIoException when that fails for now
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
