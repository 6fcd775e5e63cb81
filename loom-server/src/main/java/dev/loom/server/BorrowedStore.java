package dev.loom.server;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.api.StoreInfo;
import java.util.List;
import java.util.Optional;

/** The served store as a query sees it: closing it leaves the store open. */
record BorrowedStore(Store store) implements Store {
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
        StoreInfo info = store.info();
        return info.state() == StoreInfo.State.WRITER ? info.with(StoreInfo.State.LIVE) : info;
    }

    @Override
    public void close() {
        // its owner closes it
    }
}
