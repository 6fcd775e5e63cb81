package dev.loom.cli.console;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.ProgressHandler;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Shows how far a store's own work has come for which a command waits: its opening, and later the writing of what only memory holds. Close it
 * after the store. One thread at a time, until it is closed.
 */
public final class StoreProgress implements ProgressHandler, AutoCloseable {
    private final Console console;
    private final LongSupplier nanoClock;
    private String noun = "MiB recovered, checked or indexed";
    private @Nullable Progress shown;
    private long last;
    private volatile boolean writing;
    private volatile boolean closed;

    public StoreProgress(Console console) {
        this(console, System::nanoTime);
    }

    StoreProgress(Console console, LongSupplier nanoClock) {
        this.console = console;
        this.nanoClock = nanoClock;
    }

    /** Opens a store, and follows what it does from there on. */
    public Loom open(LoomConfig.Builder config) {
        Loom loom;
        try {
            loom = Loom.open(config.progress(this).build());
        } finally {
            end();
        }
        noun = "MiB written";
        // a slow disk takes longer for what is in the rings, which may not outlive this process's container
        console.interruption().graceWhile(() -> writing ? ProcessWrites.bytes() : 0);
        return loom;
    }

    @Override
    public boolean onProgress(long done, long total) {
        if (closed) {
            return true; // a server's threads write on
        }
        Progress progress = shown;
        if (progress == null || done < last) {
            progress = new Progress(console, noun, nanoClock);
            shown = progress;
        }
        last = done;
        writing = done < total;
        boolean goesOn = progress.onProgress(done, total);
        if (done >= total) {
            end();
        }
        return goesOn;
    }

    private void end() {
        Progress progress = shown;
        if (progress != null) {
            progress.close();
            shown = null;
        }
    }

    @Override
    public void close() {
        closed = true;
        writing = false;
        end();
    }
}
