package dev.loom;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.api.StoreInfo;
import dev.loom.error.LoomException;
import dev.loom.error.StoreNotFoundException;
import dev.loom.error.StoreReopenedException;
import dev.loom.io.Storage;
import dev.loom.store.AttachedStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A store attached read-only: one that another process writes, one that is closed, or one that a killed process left.
 * Nothing is written, the writer is not touched. Usable from any thread. Once it is closed, every call but {@link #close()}
 * fails with an {@link IllegalStateException}.
 */
public final class LoomReader implements Store {
    private final AttachedStore store;

    private LoomReader(AttachedStore store) {
        this.store = store;
    }

    /**
     * Attaches to the store in a directory.
     *
     * @throws StoreNotFoundException when there is none
     * @throws LoomException when it can't be read, by its reason
     */
    public static LoomReader attach(Path directory) {
        return new LoomReader(AttachedStore.attach(directory, Storage.DISK));
    }

    /**
     * As {@link Store#snapshot()}.
     *
     * @throws StoreReopenedException when a new writer has opened the store since; attach again
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
        return new StoreInfo(store.info());
    }

    @Override
    public void close() {
        store.close();
    }
}
