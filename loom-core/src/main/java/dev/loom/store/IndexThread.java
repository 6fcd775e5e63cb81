package dev.loom.store;

import dev.loom.io.StoreThread;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The thread that does for the indexes what opening would have taken too long for: writes what is missing of them, then reads
 * through what may be damaged. It ends when that is done, when the session is closed, or when the disk fails; the next session
 * begins again.
 */
final class IndexThread implements AutoCloseable {
    private final @Nullable GapRebuild missing;
    private final @Nullable IndexCheck unchecked;
    private final Consumer<IndexState> onChecked;
    private final Thread thread = StoreThread.of("loom-index", this::run);
    private volatile boolean cancelled;
    private volatile @Nullable Throwable failure;

    /** @param onChecked called by the thread */
    IndexThread(@Nullable GapRebuild missing, @Nullable IndexCheck unchecked, Consumer<IndexState> onChecked) {
        this.missing = missing;
        this.unchecked = unchecked;
        this.onChecked = onChecked;
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            if (missing != null) {
                missing.run(() -> cancelled);
            }
            if (unchecked != null) {
                onChecked.accept(unchecked.pagesWhole(() -> cancelled) ? IndexState.WHOLE : IndexState.DAMAGED);
            }
        } catch (CancellationException e) {
            // the session is being closed
        } catch (Throwable e) {
            failure = e;
        }
    }

    /** Why it ended early, or null. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Ends the thread, and returns when it has ended. */
    @Override
    public void close() {
        cancelled = true;
        StoreThread.join(thread);
    }
}
