package dev.loom.api;

import dev.loom.error.LoomException;
import java.util.List;
import java.util.Optional;

/** What a writer's store and an attached store have in common. Usable from any thread. */
public interface Store extends AutoCloseable {
    /**
     * Takes a consistent view of the records published so far: every record whose push has returned is in it. Costs the
     * writer nothing.
     *
     * @throws LoomException when the store can no longer be read; the subclass says why
     */
    Snapshot snapshot();

    /** Every source ever defined, by id, without source 0. */
    List<Source> sources();

    /** The open source with this name, else the one closed last. */
    Optional<Source> source(String name);

    /** Every index ever defined, by id. */
    List<Index> indexes();

    /** Settings, watermarks, sizes and the evictor's state, read now. */
    StoreInfo info();

    /** Closes the store. Open snapshots and cursors stay readable until they are closed. Idempotent. */
    @Override
    void close();
}
