package dev.loom.server;

import dev.loom.LoomReader;
import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.api.StoreInfo;
import dev.loom.error.StoreReopenedException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A store that another process may write, close, and open again: read without affecting it. Usable from any thread. */
final class FollowedStore implements Store {
    /** How often one call attaches: the next writer may come while it does. */
    private static final int ATTACHED_MAX = 10;

    private final Path directory;
    private final @Nullable ClassLoader formats;
    private final long textIndexCacheBytes;
    private LoomReader reader;
    private boolean closed;

    /**
     * Attaches to a store.
     *
     * @param formats the class loader that finds its formats
     * @param textIndexCacheBytes as for {@link dev.loom.LoomConfig.Builder#textIndexCacheBytes}
     * @throws dev.loom.error.LoomException if the store can't be read
     */
    FollowedStore(Path directory, @Nullable ClassLoader formats, long textIndexCacheBytes) {
        this.directory = directory;
        this.formats = formats;
        this.textIndexCacheBytes = textIndexCacheBytes;
        reader = LoomReader.attach(directory, formats, textIndexCacheBytes);
    }

    /** Attaches again if a new writer has opened or recovered the store; snapshots of the old reader stay as they are. */
    @Override
    public synchronized Snapshot snapshot() {
        if (closed) {
            throw new IllegalStateException("store is closed: directory=" + directory);
        }
        for (int attached = 0; ; attached++) {
            try {
                return reader.snapshot();
            } catch (StoreReopenedException e) {
                if (attached == ATTACHED_MAX) {
                    throw e;
                }
                attach();
            }
        }
    }

    private void attach() {
        LoomReader attached = LoomReader.attach(directory, formats, textIndexCacheBytes);
        reader.close();
        reader = attached;
    }

    /** Called with the lock, so that nobody closes the reader before it has answered. */
    private LoomReader current() {
        snapshot().close();
        return reader;
    }

    @Override
    public synchronized List<Source> sources() {
        return current().sources();
    }

    @Override
    public synchronized Optional<Source> source(String name) {
        return current().source(name);
    }

    @Override
    public synchronized List<Index> indexes() {
        return current().indexes();
    }

    @Override
    public synchronized StoreInfo info() {
        return current().info();
    }

    @Override
    public synchronized void close() {
        closed = true;
        reader.close();
    }
}
