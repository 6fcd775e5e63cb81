package dev.loom.server;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.api.StoreInfo;
import dev.loom.error.StoreReopenedException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The served store as a query sees it: closing it leaves the store open.
 *
 * @param ended whether the server is closed, or else the store may have been opened in another way
 */
record BorrowedStore(Store store, BooleanSupplier ended) implements Store {
    /** A store that nobody opens in another way. */
    BorrowedStore(Store store) {
        this(store, () -> true);
    }

    @Override
    public Snapshot snapshot() {
        try {
            return store.snapshot();
        } catch (IllegalStateException e) {
            if (ended.getAsBoolean()) {
                throw e;
            }
            throw new StoreReopenedException("the store was opened again: " + e.getMessage());
        }
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
        StoreInfo info = store.info();
        return info.state() == StoreInfo.State.WRITER ? info.with(StoreInfo.State.LIVE) : info;
    }

    @Override
    public void close() {
        // its owner closes it
    }
}
