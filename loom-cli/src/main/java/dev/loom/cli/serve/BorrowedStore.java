package dev.loom.cli.serve;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.api.StoreInfo;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The sidecar's store as a query sees it: closing it leaves the sidecar's store open. */
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
        Map<String, Object> values = new LinkedHashMap<>(store.info().values());
        values.replace("state", "writer", "live");
        return new StoreInfo(values);
    }

    @Override
    public void close() {
        // the sidecar closes it
    }
}
