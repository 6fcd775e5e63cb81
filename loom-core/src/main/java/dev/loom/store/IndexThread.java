package dev.loom.store;

import dev.loom.error.StoreIoException;
import dev.loom.io.StoreThread;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread that does for the indexes what opening would have taken too long for: writes what is missing of them, then reads
 * through what may be damaged. It ends when that is done, or when the session is closed, whose successor goes on. While the disk
 * fails, or there is no memory, it tries again, after pauses that grow to a minute.
 */
final class IndexThread implements AutoCloseable {
    private static final long PAUSE_NS_MIN = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long PAUSE_NS_MAX = TimeUnit.MINUTES.toNanos(1);

    private final Supplier<@Nullable GapRebuild> missing;
    private final @Nullable IndexCheck unchecked;
    private final Consumer<IndexState> onChecked;
    private final Thread thread = StoreThread.of("loom-index", this::run);
    private volatile boolean cancelled;
    private volatile @Nullable Throwable failure;

    /**
     * Prepares it.
     *
     * @param missing gives what is still to be written, or null
     * @param onChecked called by the thread
     */
    IndexThread(
            Supplier<@Nullable GapRebuild> missing, @Nullable IndexCheck unchecked, Consumer<IndexState> onChecked) {
        this.missing = missing;
        this.unchecked = unchecked;
        this.onChecked = onChecked;
    }

    void start() {
        thread.start();
    }

    Thread thread() {
        return thread;
    }

    private void run() {
        boolean again = true;
        for (long pauseNs = PAUSE_NS_MIN; again && !cancelled; pauseNs = Math.min(2 * pauseNs, PAUSE_NS_MAX)) {
            try {
                work();
                failure = null;
                again = false;
            } catch (CancellationException e) {
                again = false; // the session is being closed
            } catch (StoreIoException | VirtualMachineError e) {
                failure = e;
                pause(pauseNs);
            } catch (Throwable e) {
                failure = e;
                again = false;
            }
        }
    }

    private void work() {
        GapRebuild rebuild = missing.get();
        if (rebuild != null) {
            rebuild.run(() -> cancelled);
        }
        if (unchecked != null) {
            onChecked.accept(unchecked.pagesWhole(() -> cancelled) ? IndexState.WHOLE : IndexState.DAMAGED);
        }
    }

    private void pause(long ns) {
        long end = System.nanoTime() + ns;
        for (long leftNs = ns; leftNs > 0 && !cancelled; leftNs = end - System.nanoTime()) {
            LockSupport.parkNanos(leftNs);
            Thread.interrupted(); // nobody is meant by it, and no park would last
        }
    }

    /** Why it has ended early, or what it met when it tried last, or null. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Ends the thread, and returns when it has ended. */
    @Override
    public void close() {
        cancelled = true;
        LockSupport.unpark(thread);
        StoreThread.join(thread);
    }
}
