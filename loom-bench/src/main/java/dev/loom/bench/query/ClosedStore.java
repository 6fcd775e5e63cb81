package dev.loom.bench.query;

import dev.loom.Loom;
import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.api.StoreInfo;
import dev.loom.bench.scan.PageCache;
import java.nio.file.Path;

/** A store that was written and closed, read as another process would. For one thread. */
public class ClosedStore implements AutoCloseable {
    private final Path path;
    private LoomReader reader;
    private Snapshot snapshot;

    /** Attaches to a store. */
    protected ClosedStore(Path path) {
        this.path = path;
        reader = LoomReader.attach(path);
        snapshot = reader.snapshot();
    }

    /** What a store needs before it is closed: all records on the disk, and all runs of chunks summed up. */
    protected static void finish(Loom loom) {
        loom.force();
        if (!loom.finishRollups((done, total) -> true)) {
            throw new IllegalStateException("runs of chunks were not summed up");
        }
    }

    /** A snapshot of the whole store. {@link #chill()} replaces it. */
    public Snapshot snapshot() {
        return snapshot;
    }

    /** Drops all files from the page cache, and attaches again. */
    public void chill() {
        close();
        PageCache.drop(path);
        reader = LoomReader.attach(path);
        snapshot = reader.snapshot();
    }

    /** The store's info, which includes the ends of its logs. */
    public StoreInfo info() {
        return reader.info();
    }

    @Override
    public void close() {
        snapshot.close();
        reader.close();
    }
}
