package dev.loom;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.api.StoreInfo;
import dev.loom.error.LoomException;
import dev.loom.error.StoreNotFoundException;
import dev.loom.error.StoreReopenedException;
import dev.loom.filter.FilterCache;
import dev.loom.io.Storage;
import dev.loom.store.AttachedStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A store attached read-only: one that another process writes, that was closed, or that a killed process left. It
 * writes nothing and does not affect the writer. Usable from any thread. Once closed, every call except {@link
 * #close()} throws {@link IllegalStateException}.
 */
public final class LoomReader implements Store {
    private final AttachedStore store;

    private LoomReader(AttachedStore store) {
        this.store = store;
    }

    /**
     * Attaches to the store in a directory. The calling thread's context class loader finds its {@linkplain
     * dev.loom.format.PayloadFormatProvider formats of programs' own}, whichever thread asks for them later.
     *
     * @throws StoreNotFoundException when the directory holds no store
     * @throws LoomException when the store can't be read; the subclass says why
     */
    public static LoomReader attach(Path directory) {
        return attach(directory, Thread.currentThread().getContextClassLoader());
    }

    /** As {@link #attach(Path)}, with the class loader that finds the formats; null for the system's. */
    public static LoomReader attach(Path directory, @Nullable ClassLoader formats) {
        return attach(directory, formats, FilterCache.BYTES_DEFAULT);
    }

    /**
     * As {@link #attach(Path, ClassLoader)}.
     *
     * @param textIndexCacheBytes as for {@link LoomConfig.Builder#textIndexCacheBytes}
     */
    public static LoomReader attach(Path directory, @Nullable ClassLoader formats, long textIndexCacheBytes) {
        long cacheBytes = LoomConfig.checkedTextIndexCacheBytes(textIndexCacheBytes);
        return new LoomReader(AttachedStore.attach(directory, Storage.DISK, formats, cacheBytes));
    }

    /**
     * As {@link Store#snapshot()}.
     *
     * @throws StoreReopenedException when a new writer has opened or recovered the store since this reader attached; attach again
     */
    @Override
    public Snapshot snapshot() {
        return store.snapshot();
    }

    @Override
    public List<Source> sources() {
        return store.sources();
    }

    @Override
    public Optional<Source> source(String name) {
        return store.source(name);
    }

    @Override
    public List<Index> indexes() {
        return store.indexes();
    }

    @Override
    public StoreInfo info() {
        return store.info();
    }

    @Override
    public void close() {
        store.close();
    }
}
