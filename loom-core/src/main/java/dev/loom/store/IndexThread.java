package dev.loom.store;

import dev.loom.api.StoreInfo.IndexState;
import dev.loom.error.StoreIoException;
import dev.loom.io.StoreThread;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread that does the index work which would have delayed opening: it writes what is missing, then checks what may
 * be damaged. It ends when that is done, or when the session is closed; the next session resumes. While the disk fails
 * or memory runs out, it retries after pauses that grow to a minute.
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
     * Prepares the thread.
     *
     * @param missing supplies the rebuild still to run, or null
     * @param onChecked called on this thread
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
            Thread.interrupted(); // not meant for this thread, and a pending one would end every park
        }
    }

    /** The failure that ended it early, or the last attempt's failure, or null. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Ends the thread, and waits for its end. */
    @Override
    public void close() {
        cancelled = true;
        LockSupport.unpark(thread);
        StoreThread.join(thread);
    }
}
